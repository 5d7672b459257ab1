// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a cotangent that was put together of parts.
#ifndef TPC_RULES_TENSORADJOINTSLICE_H
#define TPC_RULES_TENSORADJOINTSLICE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tpc {

/// The part of `value` of `type` at `offsets`. Where `value` is a sum of
/// insertions into zeros, the sum of what of these lies in the part: what is
/// added around it is not computed, and nothing moves further than it must.
mlir::Value createPart(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::RankedTensorType type,
                       llvm::ArrayRef<int64_t> offsets);

} // namespace tpc

#endif // TPC_RULES_TENSORADJOINTSLICE_H
