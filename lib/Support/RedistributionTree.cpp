// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which of several placements of a value is made from which.

#include "tpc/Support/RedistributionTree.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc {

RedistributionTrees::RedistributionTrees(Redistributor &redistributor,
                                         ArrayRef<int64_t> shape,
                                         int64_t elementBytes,
                                         ArrayRef<Placement> candidates,
                                         const Options &options)
    : mostExact(options.mostExact) {
  auto add = [&](const Placement &placement) {
    if (numbers.try_emplace(placement, nodes.size()).second)
      nodes.push_back(placement);
  };
  for (const Placement &placement : candidates)
    add(placement);
  size_t given = nodes.size();
  for (size_t from = 0; from < given; ++from)
    for (size_t to = 0; to < given; ++to)
      if (const RedistributionPlan *plan =
              redistributor.plan(shape, elementBytes, nodes[from], nodes[to]))
        for (const Step &step : plan->steps)
          add(step.to);
  findPaths(redistributor, shape, elementBytes, options);
}

void RedistributionTrees::findPaths(Redistributor &redistributor,
                                    ArrayRef<int64_t> shape,
                                    int64_t elementBytes,
                                    const Options &options) {
  size_t count = nodes.size();
  paths.assign(count * count, {Cost::infinity(), 0});
  before.assign(count * count, 0);
  for (size_t from = 0; from < count; ++from)
    for (size_t to = 0; to < count; ++to) {
      Weight &weight = paths[from * count + to];
      before[from * count + to] = from;
      if (from == to) {
        weight = {};
        continue;
      }
      const RedistributionPlan *plan =
          redistributor.plan(shape, elementBytes, nodes[from], nodes[to]);
      if (plan && !(options.localOnly && plan->collectives) &&
          !(options.forbidden && nodes[to] == *options.forbidden))
        weight = {plan->cost, 1};
    }
  // Floyd and Warshall.
  for (size_t via = 0; via < count; ++via)
    for (size_t from = 0; from < count; ++from) {
      const Weight first = paths[from * count + via];
      if (first.cost.isInfinite())
        continue;
      for (size_t to = 0; to < count; ++to) {
        const Weight &second = paths[via * count + to];
        if (second.cost.isInfinite())
          continue;
        Weight sum = first + second;
        if (sum < paths[from * count + to]) {
          paths[from * count + to] = sum;
          before[from * count + to] = before[via * count + to];
        }
      }
    }
}

unsigned RedistributionTrees::node(const Placement &placement) const {
  auto found = numbers.find(placement);
  assert(found != numbers.end() && "not a candidate");
  return found->second;
}

RedistributionTrees::Set
RedistributionTrees::targetSet(unsigned from,
                               ArrayRef<Placement> targets) const {
  Set set;
  for (const Placement &target : targets)
    if (unsigned number = node(target); number != from)
      set.push_back(number);
  llvm::sort(set);
  set.erase(llvm::unique(set), set.end());
  return set;
}

/// The members of `set` whose bits are in `part`.
static SmallVector<unsigned, 6> select(ArrayRef<unsigned> set, uint32_t part) {
  SmallVector<unsigned, 6> selected;
  for (auto [index, member] : enumerate(set))
    if (part >> index & 1)
      selected.push_back(member);
  return selected;
}

const std::vector<RedistributionTrees::Best> &
RedistributionTrees::solve(const Set &targets) {
  auto [slot, isNew] = solved.try_emplace(targets);
  std::vector<Best> &best = slot->second;
  if (!isNew)
    return best;
  size_t count = nodes.size();
  best.resize(count);
  if (targets.size() == 1) {
    for (size_t from = 0; from < count; ++from)
      best[from] = {paths[from * count + targets[0]], targets[0], 0};
    return best;
  }
  // What follows where the tree branches, or passes a target and goes on: the
  // part with the first target and the part without, both not empty.
  std::vector<Best> branches(count, {{Cost::infinity(), 0}, 0, 0});
  uint32_t all = (uint32_t(1) << targets.size()) - 1;
  for (uint32_t part = 1; part < all; part += 2) {
    const std::vector<Best> &one = solve(select(targets, part));
    const std::vector<Best> &other = solve(select(targets, all & ~part));
    for (size_t at = 0; at < count; ++at) {
      Weight sum = one[at].weight + other[at].weight;
      if (sum < branches[at].weight)
        branches[at] = {sum, unsigned(at), part};
    }
  }
  for (size_t from = 0; from < count; ++from) {
    best[from] = branches[from];
    for (size_t at = 0; at < count; ++at) {
      Weight sum = paths[from * count + at] + branches[at].weight;
      if (sum < best[from].weight)
        best[from] = {sum, unsigned(at), branches[at].part};
    }
  }
  return best;
}

void RedistributionTrees::collect(unsigned from, const Set &targets,
                                  Edges &edges) {
  Best best = solve(targets)[from];
  for (unsigned at = best.branch; at != from;) {
    unsigned parent = before[from * nodes.size() + at];
    edges.push_back({parent, at});
    at = parent;
  }
  if (targets.size() == 1)
    return;
  uint32_t all = (uint32_t(1) << targets.size()) - 1;
  collect(best.branch, select(targets, best.part), edges);
  collect(best.branch, select(targets, all & ~best.part), edges);
}

std::optional<std::map<unsigned, unsigned>>
RedistributionTrees::parentsOf(unsigned from, const Set &targets) {
  std::map<unsigned, unsigned> parents;
  for (size_t begin = 0; begin < targets.size(); begin += mostExact) {
    Set group(ArrayRef(targets).slice(begin).take_front(mostExact));
    if (solve(group)[from].weight.cost.isInfinite())
      return std::nullopt;
    Edges edges;
    collect(from, group, edges);
    // Within a group no node is made twice: without one of the two edges the
    // tree would make fewer placements for no more.
    for (auto [parent, child] : edges)
      if (child != from)
        parents.try_emplace(child, parent);
  }
  return parents;
}

Cost RedistributionTrees::cost(const Placement &from,
                               ArrayRef<Placement> targets) {
  unsigned root = node(from);
  Set set = targetSet(root, targets);
  if (set.empty())
    return Cost();
  if (set.size() <= mostExact)
    return solve(set)[root].weight.cost;
  return tree(from, targets).cost;
}

RedistributionTree RedistributionTrees::tree(const Placement &from,
                                             ArrayRef<Placement> targets) {
  RedistributionTree tree;
  unsigned root = node(from);
  std::optional<std::map<unsigned, unsigned>> parents =
      parentsOf(root, targetSet(root, targets));
  if (!parents) {
    tree.cost = Cost::infinity();
    return tree;
  }
  // A target given again is made from the first.
  std::map<unsigned, int> indices = {{root, -1}};
  SmallVector<unsigned> order;
  for (const Placement &target : targets) {
    order.push_back(node(target));
    indices.try_emplace(order.back(), int(order.size() - 1));
  }
  for (auto [child, parent] : *parents) {
    tree.cost += paths[parent * nodes.size() + child].cost;
    if (indices.try_emplace(child, int(order.size())).second)
      order.push_back(child);
  }
  for (auto [index, made] : enumerate(order)) {
    tree.made.push_back(nodes[made]);
    int first = indices.at(made);
    tree.parents.push_back(first != int(index) ? first
                                               : indices.at(parents->at(made)));
  }
  return tree;
}

} // namespace tpc
