// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Redistributions are correct on data, cheapest, and at the lower bound.

#include "tpc/Support/Redistribution.h"
#include "Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tpc;
using namespace tpc::test;

static Mesh mesh(llvm::StringRef text) {
  return llvm::cantFail(Mesh::parse(text));
}
static Placement place(llvm::StringRef text, const Mesh &mesh) {
  return llvm::cantFail(Placement::parse(text, mesh));
}
static const Objective objectives[] = {Objective::Time, Objective::Bytes,
                                       Objective::Count};

/// `all_to_all tp; all_gather dp`.
static std::string text(const RedistributionPlan &plan, const Mesh &mesh) {
  std::string result;
  for (const Step &step : plan.steps) {
    result += (result.empty() ? "" : "; ") + stringify(step.kind).str();
    for (unsigned axis : step.axes)
      result += " " + mesh.name(axis).str();
  }
  return result;
}

namespace {

struct Row {
  const char *from, *to;
  int64_t bound;
  const char *steps;
};

} // namespace

// Reshards measured on other systems (dp=2, tp=4, 64x64 elements): the bound,
// and the steps that reach it.
TEST(Redistribution, ReshardTableIsAtTheLowerBound) {
  Mesh m = mesh("dp=2,tp=4");
  const Row rows[] = {
      {"dp:S(0)", "tp:S(0)", 1024, "send_recv dp tp"},
      {"dp:S(0),tp:S(0)", "tp:S(0)", 1024, "send_recv dp tp"},
      {"dp:S(0),tp:S(1)", "tp:S(0),dp:S(1)", 512, "send_recv dp tp"},
      {"dp:S(0),tp:S(0)", "", 3584, "all_gather dp tp"},
      {"dp:S(0),tp:S(0)", "dp:S(1),tp:S(1)", 448, "all_to_all dp tp"},
      {"tp:S(0),dp:S(0)", "dp:S(0),tp:S(0)", 512, "permute dp tp"},
      {"tp:S(0)", "tp:S(1)", 768, "all_to_all tp"},
      {"dp:S(0),tp:S(0)", "dp:S(0)", 1536, "all_gather tp"},
      {"dp:S(0),tp:S(0)", "tp:S(1)", 896, "all_to_all tp; all_gather dp"},
      {"dp:S(0),tp:S(1)", "dp:S(0),tp:S(0)", 384, "all_to_all tp"},
  };
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Bytes);
  for (const Row &row : rows) {
    const RedistributionPlan *plan =
        redistributor.plan({64, 64}, 1, place(row.from, m), place(row.to, m));
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->lowerBoundBytes, row.bound) << row.from << " " << row.to;
    EXPECT_EQ(plan->wireBytes, row.bound) << row.from << " " << row.to;
    EXPECT_EQ(text(*plan, m), row.steps) << row.from << " " << row.to;
  }
}

class AllPairs : public ::testing::TestWithParam<const char *> {};

// The plan run on data gives the target, and its numbers are those of its
// steps.
TEST_P(AllPairs, PlansAreCorrectOnData) {
  Mesh m = mesh(GetParam());
  for (Objective objective : objectives)
    for (llvm::SmallVector<int64_t> shape :
         {llvm::SmallVector<int64_t>{4, 6}, {5, 3}}) {
      Redistributor redistributor(m, *MachineDescription::preset("cpu"),
                                  objective);
      std::vector<Placement> all = allPlacements(m, 2, true);
      for (const Placement &from : all)
        for (const Placement &to : all) {
          const RedistributionPlan *plan =
              redistributor.plan(shape, 4, from, to);
          ASSERT_TRUE(plan) << from.str(m) << " -> " << to.str(m);
          Simulator simulator(m, shape, from);
          for (const Step &step : plan->steps)
            ASSERT_EQ(simulator.apply(step), "") << step.str(m);
          ASSERT_TRUE(plan->steps.empty() ? from == to
                                          : plan->steps.back().to == to);
          EXPECT_GE(plan->wireBytes, plan->lowerBoundBytes)
              << from.str(m) << " -> " << to.str(m) << ": " << text(*plan, m);
          EXPECT_EQ(plan, redistributor.plan(shape, 4, from, to));
        }
    }
}

