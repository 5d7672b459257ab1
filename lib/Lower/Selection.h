// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that keep one of the elements that they see: a greatest value and
// where it is.
#ifndef TPC_LOWER_SELECTION_H
#define TPC_LOWER_SELECTION_H

#include "Program.h"

namespace tpc::lower {

/// A body whose results are those carried so far or those of the point, all of
/// one or all of the other, such that what is left over does not depend on how
/// points are shared out and joined: only on which comes first, which output
/// `order` tells.
struct Selection {
  /// Per output: what is carried, and the point's own.
  llvm::SmallVector<mlir::Value> carried, candidates;
  /// From those to what the body yields, in order.
  llvm::SmallVector<mlir::Operation *> operations;
  unsigned order = 0;
};

/// Proves it, or finds nothing.
std::optional<Selection> findSelection(const Nest &nest);

} // namespace tpc::lower

#endif // TPC_LOWER_SELECTION_H
