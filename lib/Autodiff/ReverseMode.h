// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse mode on one block of straight-line code.
#ifndef TPC_LIB_AUTODIFF_REVERSEMODE_H
#define TPC_LIB_AUTODIFF_REVERSEMODE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "tpc/Dialect/TP/TP.h"

namespace tpc::autodiff {

/// The cotangents of the values of one block. Seed the outputs, run, read the
/// cotangents of `wanted`.
class ReverseMode {
public:
  /// Takes the operations of `block` as they are now for the forward pass and
  /// marks what depends on `wanted`: the active values.
  ReverseMode(mlir::Block &block, mlir::ValueRange wanted);

  bool isActive(mlir::Value value) const { return active.contains(value); }
  /// Adds `cotangent` to that of `value`, if `value` is active.
  void addCotangent(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, mlir::Value cotangent);
  /// Null for zero.
  mlir::Value getCotangent(mlir::Value value) const {
    return cotangents.lookup(value);
  }

  /// Extends an error about an operation on the path of a gradient.
  using Explain =
      llvm::function_ref<void(mlir::Operation *, mlir::Diagnostic &)>;
  /// Builds all adjoints at the builder's insertion point. Goes on after an
  /// operation without derivative so that all errors are reported at once.
  mlir::LogicalResult run(mlir::OpBuilder &builder, Explain explain);

private:
  mlir::LogicalResult verifyOperands(mlir::Operation *op);
  mlir::LogicalResult
  buildAdjoint(mlir::Operation *op, mlir::OpBuilder &builder,
               mlir::ValueRange resultCotangents, llvm::ArrayRef<bool> needed,
               llvm::SmallVectorImpl<mlir::Value> &contributions);

  llvm::SmallVector<mlir::Operation *> operations;
  llvm::DenseSet<mlir::Value> active;
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents;
};

/// The adjoint of a tp.manual: another tp.manual, see ManualAdjoint.cpp.
mlir::LogicalResult
buildManualAdjoint(tp::ManualOp op, mlir::OpBuilder &builder,
                   mlir::ValueRange cotangents, llvm::ArrayRef<bool> needed,
                   llvm::SmallVectorImpl<mlir::Value> &contributions);

/// Erases operations of `block` whose results no one needs.
void eraseDeadOperations(mlir::Block &block);

} // namespace tpc::autodiff

#endif // TPC_LIB_AUTODIFF_REVERSEMODE_H
