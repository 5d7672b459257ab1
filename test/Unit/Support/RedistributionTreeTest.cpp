// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several placements of one value: the cheapest derivation.

#include "tpc/Support/RedistributionTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"
#include <random>

using namespace tpc;

namespace {

class Tree : public ::testing::Test {
protected:
  RedistributionTree tree(llvm::StringRef from,
                          std::vector<const char *> targets) {
    llvm::SmallVector<Placement> placements;
    for (const char *target : targets)
      placements.push_back(place(target));
    llvm::SmallVector<Placement> candidates = placements;
    candidates.push_back(place(from));
    RedistributionTrees trees(redistributor, shape, 4, candidates);
    RedistributionTree tree = trees.tree(place(from), placements);
    EXPECT_EQ(tree.cost, trees.cost(place(from), placements));
    return tree;
  }
  Placement place(llvm::StringRef text) {
    return llvm::cantFail(Placement::parse(text, mesh));
  }
  Cost cost(llvm::StringRef from, llvm::StringRef to) {
    return redistributor.cost(shape, 4, place(from), place(to));
  }

  llvm::SmallVector<int64_t> shape = {64, 64};
  Mesh mesh = llvm::cantFail(Mesh::parse("dp=2,tp=4"));
  Redistributor redistributor{mesh, *MachineDescription::preset("h100"),
                              Objective::Bytes};
};

using Parents = llvm::SmallVector<int>;

} // namespace

// Reduced once, whatever the targets.
TEST_F(Tree, PartialIsReducedOnce) {
  // An all-reduce and a slice; a reduce-scatter and an all-gather move the same
  // bytes in two collectives.
  RedistributionTree result = tree("tp:P(sum)", {"tp:S(0)", ""});
  EXPECT_EQ(result.parents, (Parents{1, -1}));
  EXPECT_EQ(result.cost, cost("tp:P(sum)", "") + cost("", "tp:S(0)"));
  EXPECT_EQ(result.cost.values[0], 2 * 3 * 64 * 64);

  result = tree("tp:P(sum)", {"tp:S(1)", "tp:S(0)"});
  EXPECT_EQ(result.cost,
            cost("tp:P(sum)", "tp:S(0)") + cost("tp:S(0)", "tp:S(1)"));
  EXPECT_EQ(result.parents, (Parents{-1, 0}));
}

TEST_F(Tree, ShardsOfAGatheredValueAreSlices) {
  RedistributionTree result = tree("dp:S(0)", {"tp:S(0)", "", "tp:S(1)"});
  EXPECT_EQ(result.parents, (Parents{1, -1, 1}));
}

TEST_F(Tree, RepeatedTargetsAndTheProducedOneAreFree) {
  RedistributionTree result = tree("tp:S(0)", {"", "", "tp:S(0)"});
  EXPECT_EQ(result.parents, (Parents{-1, 0, -1}));
  EXPECT_EQ(result.cost, cost("tp:S(0)", ""));
  EXPECT_EQ(tree("tp:S(0)", {}).cost, Cost());
}

TEST_F(Tree, NoPlanNoTree) {
  EXPECT_TRUE(tree("dp:P(sum)", {"", "dp:P(sum),tp:P(max)"}).cost.isInfinite());
}

// Every way to make the targets from each other, over all small sets of them.
TEST_F(Tree, IsNoDearerThanTreesOverTheTargetsAlone) {
  const char *choices[] = {"",        "tp:S(0)",         "tp:S(1)",
                           "dp:S(0)", "dp:S(0),tp:S(0)", "tp:P(sum)"};
  for (const char *from : {"tp:P(sum),dp:P(sum)", "dp:S(0),tp:P(sum)", ""})
    for (unsigned set = 1; set < 64; ++set) {
      std::vector<const char *> targets;
      for (unsigned bit = 0; bit < 6; ++bit)
        if (set >> bit & 1)
          targets.push_back(choices[bit]);
      if (targets.size() > 4)
        continue;
      size_t count = targets.size(), ways = 1;
      for (size_t i = 0; i < count; ++i)
        ways *= count + 1;
      Cost best = Cost::infinity();
      for (size_t way = 0; way < ways; ++way) {
        Cost total;
        std::vector<size_t> parents(count);
        size_t rest = way;
        for (size_t i = 0; i < count; ++i, rest /= count + 1) {
          parents[i] = rest % (count + 1); // count: the produced value
          total += cost(parents[i] == count ? from : targets[parents[i]],
                        targets[i]);
        }
        bool rooted = llvm::all_of(llvm::seq<size_t>(count), [&](size_t node) {
          for (size_t hops = 0; hops <= count && node != count; ++hops)
            node = parents[node];
          return node == count;
        });
        if (rooted && total < best)
          best = total;
      }
      EXPECT_FALSE(best < tree(from, targets).cost) << from << " " << set;
    }
}

