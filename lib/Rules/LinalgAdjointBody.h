// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse mode through the scalar body of one structured operation.
#ifndef TPC_RULES_LINALGADJOINTBODY_H
#define TPC_RULES_LINALGADJOINTBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace tpc {

/// The body of a new structured operation over the loops of a forward one,
/// made of parts of the forward body. An operand is added when its element is
/// first asked for.
class AdjointBody {
public:
  AdjointBody(mlir::OpBuilder &builder, mlir::linalg::LinalgOp forward);

  /// The element of `tensor` read through `map` (over the forward loops).
  mlir::Value element(mlir::Value tensor, mlir::AffineMap map);
  /// The value of a forward scalar: an element, a copy of the scalars it is
  /// made of, or, where the forward operation yields it, an element of the
  /// result. Null, after an error, when it depends on a running reduction.
  mlir::Value forwardScalar(mlir::Value scalar);
  /// A forward scalar and its cotangent in the new body.
  using Seed = std::pair<mlir::Value, mlir::Value>;
  /// The cotangent of the block arguments `targets` (one tensor read through
  /// one map) that follows from `seeds`. Null when nothing flows. Fails, after
  /// an error, on a scalar operation without derivative.
  mlir::FailureOr<mlir::Value>
  differentiate(llvm::ArrayRef<mlir::BlockArgument> targets,
                llvm::ArrayRef<Seed> seeds);

  /// Finishes the operation: yields `scalar`, or, where `target` lacks some of
  /// the loops, its sum over them. The result has the dims of `target`, in that
  /// order, without constants. When `scalar` is just an element of a tensor
  /// read through `target`, that tensor.
  mlir::Value createResult(mlir::Value scalar, mlir::AffineMap target);

  mlir::OpBuilder &bodyBuilder() { return scalars; }

private:
  struct Operand {
    mlir::Value tensor;
    mlir::AffineMap map;
  };

  mlir::Value readArgument(mlir::BlockArgument argument);
  /// The type sums over loops are formed in.
  mlir::Type widenSum(mlir::Value &scalar);
  void removeDeadCode(mlir::Value scalar);
  void coverLoops(mlir::AffineMap target);

  mlir::OpBuilder &builder;
  mlir::linalg::LinalgOp forward;
  bool hasReductions;
  mlir::Region region;
  mlir::Block *block;
  mlir::OpBuilder scalars;
  llvm::SmallVector<Operand> operands;
  mlir::IRMapping mapping;
};

} // namespace tpc

#endif // TPC_RULES_LINALGADJOINTBODY_H
