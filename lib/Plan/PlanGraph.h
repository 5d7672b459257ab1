// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function as a planning problem: nodes with strategies, values with uses.
#ifndef TPC_LIB_PLAN_PLANGRAPH_H
#define TPC_LIB_PLAN_PLANGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Strategy.h"
#include "tpc/Support/PlanSolver.h"
#include "tpc/Support/RedistributionTree.h"
#include "llvm/ADT/MapVector.h"

namespace tpc {

/// Something that has a choice of placements.
struct PlanNode {
  /// Carry: a tensor that a loop carries; what goes in, what an iteration is
  /// given and gives, and what comes out are placed alike. Branch: a tensor
  /// that an `scf.if` gives, placed as both of its yields.
  enum class Kind { Argument, Operation, Fixed, Carry, Branch, Result };
  PlanNode(Kind kind, mlir::Operation *op, unsigned index = 0)
      : kind(kind), op(op), index(index) {}

  Kind kind;
  /// The operation; for a result the return.
  mlir::Operation *op;
  /// Number of the argument or result; of a carry or branch that of the
  /// operation's result.
  unsigned index;
  /// Per option. Argument: one result. Result: one operand. Carry and branch:
  /// one operand and one result, which are the same.
  llvm::SmallVector<Strategy, 0> strategies;
  /// Operation, carry, branch: the rule strategies are made from.
  std::optional<ShardingRule> rule;
  /// True where a user's pin leaves one option.
  bool pinned = false;
};

/// A use of a value in the placement that its node chooses for one operand.
struct PlanUse {
  int node;
  /// Index into the operands of the node's strategies.
  unsigned operand;
};

/// Builds the problem from a function in normal form. Values that any rank can
/// make by itself (empty tensors, splats) have no part in it: a use gets its
/// own copy, placed as it needs.
///
/// A value is moved in the block it is made in, also for uses further inside:
/// what a loop needs of outside is moved once, in front of it. What is made
/// inside of loops is computed and moved once per iteration.
class PlanGraph {
public:
  PlanGraph(mlir::func::FuncOp func, tp::MeshOp mesh,
            Redistributor &redistributor);

  /// Emits errors on operations that cannot be planned.
  mlir::LogicalResult build();

  /// Builds the problem to solve. `forbidden`: no copy of the value with that
  /// number may be made in that placement (used to price the next best plan).
  /// Strategies stay as they are from the first time on.
  PlanProblem makeProblem(std::optional<std::pair<int, int>> forbidden = {});

  llvm::SmallVector<PlanNode, 0> nodes;
  llvm::MapVector<mlir::Value, int> valueNumbers;
  llvm::SmallVector<llvm::SmallVector<PlanUse, 2>, 0> uses;
  /// Node that makes each value, and which of its results it is.
  llvm::SmallVector<std::pair<int, unsigned>, 0> producers;
  /// The node of an operation; of a loop or branch that of its first result,
  /// which those of the others follow.
  llvm::DenseMap<mlir::Operation *, int> nodeOf;

  const Mesh &mesh() const { return grid; }
  tp::MeshOp meshOp() const { return meshSymbol; }
  mlir::func::FuncOp function() const { return func; }
  Redistributor &paths() { return redistributor; }

  /// Placements by number, as the problem sees them.
  int intern(const Placement &placement);
  const Placement &placement(int id) const { return placements[id]; }

  /// The distinct placements other than the produced one that `value` is needed
  /// in under `choice`, as numbers in ascending order.
  llvm::SmallVector<int> neededBy(int value, llvm::ArrayRef<int> choice);
  int producedBy(int value, llvm::ArrayRef<int> choice);

  /// How the placements that `value` is needed in are made under `choice`.
  RedistributionTree treeOf(int value, llvm::ArrayRef<int> choice);

private:
  /// What the cost of moving a value depends on, and the trees it costs.
  struct ValueType {
    mlir::RankedTensorType tensor;
    /// Pinned by `tp.use`: no collective may follow.
    bool usedAsIs;
    /// How often the block that makes it runs, and so every move of it.
    int64_t times;
    /// All that is made or needed of values of the type, as numbers.
    std::vector<int> candidates = {};
    std::unique_ptr<RedistributionTrees> trees = nullptr;
  };
  /// Finds the types of all values and what can be asked of them.
  void collectTypes();
  std::unique_ptr<RedistributionTrees>
  makeTrees(const ValueType &type, std::optional<int> forbidden) const;
  llvm::SmallVector<Placement> placementsOf(llvm::ArrayRef<int> numbers) const;
  mlir::LogicalResult addArguments();
  mlir::LogicalResult addBlock(mlir::Block &block);
  mlir::LogicalResult addOperation(mlir::Operation *op);
  mlir::LogicalResult addLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult addBranch(mlir::scf::IfOp branch);
  /// A node for each result of a loop or branch.
  mlir::LogicalResult addRegionResults(PlanNode::Kind kind,
                                       mlir::Operation *op);
  mlir::LogicalResult addReturn(mlir::Operation *op);
  mlir::LogicalResult checkSize(mlir::Operation *op, mlir::Type type);
  void addValue(mlir::Value value, int node, unsigned result);
  void addUse(int node, mlir::Value value, unsigned operand);
  void collectPins();
  mlir::FailureOr<Placement>
  resolvePin(mlir::Operation *op, tp::PlacementAttr attr, mlir::Type type);
  /// All placements without partials, even, in preferred order.
  llvm::SmallVector<Placement, 0> storagePlacements(mlir::Type type);
  Cost computeCost(const PlanNode &node, const Strategy &strategy);

  mlir::func::FuncOp func;
  tp::MeshOp meshSymbol;
  Mesh grid;
  Redistributor &redistributor;
  llvm::SmallVector<llvm::SmallVector<unsigned>> orders;
  int64_t minFactorSize = 2;
  llvm::SmallVector<Placement, 0> placements;
  std::map<Placement, int> placementNumbers;
  std::vector<ValueType> types;
  /// Index of the type of each value.
  std::vector<int> typeNumbers;
  /// Distinct placements that the uses of one value may need at once, at most.
  size_t mostTargets = 0;
};

} // namespace tpc

#endif // TPC_LIB_PLAN_PLANGRAPH_H
