// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what a plan costs, and when a plan problem is well formed.

#include "tpc/Support/PlanProblem.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc {

int PlanProblem::addNode(std::vector<Cost> options) {
  nodes.push_back({std::move(options)});
  return nodes.size() - 1;
}

int PlanProblem::addValue(int producer, int type, std::vector<int> produced) {
  values.push_back({producer, type, std::move(produced), {}});
  return values.size() - 1;
}

void PlanProblem::addUse(int value, int node, std::vector<int> needed) {
  assert(value >= 0 && value < int(values.size()) && "no such value");
  values[value].uses.push_back({node, std::move(needed)});
}

Cost PlanProblem::moveCost(int type, int produced, ArrayRef<int> needed) const {
  SmallVector<int> targets;
  for (int target : needed)
    if (target != produced)
      targets.push_back(target);
  llvm::sort(targets);
  targets.erase(llvm::unique(targets), targets.end());
  return targets.empty() ? Cost() : treeCost(type, produced, targets);
}

std::vector<std::vector<int>> PlanProblem::independentParts() const {
  IntEqClasses classes(numNodes());
  for (const Value &value : values)
    for (const Use &use : value.uses)
      classes.join(value.producer, use.node);
  classes.compress();
  std::vector<std::vector<int>> parts(classes.getNumClasses());
  for (int node = 0; node < numNodes(); ++node)
    parts[classes[node]].push_back(node);
  return parts;
}

PlanProblem PlanProblem::part(ArrayRef<int> part) const {
  PlanProblem result(treeCost, moves);
  std::vector<int> numbers(numNodes(), -1);
  for (int node : part)
    numbers[node] = result.addNode(nodes[node].options);
  for (const Value &value : values) {
    if (numbers[value.producer] < 0)
      continue;
    int number =
        result.addValue(numbers[value.producer], value.type, value.produced);
    for (const Use &use : value.uses)
      result.addUse(number, numbers[use.node], use.needed);
  }
  return result;
}

Error PlanProblem::check() const {
  auto isNode = [&](int node) { return node >= 0 && node < numNodes(); };
  for (auto [index, node] : enumerate(nodes)) {
    if (node.options.empty())
      return createStringError("expected node " + Twine(index) +
                               " to have an option");
    for (const Cost &cost : node.options)
      for (int64_t part : cost.values)
        if (part < 0)
          return createStringError("expected no negative cost, got " +
                                   Twine(part) + " on node " + Twine(index));
  }
  for (auto [index, value] : enumerate(values)) {
    if (!isNode(value.producer))
      return createStringError("expected the producer of value " +
                               Twine(index) + " to be a node below " +
                               Twine(numNodes()) + ", got " +
                               Twine(value.producer));
    size_t count = nodes[value.producer].options.size();
    if (value.produced.size() != count)
      return createStringError(
          "expected " + Twine(count) + " placements of value " + Twine(index) +
          ", one per option of node " + Twine(value.producer) + ", got " +
          Twine(value.produced.size()));
    for (const Use &use : value.uses) {
      if (!isNode(use.node))
        return createStringError("expected a use of value " + Twine(index) +
                                 " to be by a node below " + Twine(numNodes()) +
                                 ", got " + Twine(use.node));
      if (use.node == value.producer)
        return createStringError("expected value " + Twine(index) +
                                 " not to be used by node " + Twine(use.node) +
                                 ", which makes it");
      count = nodes[use.node].options.size();
      if (use.needed.size() != count)
        return createStringError(
            "expected " + Twine(count) + " placements for the use of value " +
            Twine(index) + ", one per option of node " + Twine(use.node) +
            ", got " + Twine(use.needed.size()));
    }
  }
  return Error::success();
}

Cost evaluate(const PlanProblem &problem, ArrayRef<int> choice) {
  assert(int(choice.size()) == problem.numNodes() && "one option per node");
  Cost total;
  for (auto [node, option] : zip_equal(problem.getNodes(), choice))
    total += node.options[option];
  for (const PlanProblem::Value &value : problem.getValues()) {
    SmallVector<int> needed;
    for (const PlanProblem::Use &use : value.uses)
      needed.push_back(use.needed[choice[use.node]]);
    total += problem.moveCost(value.type,
                              value.produced[choice[value.producer]], needed);
  }
  return total;
}

} // namespace tpc
