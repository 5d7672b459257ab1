// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solver against trying everything.

#include "Examples.h"
#include "gtest/gtest.h"

using namespace tpc;
using namespace tpc::test;

namespace {

/// Solves problems made from seeds by either method and compares with trying
/// everything.
void expectExact(const RandomShape &shape, uint32_t seeds) {
  int solved = 0;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    PlanProblem problem = makeRandomProblem(shape, seed);
    Cost best = bestByTryingAll(problem);
    std::vector<std::vector<int>> choices;
    for (auto method : {SolverOptions::Method::Elimination,
                        SolverOptions::Method::DualBound}) {
      SolverOptions options;
      options.method = method;
      llvm::Expected<PlanSolution> solution = solvePlan(problem, options);
      if (!solution) {
        EXPECT_TRUE(solution.errorIsA<PlanConflict>());
        std::string text = llvm::toString(solution.takeError());
        EXPECT_TRUE(best.isInfinite()) << text;
        continue;
      }
      EXPECT_EQ(solution->cost.values, best.values);
      EXPECT_EQ(solution->cost.values,
                evaluate(problem, solution->choice).values);
      EXPECT_EQ(solution->lowerBound.values, best.values);
      EXPECT_NE(solution->method, "beam search");
      choices.push_back(solution->choice);
    }
    if (choices.size() == 2)
      EXPECT_EQ(choices[0], choices[1]);
    solved += !best.isInfinite();
  }
  EXPECT_GT(solved, int(seeds / 2));
}

TEST(Solver, EqualsTryingAllOnOneAxis) { expectExact({}, 1500); }

TEST(Solver, EqualsTryingAllOnTwoAxes) {
  RandomShape shape;
  shape.axisStates = {3, 3};
  shape.maxOptions = 6;
  shape.maxNodes = 5;
  expectExact(shape, 1000);
}

TEST(Solver, EqualsTryingAllWithArbitraryMoves) {
  RandomShape shape;
  shape.isMetric = false;
  shape.maxUses = 6;
  expectExact(shape, 1000);
}

TEST(Solver, EqualsTryingAllWithManyTies) {
  RandomShape shape;
  shape.maxCost = 2;
  expectExact(shape, 1000);
}

} // namespace
