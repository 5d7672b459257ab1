// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elementwise operations a matmul call does to its result.
#ifndef TPC_LOWER_EPILOGUE_H
#define TPC_LOWER_EPILOGUE_H

#include "Contraction.h"

namespace tpc::lower {

/// A matmul call with what it does to its result.
struct FusedMatmul {
  /// With flags and the type of the result.
  Matmul matmul;
  /// The operands that are added and that a derivative is taken of, and the
  /// result that a derivative needs; null for none.
  mlir::Value bias, argument, aux;
};

/// The flags that `consumer` is marked with, or that its body is recognised by.
/// Its second input, where there is one, is the bias, or what a gradient is
/// taken of.
std::optional<int32_t> epilogueFlags(mlir::linalg::GenericOp product,
                                     mlir::linalg::GenericOp consumer);

/// The call for `product` and `consumer`, its only user, together.
std::optional<FusedMatmul> matchFusedMatmul(mlir::linalg::GenericOp product,
                                            mlir::linalg::GenericOp consumer);

/// The marked operation behind `product` that its call does with it.
mlir::linalg::GenericOp fusedConsumer(mlir::linalg::GenericOp product);

/// The call for `product` alone or with its marked consumer.
std::optional<FusedMatmul> matchCall(mlir::linalg::GenericOp product);

/// The row-major matrix of c's memory: c's inner dim, and all others as one.
/// Nothing where batches or gaps are between.
struct ResultMatrix {
  int64_t outer, inner;
};
std::optional<ResultMatrix> resultMatrix(const Matmul &matmul);

/// How the result of `product` lies when `maps` are those of its consumer, for
/// the product and for the result, of element type `type`.
std::optional<Matmul> matchLayout(mlir::linalg::GenericOp product,
                                  mlir::AffineMap productMap,
                                  mlir::AffineMap resultMap, mlir::Type type);

/// What gradient products read: a bit per element, in bytes; and the argument
/// of a GELU.
inline constexpr int64_t kMaskUnit = 128, kArgumentUnit = 8;

/// The tensor behind reshapes.
mlir::Value behindReshapes(mlir::Value value);

/// Which sums over the rows of `matrix`, whose rows have `length` elements, the
/// call for `product` gives besides its result: a flag, or 0.
int32_t matchSum(mlir::linalg::GenericOp product, const FusedMatmul &call,
                 mlir::Value matrix, int64_t length);

/// The marked sum that the call for `product` gives, if any.
mlir::linalg::GenericOp findSum(mlir::linalg::GenericOp product,
                                const FusedMatmul &call);

/// True when all that `generic` does is max(x, 0), with the NaN of x kept.
bool isRelu(mlir::linalg::GenericOp generic);

} // namespace tpc::lower

#endif // TPC_LOWER_EPILOGUE_H
