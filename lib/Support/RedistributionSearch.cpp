// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides the cheapest sequence of steps: A* over placements.
//
// The bound that guides the search is the lower bound of bytes that are still
// to be received. It makes the search exact and small: a path that receives
// more than the single send_recv does is dropped as soon as that shows. Ties
// end in fewer steps, then in the order in which placements compare.

#include "RedistributionSearch.h"
#include <queue>

using namespace llvm;

namespace tpc {

namespace {

class Search {
  using Edge = RedistributionGraph::Edge;

public:
  Search(RedistributionGraph &graph, const Mesh &mesh,
         const MachineDescription &machine, Objective objective,
         int64_t bytesPerElement, const Placement &from, const Placement &to)
      : graph(graph), mesh(mesh), machine(machine), objective(objective),
        bytesPerElement(bytesPerElement), from(graph.node(from)),
        to(graph.node(to)), uniform(machine.isUniform(mesh)),
        fastest(fastestLink()), tensorBytes(bytesPerElement) {
    for (int64_t length : graph.tensorShape())
      tensorBytes *= length;
    // How often the target repeats each element among the ranks.
    copies = graph.ranks();
    for (const Placement::Entry &entry : to.entries())
      copies /= mesh.size(entry.axis);
  }

  SmallVector<Step, 2> run() {
    if (from == to)
      return {};
    if (const Edge *direct = graph.edge(from, to))
      if (isObviouslyCheapest(*direct))
        return {graph.step(from, to)};

    reach(from, {{}, 0, from, remaining(from), false});
    while (true) {
      assert(!queue.empty() && "an all_reduce and a send_recv lead everywhere");
      QueueEntry next = queue.top();
      queue.pop();
      Label &label = labels[indices.at(next.node)];
      if (label.done || next.bound != label.bound() ||
          next.steps != label.steps)
        continue;
      if (next.node == to)
        return path();
      label.done = true;
      expand(next.node, label.cost, label.steps);
    }
  }

private:
  struct Label {
    Cost cost;
    unsigned steps;
    unsigned parent;
    /// At least this much from here to the target.
    Cost remaining;
    bool done;
    Cost bound() const { return cost + remaining; }
  };

  struct QueueEntry {
    Cost bound;
    unsigned steps;
    unsigned node;
    const Placement *placement;
    /// For a queue with its smallest entry on top. Node numbers depend on what
    /// was asked before and must not decide.
    bool operator<(const QueueEntry &o) const {
      if (bound != o.bound)
        return o.bound < bound;
      if (steps != o.steps)
        return o.steps < steps;
      return *o.placement < *placement;
    }
  };

  MachineDescription::Link fastestLink() const {
    MachineDescription::Link fastest = machine.defaultLink;
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
      MachineDescription::Link link = machine.link(mesh, {axis});
      if (axis == 0)
        fastest = link;
      fastest.latency = std::min(fastest.latency, link.latency);
      fastest.bandwidth = std::max(fastest.bandwidth, link.bandwidth);
    }
    return fastest;
  }

  /// A single step that receives no more than the lower bound cannot be beaten
  /// unless links differ or a send_recv has many peers.
  bool isObviouslyCheapest(const Edge &edge) {
    if (edge.kind == StepKind::Slice)
      return true;
    if (edge.kind == StepKind::SendRecv || (edge.fused && !uniform))
      return false;
    return edge.wireBytes(bytesPerElement) <= remainingBytes(from);
  }

  /// See lowerBoundBytes.
  int64_t remainingBytes(unsigned node) {
    int64_t lacking = graph.lacking(node, to) * bytesPerElement;
    int64_t contributions = graph.contributions(node);
    if (contributions == 1)
      return lacking;
    return std::max(lacking, reductionBoundBytes(contributions, copies,
                                                 graph.ranks(), tensorBytes));
  }

