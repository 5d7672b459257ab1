// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every value of a function is to one microbatch of its batch.
#ifndef TPC_LIB_AUTODIFF_MICROBATCHES_H
#define TPC_LIB_AUTODIFF_MICROBATCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Interfaces/Strategy.h"

namespace tpc::autodiff {

struct BatchState {
  enum class Kind : uint8_t {
    /// Does not depend on the batch: made once, in front of the loop.
    Whole,
    /// Has rows of the batch along `dim`: a microbatch has its rows.
    Rows,
    /// A sum over rows: a microbatch makes a summand.
    Sum,
    /// Made from sums: made once, behind the loop.
    Behind
  };
  Kind kind = Kind::Whole;
  /// Rows: the dim, and how many of its elements belong to one row (the length
  /// of the sequence where batch and sequence are joined).
  unsigned dim = 0;
  int64_t perRow = 1;
};

/// An operation that runs once per microbatch.
struct MicrobatchStep {
  mlir::Operation *op;
  /// Operands that do not depend on the batch but have a row for each of its
  /// rows, and how.
  llvm::SmallVector<std::pair<unsigned, BatchState>, 2> cuts;
  /// The loop of a structured operation that runs over rows.
  std::optional<unsigned> factor;
  int64_t perRow = 1;
};

/// Decides what runs in front of, in and behind a loop over `count`
/// microbatches. A microbatch is the rows whose number has one remainder by
/// `count`: so a batch whose rows are sharded stays where it is.
///
/// The proof is that of placements: the microbatch is one more axis of a mesh,
/// and every operation in the loop has a strategy (Strategy.h) that shards a
/// factor over it. Rows is S(dim), Sum is P(sum), Whole is R.
class Microbatches {
public:
  Microbatches(mlir::func::FuncOp func, int64_t count);

  /// Starts from the arguments whose dim 0 is the batch. Fails after errors on
  /// operations that need the whole batch.
  mlir::LogicalResult classify(llvm::ArrayRef<unsigned> batchArguments);

  int64_t getCount() const { return count; }
  BatchState get(mlir::Value value) const { return states.lookup(value); }
  /// The operations of the loop, in order.
  llvm::ArrayRef<MicrobatchStep> getSteps() const { return steps; }
  /// The operations behind the loop, in order.
  llvm::ArrayRef<mlir::Operation *> getBehind() const { return behind; }
  /// `type` with the rows of one microbatch.
  mlir::RankedTensorType microType(mlir::Type type, BatchState state) const;

private:
  mlir::LogicalResult classify(mlir::Operation *op);
  mlir::LogicalResult refuse(mlir::Operation *op);
  bool addStep(mlir::Operation *op, const ShardingRule &rule,
               const Strategy &strategy);
  bool addSumOfSums(mlir::Operation *op, const ShardingRule &rule);

  mlir::func::FuncOp func;
  int64_t count;
  Mesh mesh;
  llvm::DenseMap<mlir::Value, BatchState> states;
  llvm::SmallVector<MicrobatchStep> steps;
  llvm::SmallVector<mlir::Operation *> behind;
};

/// Rewrites the function that `batches` has classified: MicrobatchLoop.cpp.
void writeMicrobatchLoop(mlir::func::FuncOp func, const Microbatches &batches);

} // namespace tpc::autodiff

#endif // TPC_LIB_AUTODIFF_MICROBATCHES_H
