// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors seen through widening, transposes and reshapes: what lies in memory
// when an operation reads the elements itself.
#ifndef TPC_LOWER_OPERANDVIEW_H
#define TPC_LOWER_OPERANDVIEW_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tpc::lower {

/// A tensor whose elements are those of `root`, maybe widened. Dim i of the
/// tensor is dim `dims[i]` of the root.
struct OperandView {
  mlir::Value root;
  llvm::SmallVector<unsigned> dims;

  bool isIdentity() const;
};

/// True when every element of the result is one of the input, maybe widened.
bool isCopy(mlir::linalg::GenericOp generic);

/// The view of `value` that looks through the most operations. Makes reshapes
/// of roots, which cost nothing, where `builder` stands.
OperandView viewOperand(mlir::Value value, mlir::OpBuilder &builder);

} // namespace tpc::lower

#endif // TPC_LOWER_OPERANDVIEW_H