/// The cheapest cost from `from` to all placements, by relaxing all single
/// steps between all placements until nothing changes. On the axes of `fixed`
/// the state stays.
static std::vector<Cost> bruteForce(const Redistributor &redistributor,
                                    llvm::ArrayRef<int64_t> shape,
                                    const std::vector<Placement> &all,
                                    size_t from, uint64_t fixed) {
  const Mesh &m = redistributor.mesh();
  std::vector<size_t> visited;
  for (size_t state = 0; state < all.size(); ++state) {
    bool stays = true;
    for (unsigned axis = 0; axis < m.numAxes(); ++axis)
      if (fixed >> axis & 1)
        stays &= all[state].isPartial(axis) == all[from].isPartial(axis) &&
                 all[state].isReplicated(axis) == all[from].isReplicated(axis);
    if (stays)
      visited.push_back(state);
  }
  std::vector<std::tuple<size_t, size_t, Cost>> edges;
  for (size_t i : visited)
    for (size_t j : visited)
      if (std::optional<Step> step = classifyStep(m, shape, all[i], all[j]))
        if (step->kind != StepKind::ToPartial)
          edges.push_back(
              {i, j,
               stepCost(redistributor.machine(), redistributor.objective(), m,
                        shape, 4, *step)});
  std::vector<Cost> best(all.size(), Cost::infinity());
  best[from] = Cost();
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[i, j, cost] : edges)
      if (best[i] + cost < best[j]) {
        best[j] = best[i] + cost;
        changed = true;
      }
  }
  return best;
}

/// How many plans from one placement cost more than brute force finds, where
/// axes replicated or partial at both ends stay so, and partial targets are
/// made last. None may cost less.
static size_t countDearer(Redistributor &redistributor,
                          llvm::ArrayRef<int64_t> shape,
                          const std::vector<Placement> &all, size_t from) {
  size_t dearer = 0;
  const Mesh &m = redistributor.mesh();
  std::map<uint64_t, std::vector<Cost>> byFixed;
  for (const Placement &to : all) {
    uint64_t fixed = 0;
    Placement whole = to;
    for (unsigned axis = 0; axis < m.numAxes(); ++axis) {
      if (to.isPartial(axis) && !all[from].isPartial(axis))
        whole = whole.withReplicated(axis);
      if ((all[from].isReplicated(axis) && whole.isReplicated(axis)) ||
          (all[from].isPartial(axis) && whole.isPartial(axis)))
        fixed |= uint64_t(1) << axis;
    }
    std::vector<Cost> &best = byFixed[fixed];
    if (best.empty())
      best = bruteForce(redistributor, shape, all, from, fixed);
    Cost expected = best[llvm::find(all, whole) - all.begin()];
    if (whole != to)
      expected += stepCost(redistributor.machine(), redistributor.objective(),
                           m, shape, 4, *classifyStep(m, shape, whole, to));
    const RedistributionPlan *plan =
        redistributor.plan(shape, 4, all[from], to);
    dearer += expected < plan->cost;
    EXPECT_FALSE(plan->cost < expected)
        << stringify(redistributor.objective()).str() << " " << shape[0] << "x"
        << shape[1] << " " << all[from].str(m) << " -> " << to.str(m) << ": "
        << text(*plan, m);
  }
  return dearer;
}

static void expectCheapest(Redistributor &redistributor,
                           llvm::ArrayRef<int64_t> shape,
                           const std::vector<Placement> &all) {
  for (size_t from = 0; from < all.size(); ++from)
    EXPECT_EQ(countDearer(redistributor, shape, all, from), 0u)
        << stringify(redistributor.objective()).str() << " " << shape[0] << "x"
        << shape[1] << " from " << all[from].str(redistributor.mesh());
}

