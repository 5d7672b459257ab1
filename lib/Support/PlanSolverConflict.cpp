// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which nodes to name when there is no plan.

#include "PlanSolverConflict.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace llvm;

namespace tpc {

char PlanConflict::ID = 0;

void PlanConflict::log(raw_ostream &os) const {
  os << "no plan fits nodes ";
  llvm::interleaveComma(nodes, os);
}

namespace plan {

OpenOptions allOptions(const PlanProblem &problem) {
  OpenOptions open;
  for (const PlanProblem::Node &node : problem.getNodes()) {
    open.emplace_back(node.options.size());
    std::iota(open.back().begin(), open.back().end(), 0);
  }
  return open;
}

namespace {

using Status = Eliminator::Status;

/// Finds few nodes that have no plan together.
class ConflictSearch {
public:
  ConflictSearch(const PlanProblem &problem, MoveStates &states)
      : problem(problem), states(states), all(allOptions(problem)) {}

  /// Begins with nodes near a contradiction.
  std::vector<int> run(std::vector<int> nodes) {
    // What ruled out the last options may lie further off.
    std::vector<int> conflict = within(nodes);
    for (size_t radius = 1; conflict.empty(); radius *= 2) {
      size_t before = nodes.size();
      for (size_t i = 0; i < radius; ++i)
        addNeighbours(nodes);
      if (nodes.size() == before)
        return nodes;
      conflict = within(nodes);
    }
    return shrink(std::move(conflict));
  }

private:
  /// Nodes of `kept` that have no plan together; none when they have one, or
  /// when it is too costly to tell.
  std::vector<int> within(ArrayRef<int> kept) {
    OpenOptions open(problem.numNodes());
    for (int node : kept)
      open[node] = all[node];
    SolverStats stats;
    Eliminator eliminator(problem, states, open, stats);
    Status status = eliminator.prepare();
    if (status == Status::Conflict)
      return kept.vec();
    status = eliminator.solve({1 << 14, 1 << 20});
    return status == Status::Conflict ? eliminator.getConflict().vec()
                                      : std::vector<int>();
  }

  void addNeighbours(std::vector<int> &nodes) {
    std::vector<char> wasIn(problem.numNodes());
    for (int node : nodes)
      wasIn[node] = true;
    std::vector<char> isIn = wasIn;
    for (const PlanProblem::Value &value : problem.getValues()) {
      auto touches = [&](const PlanProblem::Use &use) {
        return bool(wasIn[use.node]);
      };
      if (!wasIn[value.producer] && llvm::none_of(value.uses, touches))
        continue;
      isIn[value.producer] = true;
      for (const PlanProblem::Use &use : value.uses)
        isIn[use.node] = true;
    }
    nodes.clear();
    for (int node = 0; node < problem.numNodes(); ++node)
      if (isIn[node])
        nodes.push_back(node);
  }

  /// Leaves out nodes as long as the rest still has no plan: first by halves,
  /// then one by one.
  std::vector<int> shrink(std::vector<int> nodes) {
    constexpr int maxTries = 400;
    int tries = 0;
    for (size_t chunk = std::max<size_t>(nodes.size() / 2, 1);; chunk /= 2) {
      for (size_t at = 0; at < nodes.size() && tries < maxTries; ++tries) {
        std::vector<int> kept(nodes.begin(), nodes.begin() + at);
        kept.insert(kept.end(),
                    nodes.begin() + std::min(at + chunk, nodes.size()),
                    nodes.end());
        std::vector<int> smaller = within(kept);
        if (smaller.empty()) {
          at += chunk;
          continue;
        }
        // Nodes before `at` stay in front: they are needed, or it was too
        // costly to tell.
        at = llvm::lower_bound(smaller, nodes[at]) - smaller.begin();
        nodes = std::move(smaller);
      }
      if (chunk == 1 || tries >= maxTries)
        return nodes;
    }
  }

  const PlanProblem &problem;
  MoveStates &states;
  OpenOptions all;
};

} // namespace

std::vector<int> findConflict(const PlanProblem &problem, MoveStates &states,
                              std::vector<int> nodes) {
  return ConflictSearch(problem, states).run(std::move(nodes));
}

} // namespace plan

} // namespace tpc
