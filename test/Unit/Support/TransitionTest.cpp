// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps do on data what they say, and move the bytes they say.

#include "Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace tpc;
using namespace tpc::test;

static Mesh mesh(llvm::StringRef text) {
  return llvm::cantFail(Mesh::parse(text));
}

/// Runs `step` on data and compares what was moved with what is said.
static void expectStepWorks(const Mesh &m, llvm::ArrayRef<int64_t> shape,
                            const Step &step) {
  auto where = [&] {
    std::string text = step.str(m) + " of";
    for (int64_t length : shape)
      text += " " + std::to_string(length);
    return text;
  };
  Simulator simulator(m, shape, step.from);
  ASSERT_EQ(simulator.check(), "") << where();
  ASSERT_EQ(simulator.apply(step), "") << where();
  StepBytes bytes = stepBytes(m, shape, 1, step);
  EXPECT_EQ(bytes.wireBytes, simulator.mostReceived) << where();
  EXPECT_EQ(stepStarts(m, shape, step),
            step.kind == StepKind::SendRecv ? simulator.mostPeers : 1)
      << where();
  if (step.kind == StepKind::Permute) {
    EXPECT_EQ(simulator.mostPeers, 1) << where();
  }
  if (step.kind != StepKind::AllReduce) {
    EXPECT_EQ(stepBytes(m, shape, 4, step).wireBytes, 4 * bytes.wireBytes);
  }
  EXPECT_FALSE(step.axes.empty()) << where();
  EXPECT_TRUE(llvm::is_sorted(step.axes)) << where();
}

/// All pairs of placements: whatever classifyStep and legalSteps find works.
static void expectAllStepsWork(const Mesh &m, llvm::ArrayRef<int64_t> shape,
                               Reduction reduction) {
  std::vector<Placement> all = allPlacements(m, shape.size(), true, reduction);
  for (const Placement &from : all) {
    for (const Placement &to : all) {
      std::optional<Step> step = classifyStep(m, shape, from, to);
      if (step)
        expectStepWorks(m, shape, *step);
      // A send_recv at the least joins placements with equal partials.
      bool samePartials = from.partialAxes() == to.partialAxes();
      EXPECT_EQ(step.has_value(), from != to && (samePartials || step));
      if (::testing::Test::HasFatalFailure())
        return;
    }
    std::set<Placement> reached;
    for (const Step &step : legalSteps(m, shape, from)) {
      EXPECT_EQ(step.from, from);
      EXPECT_TRUE(reached.insert(step.to).second) << step.str(m);
      EXPECT_EQ(classifyStep(m, shape, from, step.to), step);
    }
    // Nothing but send_recvs and to_partials is missing, and what is a slice
    // only because chunks are empty or axes have one rank.
    if (llvm::any_of(shape, [](int64_t length) { return length < 2; }) ||
        llvm::any_of(m.axes(), [](const Mesh::Axis &a) { return a.size < 2; }))
      continue;
    for (const Placement &to : all) {
      std::optional<Step> step = classifyStep(m, shape, from, to);
      if (step && step->kind != StepKind::SendRecv &&
          step->kind != StepKind::ToPartial && from.isEven(m, shape) &&
          to.isEven(m, shape) && !llvm::is_contained(shape, 1)) {
        EXPECT_TRUE(reached.count(to)) << step->str(m);
      }
    }
  }
}

class StepsOnData : public ::testing::TestWithParam<const char *> {};

TEST_P(StepsOnData, OneDim) {
  for (int64_t length = 0; length <= 9; ++length)
    expectAllStepsWork(mesh(GetParam()), {length}, Reduction::Sum);
}

TEST_P(StepsOnData, TwoDims) {
  for (llvm::SmallVector<int64_t> shape :
       {llvm::SmallVector<int64_t>{4, 4}, {12, 6}, {5, 3}, {1, 7}, {2, 9}})
    expectAllStepsWork(mesh(GetParam()), shape, Reduction::Sum);
}

TEST_P(StepsOnData, AllReductions) {
  for (Reduction reduction : {Reduction::Max, Reduction::Min, Reduction::Prod,
                              Reduction::And, Reduction::Or})
    expectAllStepsWork(mesh(GetParam()), {5, 2}, reduction);
}

INSTANTIATE_TEST_SUITE_P(Meshes, StepsOnData,
                         ::testing::Values("a=2", "a=3", "a=4", "a=2,b=2",
                                           "a=2,b=3", "a=1,b=2"));