TEST_P(AllPairs, CostsEqualBruteForce) {
  Mesh m = mesh(GetParam());
  MachineDescription uniform = *MachineDescription::preset("h100");
  MachineDescription mixed = uniform;
  mixed.axisLinks["b"] = {5e-5, 2e10};
  std::vector<Placement> all = allPlacements(m, 2, true);
  for (const MachineDescription &machine : {uniform, mixed})
    for (Objective objective : objectives)
      for (llvm::SmallVector<int64_t> shape :
           {llvm::SmallVector<int64_t>{1200, 600}, {12, 6}, {7, 5}}) {
        Redistributor redistributor(m, machine, objective);
        expectCheapest(redistributor, shape, all);
      }
}

INSTANTIATE_TEST_SUITE_P(Meshes, AllPairs,
                         ::testing::Values("a=2", "a=3", "a=4", "a=2,b=2",
                                           "a=2,b=3"));

TEST(Redistribution, CostsEqualBruteForceOnThreeAxes) {
  Mesh m = mesh("a=2,b=2,c=2");
  MachineDescription mixed = *MachineDescription::preset("h100");
  mixed.axisLinks["b"] = {5e-5, 2e10};
  std::vector<Placement> all = allPlacements(m, 1, true);
  for (Objective objective : objectives)
    for (llvm::SmallVector<int64_t> shape :
         {llvm::SmallVector<int64_t>{1 << 20, 1}, {24, 1}}) {
      Redistributor redistributor(m, mixed, objective);
      expectCheapest(redistributor, shape, all);
    }
}

// A sample: there are 25000 pairs of placements of a matrix. Not searched is a
// send_recv that leads two steps or more before the target, which in few cases
// with slow links or tiny dims would be cheaper.
TEST(Redistribution, CostsOfMatricesEqualBruteForceOnThreeAxes) {
  Mesh m = mesh("a=2,b=3,c=2");
  MachineDescription mixed = *MachineDescription::preset("h100");
  mixed.axisLinks["b"] = {5e-5, 2e10};
  std::vector<Placement> all = allPlacements(m, 2, true);
  size_t from = 0, plans = 0, dearer = 0;
  for (const MachineDescription &machine :
       {*MachineDescription::preset("h100"), mixed})
    for (Objective objective : objectives)
      for (llvm::SmallVector<int64_t> shape :
           {llvm::SmallVector<int64_t>{12000, 6000}, {7, 50}}) {
        Redistributor redistributor(m, machine, objective);
        for (int i = 0; i < 2; ++i) {
          from = (from + 41) % all.size();
          plans += all.size();
          dearer += countDearer(redistributor, shape, all, from);
        }
      }
  EXPECT_LE(dearer * 100, plans);
}

// What is remembered of one change or shape must not show in another.
TEST(Redistribution, PlansDoNotDependOnWhatWasAskedBefore) {
  Mesh m = mesh("dp=2,tp=4");
  MachineDescription machine = *MachineDescription::preset("h100");
  std::vector<Placement> all = allPlacements(m, 2, true);
  Redistributor used(m, machine, Objective::Time);
  for (int64_t length : {8, 24, 4096})
    for (auto from = all.rbegin(); from != all.rend(); ++from)
      for (const Placement &to : all)
        used.plan({length, 64}, 4, *from, to);
  for (const Placement &from : all)
    for (const Placement &to : all) {
      Redistributor fresh(m, machine, Objective::Time);
      const RedistributionPlan *a = used.plan({4096, 64}, 4, from, to);
      const RedistributionPlan *b = fresh.plan({4096, 64}, 4, from, to);
      EXPECT_EQ(a->steps, b->steps) << text(*a, m) << " or " << text(*b, m);
      EXPECT_EQ(a->cost, b->cost);
    }
}

