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
  /// The operand that is added; null for none.
  mlir::Value bias;
};

/// The call for `product` and `consumer`, its only user, together.
std::optional<FusedMatmul> matchFusedMatmul(mlir::linalg::GenericOp product,
                                            mlir::linalg::GenericOp consumer);

/// True when all that `generic` does is max(x, 0), with the NaN of x kept.
bool isRelu(mlir::linalg::GenericOp generic);

} // namespace tpc::lower

#endif // TPC_LOWER_EPILOGUE_H
