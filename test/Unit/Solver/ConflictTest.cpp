// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is named when there is no plan.

#include "Examples.h"
#include "gtest/gtest.h"

using namespace tpc;
using namespace tpc::test;

namespace {

Cost free() { return Cost(); }

/// Placements above 9 cannot be left nor reached.
PlanProblem makeProblem() {
  return PlanProblem([](int, int produced, llvm::ArrayRef<int> needed) {
    for (int target : needed)
      if (produced > 9 || target > 9)
        return Cost::infinity();
    return Cost();
  });
}

std::vector<int> conflictOf(const PlanProblem &problem) {
  llvm::Expected<PlanSolution> solution = solvePlan(problem);
  std::vector<int> nodes;
  if (solution) {
    ADD_FAILURE() << "expected a conflict, got a plan";
    return nodes;
  }
  llvm::handleAllErrors(
      solution.takeError(),
      [&](const PlanConflict &conflict) { nodes = conflict.getNodes().vec(); },
      [&](const llvm::ErrorInfoBase &other) {
        ADD_FAILURE() << other.message();
      });
  return nodes;
}

TEST(Conflict, NamesANodeWithoutAnyOption) {
  PlanProblem problem = makeProblem();
  problem.addNode({free()});
  problem.addNode({Cost::infinity(), Cost::infinity()});
  EXPECT_EQ(conflictOf(problem), (std::vector<int>{1}));
}

TEST(Conflict, NamesTheTwoEndsOfAMove) {
  PlanProblem problem = makeProblem();
  int bystander = problem.addNode({free(), free()});
  int producer = problem.addNode({free()});
  int user = problem.addNode({free()});
  int value = problem.addValue(producer, 0, {10});
  problem.addUse(value, user, {11});
  problem.addUse(value, bystander, {10, 11});
  EXPECT_EQ(conflictOf(problem), (std::vector<int>{producer, user}));
}

TEST(Conflict, NamesTheChainBetweenTwoPins) {
  // Pins at both ends of a chain of ops that pass their placement on, with
  // other nodes hanging on it.
  PlanProblem problem = makeProblem();
  int first = problem.addNode({free()});
  int value = problem.addValue(first, 0, {10});
  std::vector<int> chain = {first};
  for (int i = 0; i < 3; ++i) {
    int op = problem.addNode({free(), free()});
    problem.addUse(value, op, {10, 11});
    problem.addUse(value, problem.addNode({free(), free()}), {10, 11});
    value = problem.addValue(op, 0, {10, 11});
    chain.push_back(op);
  }
  int last = problem.addNode({free()});
  problem.addUse(value, last, {11});
  chain.push_back(last);
  EXPECT_EQ(conflictOf(problem), chain);
}

TEST(Conflict, NeedsEveryNodeItNames) {
  // Of each random problem without a plan: the named nodes alone have none,
  // and with any one of them left out the others have one.
  RandomShape shape;
  shape.impossible = 35;
  shape.moves = RandomShape::Moves::Arbitrary;
  int conflicts = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    PlanProblem problem = makeRandomProblem(shape, seed);
    if (!bestByTryingAll(problem).isInfinite())
      continue;
    ++conflicts;
    std::vector<int> nodes = conflictOf(problem);
    EXPECT_TRUE(bestByTryingAll(restrictTo(problem, nodes)).isInfinite());
    for (int left : nodes) {
      std::vector<int> others = nodes;
      llvm::erase(others, left);
      EXPECT_FALSE(bestByTryingAll(restrictTo(problem, others)).isInfinite());
    }
  }
  EXPECT_GT(conflicts, 50);
}

TEST(Conflict, SaysWhichNodes) {
  PlanProblem problem = makeProblem();
  int producer = problem.addNode({free()});
  problem.addUse(problem.addValue(producer, 0, {10}), problem.addNode({free()}),
                 {11});
  EXPECT_EQ(llvm::toString(solvePlan(problem).takeError()),
            "no plan fits nodes 0, 1");
}

} // namespace
