// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solver on whole programs: proven answers, the same every time and by
// either method. Times are printed, for a person to look at.

#include "Examples.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace tpc;
using namespace tpc::test;

namespace {

PlanSolution solveTimed(const PlanProblem &problem, const char *name,
                        SolverOptions options = {}) {
  auto start = std::chrono::steady_clock::now();
  PlanSolution solution = llvm::cantFail(solvePlan(problem, options));
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  printf("%-40s %5d nodes  %-12s %8.3f s  %ld pairs\n", name,
         problem.numNodes(), solution.method.c_str(), time.count(),
         long(solution.stats.pairsJoined));
  EXPECT_TRUE(solution.isOptimal());
  EXPECT_EQ(evaluate(problem, solution.choice).values, solution.cost.values);
  return solution;
}

SolverOptions byDualBound() {
  SolverOptions options;
  options.method = SolverOptions::Method::DualBound;
  return options;
}

TEST(Scale, LaddersGrowLinearly) {
  int64_t pairs = 0;
  for (int length : {50, 100, 300}) {
    std::string name = "ladder of " + std::to_string(length);
    PlanProblem problem = makeLadder(length, 3, 5, 1);
    PlanSolution solution = solveTimed(problem, name.c_str());
    if (pairs != 0)
      EXPECT_LT(solution.stats.pairsJoined, 8 * pairs);
    pairs = solution.stats.pairsJoined;
    EXPECT_EQ(solveTimed(problem, name.c_str(), byDualBound()).choice,
              solution.choice);
  }
}

TEST(Scale, MlpChainsGrowLinearly) {
  for (auto mesh : {std::vector<int>{8}, std::vector<int>{4, 8}}) {
    int64_t pairs = 0;
    for (int blocks : {50, 200}) {
      std::string name = std::to_string(blocks) + " MLP blocks, " +
                         std::to_string(mesh.size()) + " axes";
      PlanSolution solution =
          solveTimed(makeMlpChain(blocks, mesh), name.c_str());
      if (pairs != 0)
        EXPECT_LT(solution.stats.pairsJoined, 4.6 * pairs);
      pairs = solution.stats.pairsJoined;
    }
  }
}

TEST(Scale, TransformerLayersAreSolvedUnderEachObjective) {
  for (Objective objective :
       {Objective::Time, Objective::Bytes, Objective::Count}) {
    std::string name = "transformer layer, " + stringify(objective).str();
    PlanProblem problem = makeTransformer(1, {8}, objective);
    PlanSolution solution = solveTimed(problem, name.c_str());
    EXPECT_EQ(solveTimed(problem, name.c_str(), byDualBound()).choice,
              solution.choice);
    name += ", 2 axes";
    solveTimed(makeTransformer(1, {4, 8}, objective), name.c_str());
  }
}

TEST(Scale, DeepTransformersAreSolved) {
  solveTimed(makeTransformer(16, {8}), "16 transformer layers");
}

TEST(Scale, AnswersDoNotChange) {
  PlanProblem problem = makeTransformer(2, {8}, Objective::Bytes);
  PlanSolution first = llvm::cantFail(solvePlan(problem));
  PlanSolution second = llvm::cantFail(solvePlan(problem));
  EXPECT_EQ(first.choice, second.choice);
  EXPECT_EQ(first.stats.pairsJoined, second.stats.pairsJoined);
}

TEST(Scale, BeamSearchTellsItsGap) {
  // Far too little room to prove anything about a dense random graph.
  PlanProblem problem = makeLadder(24, 10, 5, 7);
  SolverOptions options;
  options.maxRows = 500;
  options.maxPairs = 50000;
  PlanSolution solution = llvm::cantFail(solvePlan(problem, options));
  EXPECT_EQ(solution.method, "beam search");
  EXPECT_FALSE(solution.isOptimal());
  EXPECT_TRUE(solution.lowerBound < solution.cost);
  EXPECT_EQ(evaluate(problem, solution.choice).values, solution.cost.values);
}

} // namespace
