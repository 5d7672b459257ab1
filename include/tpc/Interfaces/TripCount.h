// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often an operation inside of loops runs.
#ifndef TPC_INTERFACES_TRIPCOUNT_H
#define TPC_INTERFACES_TRIPCOUNT_H

#include "mlir/IR/Operation.h"

namespace tpc {

/// Runs of `block` in one run of its function: the product of the trip counts
/// of the loops around it, saturating. A loop whose trip count is not known
/// counts once, and so does a branch.
int64_t getTimes(mlir::Block *block);
/// The same of the block of `op`.
inline int64_t getTimes(mlir::Operation *op) {
  return getTimes(op->getBlock());
}

} // namespace tpc

#endif // TPC_INTERFACES_TRIPCOUNT_H
