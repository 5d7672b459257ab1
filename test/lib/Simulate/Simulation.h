// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a placed function on all ranks and as the global program, side by side.
#ifndef TPC_TEST_LIB_SIMULATE_SIMULATION_H
#define TPC_TEST_LIB_SIMULATE_SIMULATION_H

#include "Arguments.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tpc/Dialect/TP/TP.h"

namespace tpc::simulate {

struct SimulationOptions {
  ArgumentOptions arguments;
  /// Operations that say that they exchange data themselves do so. Behind the
  /// redistribute stage none does.
  bool exchange = true;
};

/// Every operation is computed on the global tensors, placements ignored, and
/// by every rank on what it holds; then its results are compared. The ranks go
/// on with what they computed themselves.
class Simulation {
public:
  Simulation(mlir::func::FuncOp func, const Mesh &mesh,
             const SimulationOptions &options)
      : func(func), mesh(mesh), options(options) {}

  /// Fails, after an error on it, at the first operation whose results differ.
  llvm::LogicalResult run();

  /// Operations with a tensor of which some element was compared.
  size_t numCompared() const { return compared.size(); }

private:
  llvm::LogicalResult makeArguments();
  llvm::LogicalResult runBlock(mlir::Block &block);
  llvm::LogicalResult visit(mlir::Operation *op);
  llvm::LogicalResult compute(mlir::Operation *op);
  /// Per operand of an operation that exchanges data itself, what each rank has
  /// of it in the end; nothing for other operations.
  llvm::SmallVector<std::vector<Piece>>
  fetch(mlir::Operation *op, llvm::ArrayRef<Held> results) const;
  llvm::LogicalResult changePlacements(mlir::Operation *op);
  llvm::LogicalResult runManual(tp::ManualOp op);
  llvm::LogicalResult runFor(mlir::scf::ForOp op);
  llvm::LogicalResult runIf(mlir::scf::IfOp op);
  int64_t integerOf(mlir::Value value) const {
    return values.find(value)->second.global.read({}).integer;
  }
  void setIndex(mlir::Value value, int64_t index);
  /// What the values at the end of `block` hold.
  llvm::SmallVector<Held> yieldedBy(mlir::Block &block) const;

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
  SimulationOptions options;
  llvm::DenseMap<mlir::Value, Held> values;
  llvm::DenseSet<mlir::Operation *> compared;
  /// The loops around what is run, and the iteration each is in.
  llvm::SmallVector<std::pair<mlir::Operation *, int64_t>> iterations;
};

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_SIMULATION_H
