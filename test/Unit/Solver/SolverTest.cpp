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
  shape.moves = RandomShape::Moves::Arbitrary;
  shape.maxUses = 6;
  expectExact(shape, 1000);
}

TEST(Solver, EqualsTryingAllWithComposableMoves) {
  RandomShape shape;
  shape.moves = RandomShape::Moves::Composable;
  shape.axisStates = {2, 3};
  shape.maxUses = 6;
  expectExact(shape, 1000);
}

TEST(Solver, EqualsTryingAllWithManyTies) {
  RandomShape shape;
  shape.maxCost = 2;
  expectExact(shape, 1000);
}

/// Costs in the first number.
Cost of(int64_t value) { return {{value, 0, 0}}; }

PlanProblem::TreeCost sumOfDistances() {
  return [](int, int produced, llvm::ArrayRef<int> needed) {
    int64_t sum = 0;
    for (int target : needed)
      sum += std::abs(target - produced);
    return of(sum);
  };
}

TEST(Solver, SolvesNothing) {
  PlanProblem problem(sumOfDistances());
  PlanSolution solution = llvm::cantFail(solvePlan(problem));
  EXPECT_TRUE(solution.choice.empty());
  EXPECT_EQ(solution.cost.values, Cost().values);
  EXPECT_TRUE(solution.isOptimal());
}

TEST(Solver, TakesTheCheapestOptionOfNodesAlone) {
  PlanProblem problem(sumOfDistances());
  int node = problem.addNode({of(3), of(1), of(1)});
  problem.addNode({of(5)});
  // Made and never used: costs nothing to move.
  problem.addValue(node, 0, {7, 8, 9});
  PlanSolution solution = llvm::cantFail(solvePlan(problem));
  EXPECT_EQ(solution.choice, (std::vector<int>{1, 0}));
  EXPECT_EQ(solution.cost.values, of(6).values);
}

TEST(Solver, SolvesPartsWithoutACommonValueApart) {
  // Nodes of two programs in turn: the answers are those of each alone.
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    PlanProblem one = makeRandomProblem({}, seed);
    llvm::Expected<PlanSolution> alone = solvePlan(one);
    if (!alone) {
      llvm::consumeError(alone.takeError());
      continue;
    }
    PlanProblem both = one.part({});
    for (const PlanProblem::Node &node : one.getNodes()) {
      both.addNode(node.options);
      both.addNode(node.options);
    }
    for (const PlanProblem::Value &value : one.getValues())
      for (int copy : {0, 1}) {
        int number = both.addValue(2 * value.producer + copy, value.type,
                                   value.produced);
        for (const PlanProblem::Use &use : value.uses)
          both.addUse(number, 2 * use.node + copy, use.needed);
      }
    PlanSolution solution = llvm::cantFail(solvePlan(both));
    EXPECT_EQ(solution.cost.values, (alone->cost + alone->cost).values);
    EXPECT_EQ(solution.lowerBound.values, solution.cost.values);
    for (int node = 0; node < one.numNodes(); ++node) {
      EXPECT_EQ(solution.choice[2 * node], alone->choice[node]);
      EXPECT_EQ(solution.choice[2 * node + 1], alone->choice[node]);
    }
  }
}

TEST(Solver, PaysOnceForAPlacementNeededTwice) {
  // Each use alone would rather pay 3 for its other option than 4 to move.
  PlanProblem problem(sumOfDistances());
  int producer = problem.addNode({of(0)});
  int value = problem.addValue(producer, 0, {0});
  for (int i = 0; i < 2; ++i)
    problem.addUse(value, problem.addNode({of(0), of(3)}), {4, 0});
  PlanSolution solution = llvm::cantFail(solvePlan(problem));
  EXPECT_EQ(solution.choice, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(solution.cost.values, of(4).values);
}

TEST(Solver, CountsBothUsesByOneNode) {
  // x * x with one operand sharded otherwise than the other: two moves.
  PlanProblem problem(sumOfDistances());
  int producer = problem.addNode({of(0)});
  int value = problem.addValue(producer, 0, {0});
  int square = problem.addNode({of(0), of(2)});
  problem.addUse(value, square, {1, 0});
  problem.addUse(value, square, {2, 0});
  PlanSolution solution = llvm::cantFail(solvePlan(problem));
  EXPECT_EQ(solution.choice, (std::vector<int>{0, 1}));
  EXPECT_EQ(solution.cost.values, of(2).values);
}

TEST(Solver, BreaksTiesByTheLowerOption) {
  PlanProblem problem(sumOfDistances());
  int producer = problem.addNode({of(1), of(1), of(1)});
  int value = problem.addValue(producer, 0, {0, 1, 2});
  problem.addUse(value, problem.addNode({of(1), of(1), of(1)}), {2, 1, 2});
  // 0-1, 1-0 move; 1-1, 2-0 and 2-2 do not, and 1-1 and 2-0 have the lower
  // numbers.
  PlanSolution solution = llvm::cantFail(solvePlan(problem));
  EXPECT_EQ(solution.cost.values, of(2).values);
  EXPECT_EQ(solution.choice[0] + solution.choice[1], 2);
}

TEST(Solver, ComparesCostsLexicographically) {
  PlanProblem problem(sumOfDistances());
  problem.addNode({{{1, 0, 0}}, {{0, 9, 9}}, {{0, 9, 8}}});
  PlanSolution solution = llvm::cantFail(solvePlan(problem));
  EXPECT_EQ(solution.choice, (std::vector<int>{2}));
}

} // namespace