  Cost remaining(unsigned node) {
    int64_t bytes = remainingBytes(node);
    if (bytes == 0)
      return {};
    // A hair less, so that rounding to picoseconds cannot exceed the path.
    double seconds =
        machine.transferSeconds(fastest, 1, bytes) * (1 - 1e-9) - 1e-11;
    return makeCost(objective, std::max(0.0, seconds), bytes, 1);
  }

  Cost cost(const Edge &edge) const {
    if (!edge.collective)
      return makeCost(
          objective, machine.localSeconds(edge.memory * bytesPerElement), 0, 0);
    int64_t wire = edge.wireBytes(bytesPerElement);
    return makeCost(objective,
                    machine.transferSeconds(edge.link, edge.starts, wire), wire,
                    1);
  }

  void expand(unsigned node, Cost soFar, unsigned steps) {
    for (const Edge &edge : graph.edges(node))
      follow(node, soFar, steps, edge);
    for (unsigned target : sendRecvTargets(node))
      if (const Edge *edge = graph.edge(node, target))
        follow(node, soFar, steps, *edge);
  }

  /// Where a send_recv from `node` may lead: to where the target wants all
  /// shards, as far as axes are not partial; or to a placement from which an
  /// all-gather or an all-to-all leads there, which is cheaper where links
  /// differ.
  ArrayRef<unsigned> sendRecvTargets(unsigned node) {
    const Placement &state = graph.placement(node);
    Placement sorted = graph.placement(to);
    for (unsigned axis : state.partialAxes())
      sorted = sorted.with(*state.find(axis));
    unsigned number = graph.node(sorted);
    auto [slot, isNew] = sendRecvs.try_emplace(number);
    if (isNew) {
      slot->second.push_back(number);
      // Both undo steps that lead out of the placement.
      for (const Edge &edge : graph.edges(number))
        if (edge.kind == StepKind::Slice || edge.kind == StepKind::AllToAll)
          slot->second.push_back(edge.target);
    }
    return slot->second;
  }

  void follow(unsigned node, Cost soFar, unsigned steps, const Edge &edge) {
    Cost total = soFar + cost(edge);
    auto known = indices.find(edge.target);
    Cost rest = known == indices.end() ? remaining(edge.target)
                                       : labels[known->second].remaining;
    // Never worth more than what is known to reach the target.
    auto target = indices.find(to);
    if (target != indices.end() && labels[target->second].cost < total + rest)
      return;
    reach(edge.target, {total, steps + 1, node, rest, false});
  }

  void reach(unsigned node, Label label) {
    auto [slot, isNew] = indices.try_emplace(node, labels.size());
    if (isNew) {
      labels.push_back(label);
    } else {
      Label &old = labels[slot->second];
      if (std::tie(old.cost.values, old.steps) <=
          std::tie(label.cost.values, label.steps))
        return;
      old = label;
    }
    queue.push({label.bound(), label.steps, node, &graph.placement(node)});
  }

  SmallVector<Step, 2> path() const {
    SmallVector<Step, 2> steps;
    for (unsigned node = to; node != from;) {
      unsigned parent = labels[indices.at(node)].parent;
      steps.push_back(graph.step(parent, node));
      node = parent;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  RedistributionGraph &graph;
  const Mesh &mesh;
  const MachineDescription &machine;
  Objective objective;
  int64_t bytesPerElement;
  unsigned from, to;
  bool uniform;
  MachineDescription::Link fastest;
  int64_t tensorBytes, copies;
  DenseMap<unsigned, unsigned> indices; // node -> label
  std::vector<Label> labels;
  DenseMap<unsigned, SmallVector<unsigned>> sendRecvs;
  std::priority_queue<QueueEntry> queue;
};

} // namespace

SmallVector<Step, 2> cheapestSteps(RedistributionGraph &graph, const Mesh &mesh,
                                   const MachineDescription &machine,
                                   Objective objective, int64_t bytesPerElement,
                                   const Placement &from, const Placement &to) {
  return Search(graph, mesh, machine, objective, bytesPerElement, from, to)
      .run();
}

} // namespace tpc
