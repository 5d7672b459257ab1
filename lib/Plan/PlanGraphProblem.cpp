// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what each choice costs: the compute of operations, and the moves of
// values, which inside of loops are paid once per iteration.

#include "PlanGraph.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Interfaces/TripCount.h"

using namespace mlir;
using namespace tpc;

static ComputeClass computeClass(Type element) {
  if (element.isF64())
    return ComputeClass::F64;
  if (element.isF16())
    return ComputeClass::F16;
  if (element.isBF16())
    return ComputeClass::BF16;
  return isa<FloatType>(element) ? ComputeClass::F32 : ComputeClass::Int;
}

Cost PlanGraph::computeCost(const PlanNode &node, const Strategy &strategy) {
  Objective objective = redistributor.objective();
  if (node.kind != PlanNode::Kind::Operation)
    return Cost();
  int64_t bytes = 0;
  Type element = getElementTypeOrSelf(node.op->getResult(0).getType());
  auto add = [&](Type type, const Placement &placement) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    int64_t elements = 1;
    for (int64_t size : placement.localShape(grid, tensor.getShape()))
      elements *= size;
    bytes += elements * tp::getElementBytes(type);
  };
  for (auto [index, operand] : llvm::enumerate(node.op->getOperands()))
    if (node.rule->roles[index] == ShardingRule::Role::Input)
      add(operand.getType(), strategy.operands[index]);
  for (auto [index, result] : llvm::enumerate(node.op->getResults()))
    add(result.getType(), strategy.results[index]);
  // Reshapes only change the type of a buffer.
  if (node.rule->flops == 0 && node.op->getNumOperands() == 1)
    bytes = 0;
  const MachineDescription &machine = redistributor.machine();
  Cost cost = makeComputeCost(
      objective, machine.computeSeconds(node.rule->flops * strategy.share,
                                        bytes, computeClass(element)));
  for (const ShardingRule::OwnStep &step : strategy.ownSteps)
    cost += makeCost(objective,
                     machine.transferSeconds(machine.link(grid, step.axes),
                                             step.starts, step.bytes.wireBytes),
                     step.bytes.wireBytes, 1);
  return cost * getTimes(node.op);
}

void PlanGraph::collectTypes() {
  for (size_t value = 0; value < producers.size(); ++value) {
    Value v = valueNumbers.begin()[value].first;
    auto tensor = cast<RankedTensorType>(v.getType());
    Operation *producer = v.getDefiningOp();
    bool usedAsIs = producer && producer->hasAttr("tp.used");
    int64_t times = getTimes(v.getParentBlock());
    auto known = llvm::find_if(types, [&](const ValueType &type) {
      return type.tensor == tensor && type.usedAsIs == usedAsIs &&
             type.times == times;
    });
    typeNumbers.push_back(known - types.begin());
    if (known == types.end())
      types.push_back({tensor, usedAsIs, times});
    std::vector<int> &candidates = types[typeNumbers.back()].candidates;
    auto [node, result] = producers[value];
    for (const Strategy &strategy : nodes[node].strategies)
      candidates.push_back(intern(strategy.results[result]));
    llvm::SmallDenseSet<int> needed;
    for (const PlanUse &use : uses[value])
      for (const Strategy &strategy : nodes[use.node].strategies)
        needed.insert(intern(strategy.operands[use.operand]));
    candidates.insert(candidates.end(), needed.begin(), needed.end());
    mostTargets = std::max(mostTargets,
                           std::min<size_t>(needed.size(), uses[value].size()));
  }
  for (ValueType &type : types) {
    llvm::sort(type.candidates);
    type.candidates.erase(llvm::unique(type.candidates), type.candidates.end());
    type.trees = makeTrees(type, std::nullopt);
  }
}

SmallVector<Placement> PlanGraph::placementsOf(ArrayRef<int> numbers) const {
  return llvm::map_to_vector(numbers,
                             [&](int number) { return placements[number]; });
}

std::unique_ptr<RedistributionTrees>
PlanGraph::makeTrees(const ValueType &type,
                     std::optional<int> forbidden) const {
  RedistributionTrees::Options options;
  // Used as pinned: every rank may take a part of what it holds, no more.
  options.localOnly = type.usedAsIs;
  if (forbidden)
    options.forbidden = placements[*forbidden];
  return std::make_unique<RedistributionTrees>(
      redistributor, type.tensor.getShape(), tp::getElementBytes(type.tensor),
      placementsOf(type.candidates), options);
}

PlanProblem
PlanGraph::makeProblem(std::optional<std::pair<int, int>> forbidden) {
  if (types.empty())
    collectTypes();
  // The value with a forbidden copy is a type of its own.
  int forbiddenType = types.size();
  int64_t forbiddenTimes = 1;
  std::shared_ptr<RedistributionTrees> without;
  if (forbidden) {
    const ValueType &type = types[typeNumbers[forbidden->first]];
    forbiddenTimes = type.times;
    without = makeTrees(type, forbidden->second);
  }
  // Trees of too many targets are not exact, and then not composable.
  PlanProblem problem(
      [this, forbiddenType, forbiddenTimes, without](int type, int produced,
                                                     ArrayRef<int> needed) {
        bool isForbidden = type == forbiddenType;
        RedistributionTrees &trees =
            isForbidden ? *without : *types[type].trees;
        // A multiple of composable costs is composable.
        return trees.cost(placements[produced], placementsOf(needed)) *
               (isForbidden ? forbiddenTimes : types[type].times);
      },
      mostTargets <= RedistributionTrees::Options().mostExact
          ? PlanProblem::Moves::Composable
          : PlanProblem::Moves::Arbitrary);
  for (const PlanNode &node : nodes) {
    std::vector<Cost> costs;
    for (const Strategy &strategy : node.strategies)
      costs.push_back(computeCost(node, strategy));
    problem.addNode(std::move(costs));
  }
  for (size_t value = 0; value < producers.size(); ++value) {
    auto [node, result] = producers[value];
    std::vector<int> produced;
    for (const Strategy &strategy : nodes[node].strategies)
      produced.push_back(intern(strategy.results[result]));
    bool isForbidden = forbidden && forbidden->first == int(value);
    problem.addValue(node, isForbidden ? forbiddenType : typeNumbers[value],
                     std::move(produced));
    for (const PlanUse &use : uses[value]) {
      std::vector<int> needed;
      for (const Strategy &strategy : nodes[use.node].strategies)
        needed.push_back(intern(strategy.operands[use.operand]));
      problem.addUse(value, use.node, std::move(needed));
    }
  }
  return problem;
}

int PlanGraph::producedBy(int value, ArrayRef<int> choice) {
  auto [node, result] = producers[value];
  return intern(nodes[node].strategies[choice[node]].results[result]);
}

SmallVector<int> PlanGraph::neededBy(int value, ArrayRef<int> choice) {
  SmallVector<int> needed;
  for (const PlanUse &use : uses[value])
    needed.push_back(intern(
        nodes[use.node].strategies[choice[use.node]].operands[use.operand]));
  llvm::sort(needed);
  needed.erase(llvm::unique(needed), needed.end());
  llvm::erase(needed, producedBy(value, choice));
  return needed;
}

RedistributionTree PlanGraph::treeOf(int value, ArrayRef<int> choice) {
  return types[typeNumbers[value]].trees->tree(
      placements[producedBy(value, choice)],
      placementsOf(neededBy(value, choice)));
}
