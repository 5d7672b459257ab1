// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several placements of one value: the cheapest derivation.

#include "tpc/Support/Redistribution.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"

using namespace tpc;

namespace {

class Tree : public ::testing::Test {
protected:
  RedistributionTree tree(llvm::StringRef from,
                          std::vector<const char *> targets) {
    llvm::SmallVector<Placement> placements;
    for (const char *target : targets)
      placements.push_back(place(target));
    return redistributor.tree(shape, 4, place(from), placements);
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

// Every way to give each target a parent, over all small sets of targets.
TEST_F(Tree, EqualsBruteForce) {
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
      EXPECT_EQ(tree(from, targets).cost, best) << from << " " << set;
    }
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
        "b:S(0),c:S(0)", "a:S(1),b:S(1)", "c:S(1),b:S(1)"}) {
    targets.push_back(place(text));
    star += many.cost({8, 8}, 4, from, targets.back());
  }
  RedistributionTree result = many.tree({8, 8}, 4, from, targets);
  EXPECT_FALSE(star < result.cost);
  for (size_t start = 0; start < targets.size(); ++start) {
    int node = int(start);
    for (size_t hops = 0; node >= 0 && hops <= targets.size(); ++hops)
      node = result.parents[node];
    EXPECT_EQ(node, -1);
  }
}
