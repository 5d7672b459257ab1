// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zeros and sums of cotangents: what the writers of adjoints and the autodiff
// stage share. A cotangent has the type of its value, a tensor or a scalar.
#ifndef TPC_INTERFACES_ADJOINT_H
#define TPC_INTERFACES_ADJOINT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace tpc {

/// True for floats and tensors of floats: what may carry a cotangent.
inline bool isDifferentiable(mlir::Type type) {
  return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type)) &&
         (mlir::isa<mlir::FloatType>(type) ||
          mlir::isa<mlir::RankedTensorType>(type));
}

/// A constant of `type`; for a tensor: a fill.
inline mlir::Value createSplat(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Type type, double value) {
  mlir::Value scalar = mlir::arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(mlir::getElementTypeOrSelf(type), value));
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return scalar;
  mlir::Value empty = mlir::tensor::EmptyOp::create(
      builder, loc, tensor.getShape(), tensor.getElementType());
  return mlir::linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

/// The elementwise sum of two values of one type.
inline mlir::Value createSum(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value lhs, mlir::Value rhs) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(lhs.getType());
  if (!type)
    return mlir::arith::AddFOp::create(builder, loc, lhs, rhs);
  mlir::Value empty = mlir::tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType());
  llvm::SmallVector<mlir::AffineMap> maps(
      3, builder.getMultiDimIdentityMap(type.getRank()));
  llvm::SmallVector<mlir::utils::IteratorType> iterators(
      type.getRank(), mlir::utils::IteratorType::parallel);
  return mlir::linalg::GenericOp::create(
             builder, loc, type, mlir::ValueRange{lhs, rhs}, empty, maps,
             iterators,
             [](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange args) {
               mlir::linalg::YieldOp::create(
                   b, l,
                   mlir::ValueRange{
                       mlir::arith::AddFOp::create(b, l, args[0], args[1])});
             })
      .getResult(0);
}

} // namespace tpc

#endif // TPC_INTERFACES_ADJOINT_H
