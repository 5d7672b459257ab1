// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cotangent of an operand that is read at sums of loops, as a convolution's
// input is.
#ifndef TPC_RULES_LINALGADJOINTWINDOW_H
#define TPC_RULES_LINALGADJOINTWINDOW_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tpc {

/// How the cotangent per loop iteration is added up into that of the operand.
struct TapSum {
  /// A dim read at outer * stride + tap * dilation + offset.
  struct Dim {
    /// Of the cotangent, where the tap's comes right behind.
    unsigned position;
    bool hasTaps;
    int64_t stride, dilation, offset, length;
  };
  /// The loops that the cotangent per iteration has, one per dim.
  mlir::AffineMap target;
  llvm::SmallVector<Dim, 2> dims;
};

/// For an operand of `type` read through `map` over loops of `sizes`; nothing
/// where no dim is read so, or one is read in yet another way.
std::optional<TapSum> planTapSum(mlir::AffineMap map,
                                 mlir::RankedTensorType type,
                                 llvm::ArrayRef<int64_t> sizes);

/// Adds up `taps`, the cotangent with a dim per loop of the plan's target.
mlir::Value buildTapSum(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value taps, const TapSum &sum);

} // namespace tpc

#endif // TPC_RULES_LINALGADJOINTWINDOW_H
