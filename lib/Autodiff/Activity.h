// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values depend on those a gradient is wanted of.
#ifndef TPC_LIB_AUTODIFF_ACTIVITY_H
#define TPC_LIB_AUTODIFF_ACTIVITY_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"

namespace tpc::autodiff {

/// Calls `visit` on what an operation reads: operands, and what its regions
/// capture.
void forEachRead(mlir::Operation *op,
                 llvm::function_ref<void(mlir::Value)> visit);

/// The active values of a block and of the loops and branches in it: floats
/// that depend on `wanted`.
class Activity {
public:
  Activity(mlir::Block &block, mlir::ValueRange wanted);

  bool contains(mlir::Value value) const { return values.contains(value); }

  /// `to` takes the place of the results of `from`, which is about to be
  /// erased.
  void replace(mlir::Operation *from, mlir::ValueRange to);

private:
  void visit(mlir::Block &block);
  void visitLoop(mlir::scf::ForOp loop);
  void visitBranch(mlir::scf::IfOp branch);
  /// Makes `value` active if it can be and one of `reasons` is. Returns whether
  /// that is new.
  bool activate(mlir::Value value, mlir::ValueRange reasons);

  llvm::DenseSet<mlir::Value> values;
};

} // namespace tpc::autodiff

#endif // TPC_LIB_AUTODIFF_ACTIVITY_H
