// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splats, sums and conversions: what the writers of adjoints and the autodiff
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
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr attr;
  if (mlir::isa<mlir::FloatType>(element))
    attr = builder.getFloatAttr(element, value);
  else
    attr = builder.getIntegerAttr(element, int64_t(value));
  mlir::Value scalar = mlir::arith::ConstantOp::create(builder, loc, attr);
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
  auto add = [](mlir::OpBuilder &b, mlir::Location l, mlir::Value x,
                mlir::Value y) -> mlir::Value {
    if (mlir::isa<mlir::FloatType>(x.getType()))
      return mlir::arith::AddFOp::create(b, l, x, y);
    return mlir::arith::AddIOp::create(b, l, x, y);
  };
  if (!type)
    return add(builder, loc, lhs, rhs);
  mlir::Value empty = mlir::tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType());
  llvm::SmallVector<mlir::AffineMap> maps(
      3, builder.getMultiDimIdentityMap(type.getRank()));
  llvm::SmallVector<mlir::utils::IteratorType> iterators(
      type.getRank(), mlir::utils::IteratorType::parallel);
  return mlir::linalg::GenericOp::create(
             builder, loc, type, mlir::ValueRange{lhs, rhs}, empty, maps,
             iterators,
             [&](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange args) {
               mlir::linalg::YieldOp::create(b, l, add(b, l, args[0], args[1]));
             })
      .getResult(0);
}

/// `tensor` with its floats in another type.
inline mlir::Value createConversion(mlir::OpBuilder &builder,
                                    mlir::Location loc, mlir::Value tensor,
                                    mlir::Type elementType) {
  auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  unsigned width = elementType.getIntOrFloatBitWidth();
  bool widens = width > type.getElementTypeBitWidth();
  mlir::Value empty =
      mlir::tensor::EmptyOp::create(builder, loc, type.getShape(), elementType);
  llvm::SmallVector<mlir::AffineMap> maps(
      2, builder.getMultiDimIdentityMap(type.getRank()));
  llvm::SmallVector<mlir::utils::IteratorType> iterators(
      type.getRank(), mlir::utils::IteratorType::parallel);
  return mlir::linalg::GenericOp::create(
             builder, loc, empty.getType(), tensor, empty, maps, iterators,
             [&](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange args) {
               mlir::Value converted;
               if (widens)
                 converted =
                     mlir::arith::ExtFOp::create(b, l, elementType, args[0]);
               else
                 converted =
                     mlir::arith::TruncFOp::create(b, l, elementType, args[0]);
               mlir::linalg::YieldOp::create(b, l, converted);
             })
      .getResult(0);
}

} // namespace tpc

#endif // TPC_INTERFACES_ADJOINT_H
