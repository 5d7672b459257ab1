// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the solver refuses: problems that are none, and searches beyond limits.

#include "tpc/Support/PlanSolver.h"
#include "gtest/gtest.h"

using namespace tpc;

namespace {

Cost seconds(int64_t value) {
  Cost cost;
  cost.values[0] = value;
  return cost;
}

PlanProblem makeProblem() {
  return PlanProblem([](int, int, llvm::ArrayRef<int>) { return seconds(1); });
}

std::string refusal(const PlanProblem &problem, SolverOptions options = {}) {
  llvm::Expected<PlanSolution> solution = solvePlan(problem, options);
  return solution ? "" : llvm::toString(solution.takeError());
}

TEST(Problem, NeedsAnOptionPerNode) {
  PlanProblem problem = makeProblem();
  problem.addNode({});
  EXPECT_EQ(refusal(problem), "expected node 0 to have an option");
}

TEST(Problem, HasNoNegativeCosts) {
  PlanProblem problem = makeProblem();
  problem.addNode({seconds(-1)});
  EXPECT_EQ(refusal(problem), "expected no negative cost, got -1 on node 0");
}

TEST(Problem, NamesNodesThatExist) {
  PlanProblem problem = makeProblem();
  problem.addNode({seconds(0)});
  problem.addValue(1, 0, {0});
  EXPECT_EQ(refusal(problem), "expected the producer of value 0 to be a node "
                              "below 1, got 1");

  problem = makeProblem();
  int node = problem.addNode({seconds(0)});
  problem.addUse(problem.addValue(node, 0, {0}), 7, {0});
  EXPECT_EQ(refusal(problem),
            "expected a use of value 0 to be by a node below 1, got 7");
}

TEST(Problem, HasOnePlacementPerOption) {
  PlanProblem problem = makeProblem();
  int node = problem.addNode({seconds(0), seconds(0)});
  problem.addValue(node, 0, {0});
  EXPECT_EQ(refusal(problem), "expected 2 placements of value 0, one per "
                              "option of node 0, got 1");

  problem = makeProblem();
  node = problem.addNode({seconds(0)});
  int reader = problem.addNode({seconds(0)});
  problem.addUse(problem.addValue(node, 0, {0}), reader, {0, 1});
  EXPECT_EQ(refusal(problem), "expected 1 placements for the use of value 0, "
                              "one per option of node 1, got 2");
}

TEST(Problem, HasNoNodeThatReadsItself) {
  PlanProblem problem = makeProblem();
  int node = problem.addNode({seconds(0)});
  problem.addUse(problem.addValue(node, 0, {0}), node, {0});
  EXPECT_EQ(refusal(problem),
            "expected value 0 not to be used by node 0, which makes it");
}

TEST(Solver, RefusesCostsThatItCannotAdd) {
  PlanProblem problem = makeProblem();
  int64_t large = int64_t(1) << 60;
  for (int i = 0; i < 4; ++i)
    problem.addNode({seconds(large), seconds(large + 1)});
  EXPECT_EQ(refusal(problem),
            "expected costs whose sum is below 2^61, got larger ones");
}

TEST(Solver, SaysWhenItsLimitsAreTooTight) {
  // A square of nodes, each with three placements that cost differently.
  PlanProblem problem([](int, int produced, llvm::ArrayRef<int> needed) {
    return seconds(produced * 7 + needed.front() * 5 % 11 + 1);
  });
  for (int i = 0; i < 4; ++i)
    problem.addNode({seconds(3), seconds(2), seconds(1)});
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j)
      problem.addUse(problem.addValue(i, i, {0, 1, 2}), j, {2, 0, 1});
  SolverOptions options;
  options.method = SolverOptions::Method::Elimination;
  options.maxRows = 1;
  options.maxPairs = 1;
  EXPECT_EQ(refusal(problem, options),
            "found no plan within the limits of the search: 1 rows, 1 pairs");
}

} // namespace
