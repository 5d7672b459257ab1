// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which of several placements of a value is made from which.

#include "tpc/Support/Redistribution.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace llvm;

namespace tpc {

namespace {

/// The cheapest spanning arborescence from the produced value (index 0) over
/// the targets (1, 2, ...). A tree can be built by adding one target at a time,
/// each made from one that is there: the best tree over a set of targets
/// follows from the best trees over the sets with one target less.
class TreeBuilder {
public:
  explicit TreeBuilder(std::vector<std::vector<Cost>> edges)
      : edges(std::move(edges)), count(this->edges.size() - 1),
        parents(count + 1, 0) {}

  Cost exact() {
    struct Best {
      Cost cost = Cost::infinity();
      unsigned last = 0, parent = 0;
    };
    std::vector<Best> best(size_t(1) << count);
    best[0].cost = Cost();
    for (size_t set = 1; set < best.size(); ++set)
      // Of equals the later target is made from the earlier.
      for (unsigned target = count; target >= 1; --target) {
        size_t bit = size_t(1) << (target - 1);
        if (!(set & bit))
          continue;
        unsigned parent = cheapestParent(target, set & ~bit);
        Cost cost = best[set & ~bit].cost + edges[parent][target];
        if (cost < best[set].cost)
          best[set] = {cost, target, parent};
      }
    Cost total = best.back().cost;
    if (!total.isInfinite())
      for (size_t set = best.size() - 1; set;
           set &= ~(size_t(1) << (best[set].last - 1)))
        parents[best[set].last] = best[set].parent;
    return total;
  }

  Cost greedy() {
    Cost total;
    std::vector<bool> made(count + 1, false);
    made[0] = true;
    for (unsigned added = 0; added < count; ++added) {
      unsigned bestTarget = 0, bestParent = 0;
      for (unsigned parent = 0; parent <= count; ++parent)
        for (unsigned target = 1; target <= count; ++target)
          if (made[parent] && !made[target] &&
              (!bestTarget ||
               edges[parent][target] < edges[bestParent][bestTarget])) {
            bestTarget = target;
            bestParent = parent;
          }
      total += edges[bestParent][bestTarget];
      parents[bestTarget] = bestParent;
      made[bestTarget] = true;
    }
    return total;
  }

  unsigned parent(unsigned target) const { return parents[target]; }

private:
  unsigned cheapestParent(unsigned target, size_t made) const {
    unsigned parent = 0;
    for (unsigned other = 1; other <= count; ++other)
      if ((made >> (other - 1) & 1) &&
          edges[other][target] < edges[parent][target])
        parent = other;
    return parent;
  }

  std::vector<std::vector<Cost>> edges;
  unsigned count;
  std::vector<unsigned> parents;
};

} // namespace

RedistributionTree Redistributor::tree(ArrayRef<int64_t> shape,
                                       int64_t elementBytes,
                                       const Placement &from,
                                       ArrayRef<Placement> targets) {
  // Node 0 is the produced value; repeated targets share a node.
  SmallVector<Placement> nodes = {from};
  SmallVector<unsigned> nodeOf;
  SmallVector<int> firstTarget = {-1};
  for (auto [index, target] : enumerate(targets)) {
    auto known = llvm::find(nodes, target);
    nodeOf.push_back(known - nodes.begin());
    if (known == nodes.end()) {
      nodes.push_back(target);
      firstTarget.push_back(int(index));
    }
  }
  std::vector<std::vector<Cost>> edges(nodes.size(),
                                       std::vector<Cost>(nodes.size()));
  for (unsigned i = 0; i < nodes.size(); ++i)
    for (unsigned j = 1; j < nodes.size(); ++j)
      if (i != j)
        edges[i][j] = cost(shape, elementBytes, nodes[i], nodes[j]);

  constexpr unsigned mostExact = 12;
  TreeBuilder builder(std::move(edges));
  RedistributionTree tree;
  tree.cost =
      nodes.size() - 1 <= mostExact ? builder.exact() : builder.greedy();
  for (auto [index, node] : enumerate(nodeOf)) {
    bool repeated = firstTarget[node] != int(index);
    tree.parents.push_back(repeated ? firstTarget[node]
                                    : firstTarget[builder.parent(node)]);
  }
  return tree;
}

} // namespace tpc