TEST(Steps, ThreeAxesOneDim) {
  for (int64_t length : {5, 8})
    expectAllStepsWork(mesh("a=2,b=2,c=2"), {length}, Reduction::Sum);
}

namespace {

class Kinds : public ::testing::Test {
protected:
  std::string kind(llvm::StringRef from, llvm::StringRef to,
                   llvm::ArrayRef<int64_t> shape = {16, 16}) {
    std::optional<Step> step =
        classifyStep(m, shape, llvm::cantFail(Placement::parse(from, m)),
                     llvm::cantFail(Placement::parse(to, m)));
    if (!step)
      return "none";
    std::string text = stringify(step->kind).str();
    for (unsigned axis : step->axes)
      text += " " + m.name(axis).str();
    return text;
  }
  Mesh m = mesh("dp=2,tp=4");
};

} // namespace

TEST_F(Kinds, OneAxis) {
  EXPECT_EQ(kind("", "tp:S(0)"), "slice tp");
  EXPECT_EQ(kind("", "tp:P(sum)"), "to_partial tp");
  EXPECT_EQ(kind("tp:P(sum)", ""), "all_reduce tp");
  EXPECT_EQ(kind("tp:P(max)", "tp:S(1)"), "reduce_scatter tp");
  EXPECT_EQ(kind("tp:S(0)", ""), "all_gather tp");
  EXPECT_EQ(kind("tp:S(0)", "tp:S(1)"), "all_to_all tp");
  EXPECT_EQ(kind("dp:S(0)", "tp:S(0)"), "send_recv dp tp");
}

TEST_F(Kinds, SeveralAxesAtOnce) {
  EXPECT_EQ(kind("", "tp:S(0),dp:S(0)"), "slice dp tp");
  EXPECT_EQ(kind("dp:P(sum),tp:P(sum)", ""), "all_reduce dp tp");
  EXPECT_EQ(kind("dp:P(sum),tp:P(sum)", "tp:S(1),dp:S(1)"),
            "reduce_scatter dp tp");
  EXPECT_EQ(kind("dp:S(0),tp:S(1)", ""), "all_gather dp tp");
  EXPECT_EQ(kind("dp:S(0),tp:S(0)", "tp:S(1),dp:S(1)"), "all_to_all dp tp");
  EXPECT_EQ(kind("dp:P(sum),tp:P(sum)", "dp:S(0)"), "none");
}

TEST_F(Kinds, OnlyInnerSplitsAreGathered) {
  EXPECT_EQ(kind("dp:S(0),tp:S(0)", "dp:S(0)"), "all_gather tp");
  EXPECT_EQ(kind("dp:S(0),tp:S(0)", "tp:S(0)"), "send_recv dp tp");
  EXPECT_EQ(kind("tp:S(0),dp:S(0)", "tp:S(0)"), "all_gather dp");
}

TEST_F(Kinds, ReduceScatterMakesTheInnerSplit) {
  EXPECT_EQ(kind("dp:P(sum),tp:S(0)", "tp:S(0),dp:S(0)"), "reduce_scatter dp");
  EXPECT_EQ(kind("dp:P(sum),tp:S(0)", "dp:S(0),tp:S(0)"), "none");
}

TEST_F(Kinds, OtherPartialAxesStay) {
  EXPECT_EQ(kind("dp:P(sum),tp:S(0)", "dp:P(sum)"), "all_gather tp");
  EXPECT_EQ(kind("dp:P(sum),tp:P(sum)", "dp:P(sum)"), "all_reduce tp");
  EXPECT_EQ(kind("dp:P(sum)", "dp:P(sum),tp:P(sum)"), "to_partial tp");
}

TEST_F(Kinds, NoStepChangesOrMixesReductions) {
  EXPECT_EQ(kind("tp:P(sum)", "tp:P(max)"), "none");
  EXPECT_EQ(kind("dp:P(sum)", "dp:P(sum),tp:P(max)"), "none");
  EXPECT_EQ(kind("tp:S(0)", "tp:P(sum)"), "none");
  EXPECT_EQ(kind("tp:S(0)", "tp:S(0)"), "none");
}

