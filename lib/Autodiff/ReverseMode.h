// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse mode on one block of code, and on the loops and branches in it.
#ifndef TPC_LIB_AUTODIFF_REVERSEMODE_H
#define TPC_LIB_AUTODIFF_REVERSEMODE_H

#include "Activity.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "tpc/Dialect/TP/TP.h"

namespace tpc::autodiff {

/// The cotangents of what the operations of one block read: values of the
/// block and values from around it. Seed the outputs, run, read the cotangents
/// of the inputs.
class ReverseMode {
public:
  /// Takes the operations of `block` as they are now for the forward pass.
  ReverseMode(mlir::Block &block, Activity &activity);

  Activity &getActivity() { return activity; }
  bool isActive(mlir::Value value) const { return activity.contains(value); }

  /// Adds `cotangent` to that of `value`, if `value` is active.
  void addCotangent(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, mlir::Value cotangent);
  /// Null for zero.
  mlir::Value getCotangent(mlir::Value value) const {
    return cotangents.lookup(value);
  }

  /// Lets the cotangent of `value` begin with `start`, which a loop carries.
  void accumulate(mlir::Value value, mlir::Value start);
  bool isAccumulated(mlir::Value value) const {
    return accumulated.contains(value);
  }

  /// Extends an error about an operation on the path of a gradient.
  using Explain =
      llvm::function_ref<void(mlir::Operation *, mlir::Diagnostic &)>;
  /// Builds all adjoints at the builder's insertion point. Goes on after an
  /// operation without derivative so that all errors are reported at once.
  mlir::LogicalResult run(mlir::OpBuilder &builder, Explain explain);

private:
  mlir::LogicalResult verifyTypes(mlir::Operation *op);
  mlir::LogicalResult verifyCaptures(mlir::Operation *op);
  mlir::LogicalResult visit(mlir::Operation *op, mlir::OpBuilder &builder,
                            mlir::ValueRange resultCotangents);
  mlir::LogicalResult
  buildAdjoint(mlir::Operation *op, mlir::OpBuilder &builder,
               mlir::ValueRange resultCotangents, llvm::ArrayRef<bool> needed,
               llvm::SmallVectorImpl<mlir::Value> &contributions);

  Activity &activity;
  llvm::SmallVector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents;
  llvm::DenseSet<mlir::Value> accumulated;
};

/// The adjoint of a tp.manual: another tp.manual, see ManualAdjoint.cpp.
mlir::LogicalResult
buildManualAdjoint(tp::ManualOp op, mlir::OpBuilder &builder,
                   mlir::ValueRange cotangents, llvm::ArrayRef<bool> needed,
                   llvm::SmallVectorImpl<mlir::Value> &contributions);

/// The adjoint of a loop, a loop that runs backward, see LoopAdjoint.cpp. Adds
/// its contributions to `outer`. `loop` is replaced by one that also gives what
/// its adjoint reads.
mlir::LogicalResult buildLoopAdjoint(ReverseMode &outer, mlir::scf::ForOp loop,
                                     mlir::OpBuilder &builder,
                                     mlir::ValueRange cotangents,
                                     ReverseMode::Explain explain);

/// The same for a branch, see BranchAdjoint.cpp.
mlir::LogicalResult buildBranchAdjoint(ReverseMode &outer, mlir::scf::IfOp op,
                                       mlir::OpBuilder &builder,
                                       mlir::ValueRange cotangents,
                                       ReverseMode::Explain explain);

/// The active values around `op` that its regions read, in the order they are
/// read.
llvm::SmallVector<mlir::Value> getActiveCaptures(mlir::Operation *op,
                                                 const Activity &activity);

/// Erases operations of `block` whose results no one needs.
void eraseDeadOperations(mlir::Block &block);

} // namespace tpc::autodiff

#endif // TPC_LIB_AUTODIFF_REVERSEMODE_H
