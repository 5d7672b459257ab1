// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a solved plan into its function.
#ifndef TPC_LIB_PLAN_PLANWRITER_H
#define TPC_LIB_PLAN_PLANWRITER_H

#include "PlanGraph.h"
#include "mlir/IR/Builders.h"

namespace tpc {

/// Gives every type its placement. A value needed in another placement than it
/// is made in is redistributed in the block it is made in, in front of the
/// first operation that has a use of it inside; later uses find it there. What
/// is returned is redistributed where it is made, if that takes less memory.
class PlanWriter {
public:
  /// `alternatives`: say of every redistribute what the next best plan costs.
  PlanWriter(PlanGraph &graph, const PlanSolution &solution, bool alternatives)
      : graph(graph), solution(solution), alternatives(alternatives),
        builder(graph.function().getContext()),
        symbol(mlir::FlatSymbolRefAttr::get(graph.meshOp().getSymNameAttr())) {}

  void write();

private:
  tp::PlacementAttr attr(const Placement &placement) {
    return tp::PlacementAttr::get(builder.getContext(), symbol, graph.mesh(),
                                  placement);
  }
  mlir::Type placed(mlir::Type type, const Placement &placement) {
    return tp::withPlacement(mlir::cast<mlir::RankedTensorType>(type),
                             attr(placement));
  }
  /// The SSA value of `value` in placement `id`, made here when new.
  mlir::Value version(int value, int id);
  /// Sets the type of a value that is made in `placement`.
  void define(mlir::Value value, const Placement &placement);
  /// A copy of a free producer's value, placed as needed.
  mlir::Value freshCopy(mlir::Operation *producer, const Placement &placement);
  /// The value an operand is to have in `placement`, made here when new.
  mlir::Value operandIn(mlir::Value value, const Placement &placement);
  int64_t localBytes(mlir::RankedTensorType type, int id);
  void writeBlock(mlir::Block &block);
  void writeOperation(const PlanNode &node, const Strategy &strategy);
  void writeLoop(mlir::scf::ForOp loop);
  void writeBranch(mlir::scf::IfOp branch);
  void writeYields(mlir::Operation *op, mlir::Operation *yield);
  const Strategy &strategyOf(int node) const {
    return graph.nodes[node].strategies[solution.choice[node]];
  }
  std::string nextBest(int value, int id);

  PlanGraph &graph;
  const PlanSolution &solution;
  bool alternatives;
  mlir::OpBuilder builder;
  mlir::FlatSymbolRefAttr symbol;
  std::map<std::pair<int, int>, mlir::Value> versions;
  std::map<int, RedistributionTree> trees;
  /// Operations that the plan leaves nothing of, or nothing if not used.
  llvm::SmallVector<mlir::Operation *> dissolved, freeProducers;
  /// What needs the operands that are set; null for the function's results.
  mlir::Operation *user = nullptr;
  size_t numPriced = 0;
};

} // namespace tpc

#endif // TPC_LIB_PLAN_PLANWRITER_H