TEST_F(Kinds, NestedSplitsChangePlacesByPermute) {
  EXPECT_EQ(kind("tp:S(0),dp:S(0)", "dp:S(0),tp:S(0)"), "permute dp tp");
  // Uneven: the chunks themselves differ.
  EXPECT_EQ(kind("tp:S(0),dp:S(0)", "dp:S(0),tp:S(0)", {10, 1}),
            "send_recv dp tp");
  m = mesh("dp=2,tp=2");
  EXPECT_EQ(kind("dp:S(0)", "tp:S(0)"), "permute dp tp");
  EXPECT_EQ(kind("dp:S(0),tp:S(1)", "tp:S(0),dp:S(1)"), "permute dp tp");
}

TEST_F(Kinds, ASplitThatStaysInnermostTakesNoPart) {
  m = mesh("a=2,b=2,c=2");
  EXPECT_EQ(kind("a:S(0),b:S(0),c:S(0)", "b:S(0),a:S(0),c:S(0)"),
            "permute a b");
  EXPECT_EQ(kind("a:S(0),b:S(0),c:S(0)", "a:S(0),c:S(0),b:S(0)"),
            "permute b c");
}

TEST_F(Kinds, WhatNeedsNoDataIsASlice) {
  m = mesh("one=1,tp=2");
  EXPECT_EQ(kind("one:S(0)", ""), "slice one");
  EXPECT_EQ(kind("one:S(0),tp:S(0)", "tp:S(0),one:S(1)"), "slice one");
  EXPECT_EQ(kind("tp:S(0)", "tp:S(1)", {0, 4}), "slice tp");
}

TEST(Steps, BytesOfEvenStepsAreTheFormulas) {
  Mesh m = mesh("tp=4");
  Placement shard0 = llvm::cantFail(Placement::parse("tp:S(0)", m));
  Placement shard1 = llvm::cantFail(Placement::parse("tp:S(1)", m));
  Placement partial = llvm::cantFail(Placement::parse("tp:P(sum)", m));
  auto bytes = [&](const Placement &from, const Placement &to) {
    StepBytes moved =
        stepBytes(m, {8, 8}, 4, *classifyStep(m, {8, 8}, from, to));
    return std::make_pair(moved.bytes, moved.wireBytes);
  };
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_EQ(bytes(partial, {}), Pair(256, 384));
  EXPECT_EQ(bytes(partial, shard0), Pair(256, 192));
  EXPECT_EQ(bytes(shard0, {}), Pair(256, 192));
  EXPECT_EQ(bytes(shard0, shard1), Pair(64, 48));
  EXPECT_EQ(bytes({}, shard0), Pair(0, 0));
  EXPECT_EQ(bytes({}, partial), Pair(0, 0));
}

TEST(Steps, AllReduceBytesAreRoundedUp) {
  Mesh m = mesh("tp=4");
  Placement partial = llvm::cantFail(Placement::parse("tp:P(sum)", m));
  Step step = *classifyStep(m, {5}, partial, {});
  EXPECT_EQ(stepBytes(m, {5}, 1, step).wireBytes, 8); // 7.5
  EXPECT_EQ(stepBytes(m, {5}, 4, step).wireBytes, 30);
}

TEST(Steps, NamesRoundTrip) {
  for (StepKind kind :
       {StepKind::Slice, StepKind::ToPartial, StepKind::AllReduce,
        StepKind::ReduceScatter, StepKind::AllGather, StepKind::AllToAll,
        StepKind::Permute, StepKind::SendRecv})
    EXPECT_EQ(parseStepKind(stringify(kind)), kind);
  EXPECT_FALSE(parseStepKind("broadcast"));
  Mesh m = mesh("dp=2,tp=2");
  Placement nested = llvm::cantFail(Placement::parse("dp:S(0),tp:S(0)", m));
  EXPECT_EQ(classifyStep(m, {4}, nested, {})->str(m),
            "all_gather on dp,tp: [dp: S(0), tp: S(0)] -> []");
}

TEST(Steps, LackingElementsEqualTheEnumeration) {
  for (llvm::StringRef text : {"a=3", "a=2,b=2", "a=2,b=3", "a=2,b=2,c=3"}) {
    Mesh m = mesh(text);
    for (llvm::SmallVector<int64_t> shape :
         {llvm::SmallVector<int64_t>{12}, {7}, {5}}) {
      std::vector<Placement> all = allPlacements(m, shape.size(), false);
      for (const Placement &from : all)
        for (const Placement &to : all)
          EXPECT_EQ(lackingElements(m, shape, from, to),
                    worstLack(m, shape, from, to))
              << from.str(m) << " -> " << to.str(m) << " of " << shape[0];
    }
  }
}
