// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How several placements of one value are made from the produced one.
//
// The cheapest directed tree (Steiner tree, by Dreyfus and Wagner) in a fixed
// graph of placements, from the produced one to all that are needed. It may
// pass through placements that nobody needs: [tp: S(0)] wanted partial and as
// [tp: S(1)] is gathered once. Because the graph is the same whatever is asked,
// the costs obey the laws of PlanProblem::Moves::Composable: joined trees are
// trees.
//
// A path between two placements may leave the refusals of Redistribution.h
// behind, where a placement between is one that a program could ask for too.
#ifndef TPC_SUPPORT_REDISTRIBUTIONTREE_H
#define TPC_SUPPORT_REDISTRIBUTIONTREE_H

#include "tpc/Support/Redistribution.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <vector>

namespace tpc {

/// Which placements are made and from what.
struct RedistributionTree {
  Cost cost;
  /// The targets as given, then placements that are made on the way. Empty when
  /// the cost is infinite.
  llvm::SmallVector<Placement> made;
  /// Per made placement: the index of the one it is made from, or -1 for the
  /// produced value, and for targets that are the produced value.
  llvm::SmallVector<int> parents;
};

/// Trees over one set of placements of tensors of one shape. Not thread-safe.
class RedistributionTrees {
public:
  struct Options {
    /// Only steps in which no rank hears from another.
    bool localOnly = false;
    /// A candidate that may be produced but not made.
    std::optional<Placement> forbidden = std::nullopt;
    /// Up to this many distinct targets trees are exact: the work triples with
    /// each. Beyond, the targets are made in groups.
    unsigned mostExact = 14;
  };

  /// `candidates`: all placements that will be asked for. The placements
  /// between two of them on the cheapest path are added. `redistributor` must
  /// live longer.
  RedistributionTrees(Redistributor &redistributor,
                      llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
                      llvm::ArrayRef<Placement> candidates,
                      const Options &options);
  RedistributionTrees(Redistributor &redistributor,
                      llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
                      llvm::ArrayRef<Placement> candidates)
      : RedistributionTrees(redistributor, shape, elementBytes, candidates,
                            Options()) {}

  /// Infinite when some target cannot be made.
  Cost cost(const Placement &from, llvm::ArrayRef<Placement> targets);
  /// Of equally cheap trees one that makes the fewest placements, always the
  /// same.
  RedistributionTree tree(const Placement &from,
                          llvm::ArrayRef<Placement> targets);

private:
  /// Ordered by cost, then by the number of placements made.
  struct Weight {
    Cost cost;
    int made = 0;
    Weight operator+(const Weight &o) const {
      return {cost + o.cost, made + o.made};
    }
    bool operator<(const Weight &o) const {
      return cost == o.cost ? made < o.made : cost < o.cost;
    }
  };
  /// The cheapest tree from one node to a set of targets: a path to `branch`,
  /// and from there a tree for the targets in `part` and one for the others.
  struct Best {
    Weight weight;
    unsigned branch = 0;
    uint32_t part = 0;
  };
  using Set = llvm::SmallVector<unsigned, 6>;
  using Edges = std::vector<std::pair<unsigned, unsigned>>;

  unsigned node(const Placement &placement) const;
  /// Distinct nodes of `targets` without `from`, ascending.
  Set targetSet(unsigned from, llvm::ArrayRef<Placement> targets) const;
  /// Per node the best tree from there.
  const std::vector<Best> &solve(const Set &targets);
  void collect(unsigned from, const Set &targets, Edges &edges);
  /// The node each is made from; nothing when some target cannot be made.
  std::optional<std::map<unsigned, unsigned>> parentsOf(unsigned from,
                                                        const Set &targets);
  void findPaths(Redistributor &redistributor, llvm::ArrayRef<int64_t> shape,
                 int64_t elementBytes, const Options &options);

  unsigned mostExact;
  std::vector<Placement> nodes;
  std::map<Placement, unsigned> numbers;
  /// Cheapest paths, row by row, and the node before the last of each.
  std::vector<Weight> paths;
  std::vector<unsigned> before;
  std::map<Set, std::vector<Best>> solved;
};

} // namespace tpc

#endif // TPC_SUPPORT_REDISTRIBUTIONTREE_H
