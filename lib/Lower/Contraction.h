// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which generics are contractions, and which of those one matmul call can do.
#ifndef TPC_LOWER_CONTRACTION_H
#define TPC_LOWER_CONTRACTION_H

#include "Program.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tpc::lower {

/// What the loop dims of a contraction are: in both operands and the result,
/// in one operand and the result, or summed over.
struct ContractionDims {
  llvm::SmallVector<unsigned> batch, m, n, k;
};

/// The dims of `generic` when it adds products of its two operands, with a dim
/// summed over and a dim that only one operand has. Unit dims are left out.
/// The operands and the sum may be widened and the result rounded.
std::optional<ContractionDims> matchContraction(mlir::linalg::GenericOp generic);

/// The matmul call for a contraction: neighbouring dims with fitting strides
/// merged into m, n and k, the rest as batch. Nothing when the layout or the
/// element types do not fit, or when the product is so small that a loop is
/// faster than the call.
std::optional<Matmul> matchMatmul(mlir::linalg::GenericOp generic);

} // namespace tpc::lower

#endif // TPC_LOWER_CONTRACTION_H
