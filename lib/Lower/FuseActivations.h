// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes activations, derivatives and sums of gradients part of the matmul calls
// whose results or operands they are of.
#ifndef TPC_LOWER_FUSEACTIVATIONS_H
#define TPC_LOWER_FUSEACTIVATIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tpc::lower {

/// The result of `product`'s call times the derivative of an activation.
void fuseGradient(mlir::linalg::GenericOp product, mlir::IRRewriter &rewriter);

/// The GELU of the result of `product`'s call; the call also gives that result,
/// where others use it.
void fuseGelu(mlir::linalg::GenericOp product, mlir::IRRewriter &rewriter);

/// The sums of a matrix's rows, by a call that has the matrix as an operand or
/// as its result.
void fuseSum(mlir::linalg::GenericOp sum, mlir::IRRewriter &rewriter);

/// `value` in another shape, its elements in the same order.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Value value,
                    llvm::ArrayRef<int64_t> shape);

} // namespace tpc::lower

#endif // TPC_LOWER_FUSEACTIVATIONS_H