// Two placements are cheaper by way of one that nobody needs.
TEST_F(Tree, PassesThroughWhatNobodyNeeds) {
  RedistributionTree result = tree("tp:S(0)", {"tp:P(sum)", "tp:S(1),dp:S(0)"});
  ASSERT_EQ(result.made.size(), 3u);
  EXPECT_EQ(result.made[2], place(""));
  EXPECT_EQ(result.parents, (Parents{2, 2, -1}));
  EXPECT_EQ(result.cost, cost("tp:S(0)", "") + cost("", "tp:P(sum)") +
                             cost("", "tp:S(1),dp:S(0)"));
}

TEST_F(Tree, LocalStepsOnly) {
  llvm::SmallVector<Placement> candidates = {place(""), place("tp:S(0)"),
                                             place("tp:S(0),dp:S(1)")};
  RedistributionTrees::Options options;
  options.localOnly = true;
  RedistributionTrees trees(redistributor, shape, 4, candidates, options);
  RedistributionTree result = trees.tree(candidates[0], candidates);
  EXPECT_EQ(result.parents[0], -1);
  EXPECT_EQ(result.cost.values[0], 0);
  EXPECT_TRUE(trees.cost(candidates[1], candidates[0]).isInfinite());
  EXPECT_TRUE(trees.tree(candidates[1], candidates).cost.isInfinite());
}

TEST_F(Tree, ForbiddenIsNotMade) {
  llvm::SmallVector<Placement> candidates = {place(""), place("tp:S(0)"),
                                             place("tp:S(1),dp:S(0)")};
  RedistributionTrees::Options options;
  options.forbidden = candidates[0];
  RedistributionTrees trees(redistributor, shape, 4, candidates, options);
  EXPECT_TRUE(trees.cost(candidates[1], candidates[0]).isInfinite());
  EXPECT_FALSE(trees.cost(candidates[0], candidates[1]).isInfinite());
  EXPECT_EQ(trees.cost(candidates[1], candidates[2]),
            cost("tp:S(0)", "tp:S(1),dp:S(0)"));
}

// More targets than are solved exactly: still a tree, no worse than a star.
TEST_F(Tree, ManyTargets) {
  mesh = llvm::cantFail(Mesh::parse("a=2,b=2,c=2"));
  Redistributor many(mesh, *MachineDescription::preset("h100"),
                     Objective::Bytes);
  llvm::SmallVector<Placement> targets;
  Cost star;
  Placement from = place("a:P(sum)");
  for (const char *text :
       {"", "a:S(0)", "a:S(1)", "b:S(0)", "b:S(1)", "c:S(0)", "c:S(1)",
        "a:S(0),b:S(0)", "b:S(0),a:S(0)", "a:S(0),c:S(0)", "a:S(0),b:S(1)",
        "b:S(0),c:S(0)", "a:S(1),b:S(1)", "c:S(1),b:S(1)", "c:S(1),a:S(0)"}) {
    targets.push_back(place(text));
    star += many.cost({8, 8}, 4, from, targets.back());
  }
  llvm::SmallVector<Placement> candidates = targets;
  candidates.push_back(from);
  RedistributionTrees::Options options;
  options.mostExact = 4;
  RedistributionTrees trees(many, {8, 8}, 4, candidates, options);
  RedistributionTree result = trees.tree(from, targets);
  EXPECT_EQ(result.cost, trees.cost(from, targets));
  EXPECT_FALSE(star < result.cost);
  Cost sum;
  for (size_t start = 0; start < result.made.size(); ++start) {
    int parent = result.parents[start], node = int(start);
    sum += many.cost({8, 8}, 4, parent < 0 ? from : result.made[parent],
                     result.made[start]);
    for (size_t hops = 0; node >= 0 && hops <= result.made.size(); ++hops)
      node = result.parents[node];
    EXPECT_EQ(node, -1);
  }
  EXPECT_EQ(sum, result.cost);
}

namespace {

/// All placements of a matrix over two axes.
class Matrix : public ::testing::TestWithParam<
                   std::tuple<const char *, Objective, const char *>> {
protected:
  Matrix()
      : mesh(llvm::cantFail(Mesh::parse(std::get<0>(GetParam())))),
        redistributor(mesh,
                      *MachineDescription::preset(std::get<2>(GetParam())),
                      std::get<1>(GetParam())) {
    const char *first[] = {"", "a:S(0)", "a:S(1)", "a:P(sum)"};
    const char *second[] = {"", "b:S(0)", "b:S(1)", "b:P(sum)"};
    auto add = [&](std::string text) {
      all.push_back(llvm::cantFail(Placement::parse(text, mesh)));
    };
    for (std::string a : first)
      for (std::string b : second)
        add(a + (a.empty() || b.empty() ? "" : ",") + b);
    add("b:S(0),a:S(0)");
    add("b:S(1),a:S(1)");
  }
  llvm::SmallVector<Placement> select(unsigned set) const {
    llvm::SmallVector<Placement> selected;
    for (auto [index, placement] : llvm::enumerate(all))
      if (set >> index & 1)
        selected.push_back(placement);
    return selected;
  }

  llvm::SmallVector<int64_t> shape = {12, 24};
  Mesh mesh;
  Redistributor redistributor;
  llvm::SmallVector<Placement> all;
};

} // namespace