TEST(Redistribution, AxesThatTakeNoPartDoNotMatter) {
  Mesh small = mesh("dp=2,tp=4"), large = mesh("dp=2,tp=4,x=2,y=2");
  MachineDescription machine = *MachineDescription::preset("h100");
  Redistributor a(small, machine, Objective::Bytes);
  Redistributor b(large, machine, Objective::Bytes);
  std::vector<Placement> all = allPlacements(small, 2, true);
  for (const Placement &from : all)
    for (const Placement &to : all) {
      using Entry = Placement::Entry;
      Entry kept = Entry::partial(3, Reduction::Sum);
      const RedistributionPlan *plan = a.plan({64, 64}, 4, from, to);
      const RedistributionPlan *same =
          b.plan({64, 64}, 4, from.with(kept), to.with(kept));
      EXPECT_EQ(text(*plan, small), text(*same, large));
      EXPECT_EQ(plan->cost, same->cost);
      EXPECT_EQ(plan->lowerBoundBytes, same->lowerBoundBytes);
    }
}

TEST(Redistribution, ManyAxes) {
  Mesh m = mesh("a=2,b=2,c=2,d=2,e=2,f=2");
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Bytes);
  const std::pair<const char *, const char *> changes[] = {
      {"a:S(0),b:S(0),c:S(0),d:S(1),e:S(1),f:S(1)", ""},
      {"a:S(0),b:S(0),c:S(0),d:S(1),e:S(1),f:S(1)",
       "f:S(0),e:S(0),d:S(0),c:S(1),b:S(1),a:S(1)"},
      {"a:P(sum),b:P(sum),c:S(0),d:S(1),e:S(1),f:S(1)", "a:S(0),b:S(1),c:S(1)"},
  };
  for (auto [before, after] : changes) {
    Placement from = place(before, m), to = place(after, m);
    const RedistributionPlan *plan = redistributor.plan({8, 16}, 4, from, to);
    Simulator simulator(m, {8, 16}, from);
    for (const Step &step : plan->steps)
      ASSERT_EQ(simulator.apply(step), "") << step.str(m);
    EXPECT_EQ(plan->steps.back().to, to);
    if (!from.hasPartial()) {
      EXPECT_EQ(plan->wireBytes, plan->lowerBoundBytes);
    }
  }
}

TEST(Redistribution, ManyDims) {
  Mesh m = mesh("a=2,b=2");
  llvm::SmallVector<int64_t> shape(70, 1);
  shape[0] = shape[69] = 4;
  using Entry = Placement::Entry;
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Bytes);
  const RedistributionPlan *plan = redistributor.plan(
      shape, 4, Placement({Entry::shard(0, 0), Entry::shard(1, 69)}),
      Placement({Entry::shard(1, 0), Entry::shard(0, 69)}));
  EXPECT_EQ(plan->wireBytes, plan->lowerBoundBytes);
}

TEST(Redistribution, AxesOfOneRankChangeAlong) {
  Mesh m = mesh("a=1,b=2,c=1");
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Bytes);
  auto plan = [&](llvm::StringRef from, llvm::StringRef to) {
    return text(*redistributor.plan({4, 6}, 4, place(from, m), place(to, m)),
                m);
  };
  EXPECT_EQ(plan("a:S(0),b:S(0)", "b:S(1)"), "all_to_all a b");
  EXPECT_EQ(plan("b:S(0),a:S(0)", "a:S(0),c:S(1)"), "all_gather a b c");
  EXPECT_EQ(plan("a:S(0),b:P(sum)", "c:S(0),b:S(0)"), "reduce_scatter a b c");
  EXPECT_EQ(plan("a:S(0)", "c:S(1)"), "slice a c");
  EXPECT_EQ(plan("a:S(0),b:S(0)", "b:S(0),a:S(0)"), "slice a");
  EXPECT_EQ(plan("a:P(sum),b:S(0)", "b:S(0)"), "all_reduce a");
}

