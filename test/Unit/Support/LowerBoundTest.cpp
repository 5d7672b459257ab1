// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What plans receive beside the least that any could, which is counted here
// element by element.

#include "RandomChanges.h"
#include "Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cstdio>

using namespace tpc;
using namespace tpc::test;

static Mesh mesh(llvm::StringRef text) {
  return llvm::cantFail(Mesh::parse(text));
}

static int64_t volume(llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t length : shape)
    elements *= length;
  return elements;
}

namespace {

/// Received bytes over the bound, of many plans.
struct Ratio {
  double sum = 0, most = 1;
  int64_t count = 0;
  void add(int64_t received, int64_t bound) {
    if (bound == 0)
      return;
    double ratio = double(received) / double(bound);
    sum += ratio;
    most = std::max(most, ratio);
    ++count;
  }
  void print(const char *mesh, Objective objective) const {
    std::printf("%s by %s: received over bound, mean %.4f, most %.4f\n", mesh,
                stringify(objective).str().c_str(),
                count ? sum / double(count) : 1.0, most);
  }
};

} // namespace

class Shards : public ::testing::TestWithParam<const char *> {};

// All pairs of placements of shards, every nesting, of even and uneven matrices
// and of such that are shorter than the mesh. No step receives padding, so that
// by bytes there is no tolerance.
TEST_P(Shards, ReceiveWhatTheWorstRankLacks) {
  Mesh m = mesh(GetParam());
  std::vector<Placement> all = allPlacements(m, 2, false);
  for (Objective objective : {Objective::Bytes, Objective::Time}) {
    Redistributor redistributor(m, *MachineDescription::preset("h100"),
                                objective);
    Ratio ratio;
    for (llvm::SmallVector<int64_t> shape :
         {llvm::SmallVector<int64_t>{8, 8}, {12, 6}, {5, 3}, {9, 2}, {1, 7}})
      for (const Placement &from : all)
        for (const Placement &to : all) {
          const RedistributionPlan *plan =
              redistributor.plan(shape, 4, from, to);
          int64_t bound = 4 * worstLack(m, shape, from, to);
          ASSERT_EQ(plan->lowerBoundBytes, bound)
              << from.str(m) << " -> " << to.str(m);
          ratio.add(plan->wireBytes, bound);
          ASSERT_GE(plan->wireBytes, bound);
          if (objective == Objective::Bytes) {
            ASSERT_EQ(plan->wireBytes, bound)
                << shape[0] << "x" << shape[1] << " " << from.str(m) << " -> "
                << to.str(m);
          }
        }
    ratio.print(GetParam(), objective);
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, Shards,
                         ::testing::Values("a=2", "a=3", "a=4", "a=2,b=2",
                                           "a=2,b=3", "a=2,b=4",
                                           "a=2,b=2,c=2"));

// Of every kind, over one axis and over two: 2(n-1)/n of the tensor to join it
// on all ranks, (n-1)/n to join it in shards.
TEST(LowerBound, PartialsOfEveryKindAreJoinedAtTheRingBounds) {
  Mesh m = mesh("a=2,b=3,c=2");
  llvm::SmallVector<int64_t> shape = {12, 24};
  for (unsigned kind = 0; kind < 6; ++kind)
    for (llvm::SmallVector<unsigned> axes :
         {llvm::SmallVector<unsigned>{0}, {1}, {0, 1}, {0, 1, 2}}) {
      Redistributor redistributor(m, *MachineDescription::preset("h100"),
                                  Objective::Bytes);
      Placement from, rows;
      for (unsigned axis : axes) {
        from = from.with(Placement::Entry::partial(axis, Reduction(kind)));
        rows = rows.with(Placement::Entry::shard(axis, 0));
      }
      int64_t ranks = m.groupSize(axes), bytes = 4 * volume(shape);
      const RedistributionPlan *join = redistributor.plan(shape, 4, from, {});
      ASSERT_EQ(join->steps.size(), 1u);
      EXPECT_EQ(join->steps[0].kind, StepKind::AllReduce);
      EXPECT_EQ(join->wireBytes, 2 * (ranks - 1) * bytes / ranks);
      EXPECT_EQ(join->lowerBoundBytes, join->wireBytes);
      const RedistributionPlan *scatter =
          redistributor.plan(shape, 4, from, rows);
      ASSERT_EQ(scatter->steps.size(), 1u);
      EXPECT_EQ(scatter->steps[0].kind, StepKind::ReduceScatter);
      EXPECT_EQ(scatter->wireBytes, (ranks - 1) * bytes / ranks);
      EXPECT_EQ(scatter->lowerBoundBytes, scatter->wireBytes);
    }
}

// The arguments about sizes, against all ranks and elements.
TEST(LowerBound, EqualsEnumerationOnRandomMeshes) {
  RandomChanges changes(3, 4, 4, 12);
  int64_t checked = 0;
  while (checked < 4000) {
    Mesh m = changes.mesh();
    for (int i = 0; i < 20; ++i) {
      RandomChanges::Change change = changes.change(m);
      if (m.numRanks() * volume(change.shape) > 4000)
        continue;
      ++checked;
      ASSERT_EQ(lackingElements(m, change.shape, change.from, change.to),
                worstLack(m, change.shape, change.from, change.to))
          << change.str(m);
    }
  }
}

// Up to four axes, on data.
TEST(LowerBound, RandomPlansAreCorrectOnData) {
  RandomChanges changes(5, 4, 3, 12);
  int64_t checked = 0;
  while (checked < 600) {
    Mesh m = changes.mesh();
    Objective objective = Objective(checked % 3);
    Redistributor redistributor(m, *MachineDescription::preset("cpu"),
                                objective);
    for (int i = 0; i < 20; ++i) {
      RandomChanges::Change change = changes.change(m);
      if (m.numRanks() * volume(change.shape) > 2000)
        continue;
      ++checked;
      const RedistributionPlan *plan =
          redistributor.plan(change.shape, 4, change.from, change.to);
      Simulator simulator(m, change.shape, change.from);
      for (const Step &step : plan->steps)
        ASSERT_EQ(simulator.apply(step), "")
            << change.str(m) << ": " << step.str(m);
      ASSERT_TRUE(plan->steps.empty() ? change.from == change.to
                                      : plan->steps.back().to == change.to);
    }
  }
}

// A part of what test/bench/redistributions.cpp does. By bytes shards are at
// the bound whatever the mesh.
TEST(LowerBound, RandomPlansOfShardsAreAtTheBound) {
  RandomChanges changes(1);
  for (int64_t done = 0; done < 4000;) {
    Mesh m = changes.mesh();
    Redistributor redistributor(m, *MachineDescription::preset("h100"),
                                Objective::Bytes);
    for (int i = 0; i < 100; ++i, ++done) {
      RandomChanges::Change change = changes.change(m);
      const RedistributionPlan *plan =
          redistributor.plan(change.shape, 4, change.from, change.to);
      ASSERT_TRUE(plan) << change.str(m);
      ASSERT_GE(plan->wireBytes, plan->lowerBoundBytes) << change.str(m);
      if (!change.from.hasPartial()) {
        ASSERT_EQ(plan->wireBytes, plan->lowerBoundBytes) << change.str(m);
      }
    }
  }
}