// The laws of PlanProblem::Moves::Composable, for all produced placements and
// further targets, and random sets of targets.
TEST_P(Matrix, TreesAreComposable) {
  std::optional<Placement> none;
  for (auto [localOnly, forbidden] :
       {std::pair(false, none), std::pair(true, none),
        std::pair(false, std::optional(all[0])),
        std::pair(false, std::optional(all[5]))}) {
    RedistributionTrees::Options options;
    options.localOnly = localOnly;
    options.forbidden = forbidden;
    RedistributionTrees trees(redistributor, shape, 4, all, options);
    auto cost = [&](const Placement &from, unsigned set) {
      return trees.cost(from, select(set));
    };
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
      unsigned set = 0;
      for (int size = round % 5; size > 0; --size)
        set |= 1u << random() % all.size();
      for (unsigned p = 0; p < all.size(); ++p) {
        Cost base = cost(all[p], set);
        for (unsigned q = 0; q < all.size(); ++q) {
          Cost more = cost(all[p], set | 1u << q);
          ASSERT_FALSE(more < base);
          for (unsigned a = 0; a < all.size(); ++a)
            if (a == p || set >> a & 1) {
              ASSERT_FALSE(base + cost(all[a], 1u << q) < more)
                  << p << " " << set << " " << a << " " << q;
            }
          ASSERT_FALSE(cost(all[p], 1u << q) + cost(all[q], set) < base)
              << p << " " << set << " " << q;
        }
        // The tree is what it says.
        llvm::SmallVector<Placement> targets = select(set);
        RedistributionTree tree = trees.tree(all[p], targets);
        ASSERT_EQ(tree.cost, base);
        Cost sum;
        for (size_t index = 0; index < tree.made.size(); ++index) {
          int parent = tree.parents[index];
          const Placement &from = parent < 0 ? all[p] : tree.made[parent];
          sum += redistributor.cost(shape, 4, from, tree.made[index]);
          if (index < targets.size()) {
            ASSERT_EQ(tree.made[index], targets[index]);
          }
        }
        ASSERT_TRUE(base.isInfinite() || sum == base);
      }
    }
  }
}

// All trees over all sets of placements, grown one placement at a time.
TEST_P(Matrix, EqualsTryingAll) {
  RedistributionTrees trees(redistributor, shape, 4, all);
  for (unsigned root : {15u, 1u}) {
    std::vector<unsigned> others;
    for (unsigned node = 0; node < all.size(); ++node)
      if (node != root)
        others.push_back(node);
    std::vector<std::vector<Cost>> edges(all.size(),
                                         std::vector<Cost>(all.size()));
    for (unsigned from = 0; from < all.size(); ++from)
      for (unsigned to = 0; to < all.size(); ++to)
        edges[from][to] = redistributor.cost(shape, 4, all[from], all[to]);
    std::vector<Cost> best(size_t(1) << others.size(), Cost::infinity());
    best[0] = Cost();
    for (size_t set = 0; set < best.size(); ++set)
      for (size_t next = 0; next < others.size(); ++next) {
        if (set >> next & 1)
          continue;
        Cost edge = edges[root][others[next]];
        for (size_t made = 0; made < others.size(); ++made)
          if (set >> made & 1)
            edge = std::min(edge, edges[others[made]][others[next]]);
        Cost &larger = best[set | size_t(1) << next];
        larger = std::min(larger, best[set] + edge);
      }
    // More may be made than needed.
    for (size_t set = best.size(); set-- > 0;)
      for (size_t next = 0; next < others.size(); ++next)
        best[set] = std::min(best[set], best[set | size_t(1) << next]);
    for (size_t set = 0; set < best.size(); ++set) {
      if (llvm::popcount(set) > 4)
        continue;
      llvm::SmallVector<Placement> targets;
      for (size_t next = 0; next < others.size(); ++next)
        if (set >> next & 1)
          targets.push_back(all[others[next]]);
      ASSERT_EQ(trees.cost(all[root], targets), best[set])
          << root << " " << set;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Trees, Matrix,
    ::testing::Combine(::testing::Values("a=2,b=2", "a=2,b=3"),
                       ::testing::Values(Objective::Time, Objective::Bytes,
                                         Objective::Count),
                       ::testing::Values("h100", "cpu")));