TEST(Redistribution, PartialsMeetTheRingBounds) {
  Mesh m = mesh("dp=2,tp=4");
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Bytes);
  auto plan = [&](llvm::StringRef from, llvm::StringRef to) {
    const RedistributionPlan *plan =
        redistributor.plan({64, 64}, 1, place(from, m), place(to, m));
    return std::make_tuple(text(*plan, m), plan->wireBytes,
                           plan->lowerBoundBytes);
  };
  using Result = std::tuple<std::string, int64_t, int64_t>;
  EXPECT_EQ(plan("tp:P(sum)", ""), Result("all_reduce tp", 6144, 6144));
  EXPECT_EQ(plan("tp:P(max)", "tp:S(1)"),
            Result("reduce_scatter tp", 3072, 3072));
  EXPECT_EQ(plan("dp:P(sum),tp:P(sum)", ""),
            Result("all_reduce dp tp", 7168, 7168));
  EXPECT_EQ(plan("dp:S(0),tp:P(sum)", "dp:S(0)"),
            Result("all_reduce tp", 3072, 3072));
  // Reduce the shards first: less than gathering partials.
  EXPECT_EQ(plan("dp:S(0),tp:P(sum)", ""),
            Result("all_reduce tp; all_gather dp", 5120, 5120));
  // The axis that is replicated before and after is left alone.
  EXPECT_EQ(plan("dp:P(sum)", ""), Result("all_reduce dp", 4096, 4096));
  // A slice first makes the reduction smaller.
  EXPECT_EQ(plan("tp:P(sum)", "dp:S(0)"),
            Result("slice dp; all_reduce tp", 3072, 3072));
}

TEST(Redistribution, ReduceScatterIntoAnOuterSplitTakesAPermute) {
  Mesh m = mesh("dp=2,tp=4");
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Bytes);
  const RedistributionPlan *plan = redistributor.plan(
      {64, 64}, 4, place("dp:P(sum),tp:S(0)", m), place("dp:S(0),tp:S(0)", m));
  EXPECT_EQ(text(*plan, m), "reduce_scatter dp; permute dp tp");
}

TEST(Redistribution, PartialTargets) {
  Mesh m = mesh("dp=2,tp=4");
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Time);
  auto plan = [&](llvm::StringRef from, llvm::StringRef to) -> std::string {
    const RedistributionPlan *plan =
        redistributor.plan({64, 64}, 1, place(from, m), place(to, m));
    return plan ? text(*plan, m) : "none";
  };
  EXPECT_EQ(plan("", "tp:P(sum)"), "to_partial tp");
  EXPECT_EQ(plan("tp:S(0)", "tp:P(sum)"), "all_gather tp; to_partial tp");
  EXPECT_EQ(plan("tp:P(sum)", "tp:P(max)"), "all_reduce tp; to_partial tp");
  EXPECT_EQ(plan("dp:S(0),tp:P(sum)", "dp:S(1),tp:P(sum)"), "all_to_all dp");
  // Asked twice: the answer is remembered.
  EXPECT_EQ(plan("dp:P(sum)", "dp:P(sum),tp:P(max)"), "none");
  EXPECT_EQ(plan("dp:P(sum)", "dp:P(sum),tp:P(max)"), "none");
  EXPECT_EQ(plan("dp:P(sum),tp:P(max)", ""), "none");
  EXPECT_TRUE(redistributor
                  .cost({64, 64}, 1, place("dp:P(sum)", m),
                        place("dp:P(sum),tp:P(max)", m))
                  .isInfinite());
}

TEST(Redistribution, NothingToDoCostsNothing) {
  Mesh m = mesh("tp=4");
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Time);
  const RedistributionPlan *plan =
      redistributor.plan({8}, 4, place("tp:S(0)", m), place("tp:S(0)", m));
  EXPECT_TRUE(plan->steps.empty());
  EXPECT_EQ(plan->cost, Cost());
  EXPECT_EQ(plan->wireBytes, 0);
}

TEST(Redistribution, FewerCollectivesByCount) {
  Mesh m = mesh("dp=2,tp=4");
  Redistributor redistributor(m, *MachineDescription::preset("h100"),
                              Objective::Count);
  const RedistributionPlan *plan =
      redistributor.plan({64, 64}, 1, place("dp:S(0)", m), place("tp:S(0)", m));
  EXPECT_EQ(plan->collectives, 1u);
  EXPECT_EQ(text(*plan, m), "send_recv dp tp");
}
