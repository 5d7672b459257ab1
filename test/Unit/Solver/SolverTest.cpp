// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solver against trying everything.

#include "Examples.h"
#include "gtest/gtest.h"

using namespace tpc;
using namespace tpc::test;

namespace {

/// Solves and compares with trying everything; counts problems with a plan.
void expectExact(const PlanProblem &problem, const SolverOptions &options,
                 int &solved) {
  Cost best = bestByTryingAll(problem);
  llvm::Expected<PlanSolution> solution = solvePlan(problem, options);
  if (!solution) {
    bool isConflict = solution.errorIsA<PlanConflict>();
    std::string text = llvm::toString(solution.takeError());
    EXPECT_TRUE(isConflict) << text;
    EXPECT_TRUE(best.isInfinite()) << text;
    return;
  }
  EXPECT_EQ(solution->cost.values, best.values);
  EXPECT_EQ(solution->cost.values, evaluate(problem, solution->choice).values);
  EXPECT_TRUE(solution->isOptimal());
  ++solved;
}

TEST(Solver, EqualsTryingAllOnOneAxis) {
  int solved = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    expectExact(makeRandomProblem({}, seed), {}, solved);
  }
  EXPECT_GT(solved, 1000);
}

TEST(Solver, EqualsTryingAllOnTwoAxes) {
  RandomShape shape;
  shape.axisStates = {3, 3};
  shape.maxOptions = 6;
  shape.maxNodes = 5;
  int solved = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    expectExact(makeRandomProblem(shape, seed), {}, solved);
  }
  EXPECT_GT(solved, 700);
}

TEST(Solver, EqualsTryingAllWithArbitraryMoves) {
  RandomShape shape;
  shape.isMetric = false;
  shape.maxUses = 6;
  int solved = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    expectExact(makeRandomProblem(shape, seed), {}, solved);
  }
  EXPECT_GT(solved, 500);
}

} // namespace
