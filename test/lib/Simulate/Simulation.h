// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a placed function on all ranks and as the global program, side by side.
#ifndef TPC_TEST_LIB_SIMULATE_SIMULATION_H
#define TPC_TEST_LIB_SIMULATE_SIMULATION_H

#include "Arguments.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tpc/Dialect/TP/TP.h"

namespace tpc::simulate {

/// Every operation is computed on the global tensors, placements ignored, and
/// by every rank on what it holds; then its results are compared. The ranks go
/// on with what they computed themselves.
class Simulation {
public:
  Simulation(mlir::func::FuncOp func, const Mesh &mesh,
             const ArgumentOptions &options)
      : func(func), mesh(mesh), options(options) {}

  /// Fails, after an error on it, at the first operation whose results differ.
  llvm::LogicalResult run();

  /// Operations whose results were compared.
  size_t numCompared() const { return compared.size(); }

private:
  llvm::LogicalResult makeArguments();
  llvm::LogicalResult runBlock(mlir::Block &block);
  llvm::LogicalResult visit(mlir::Operation *op);
  llvm::LogicalResult compute(mlir::Operation *op);
  llvm::LogicalResult changePlacements(mlir::Operation *op);
  llvm::LogicalResult runManual(tp::ManualOp op);

  /// An empty holding of `value` with its type and placement; fails, after an
  /// error on `op`, for a tensor that is not placed.
  llvm::FailureOr<Held> holdingOf(mlir::Operation *op, mlir::Value value);
  /// Compares and keeps what an operation gives.
  llvm::LogicalResult keep(mlir::Operation *op,
                           llvm::MutableArrayRef<Held> held);
  llvm::LogicalResult reportDifference(mlir::Operation *op, unsigned result,
                                       llvm::StringRef difference);

  mlir::func::FuncOp func;
  const Mesh &mesh;
  ArgumentOptions options;
  llvm::DenseMap<mlir::Value, Held> values;
  llvm::DenseSet<mlir::Operation *> compared;
};

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_SIMULATION_H
