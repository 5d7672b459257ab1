// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plan problems to test with, and the answer by trying everything.
#ifndef TPC_TEST_UNIT_SOLVER_EXAMPLES_H
#define TPC_TEST_UNIT_SOLVER_EXAMPLES_H

#include "tpc/Support/PlanSolver.h"
#include <random>

namespace tpc::test {

/// How random problems are made.
struct RandomShape {
  int minNodes = 2, maxNodes = 7;
  int maxOptions = 4;
  int maxUses = 4;
  /// Options of all nodes multiplied; keeps trying everything affordable.
  int64_t maxChoices = 20000;
  /// Per mesh axis the number of states a placement has; the number of a
  /// placement is built from those of its axes.
  std::vector<int> axisStates = {4};
  /// Costs are below this; small ones make ties.
  int maxCost = 6;
  /// Of 100 options or moves this many are impossible.
  int impossible = 5;
  enum class Moves {
    /// Anything at all.
    Arbitrary,
    /// Random steps; each target is made from the produced placement or from
    /// another target, by a shortest path.
    Targets,
    /// The same, but placements that nobody needs may help. Promised to be
    /// composable.
    Composable,
  };
  Moves moves = Moves::Targets;
};

/// A random problem, the same for the same seed on every machine.
PlanProblem makeRandomProblem(const RandomShape &shape, uint32_t seed);

/// The least cost over all choices, infinite when there is none.
Cost bestByTryingAll(const PlanProblem &problem);

/// The same problem with the given nodes alone, in their order. Values whose
/// producer is left out, and uses by nodes left out, go.
PlanProblem restrictTo(const PlanProblem &problem, llvm::ArrayRef<int> nodes);

/// A random graph of width about `width`: node i uses values of nodes
/// i - width .. i - 1, and a last layer uses everything that is left over.
PlanProblem makeLadder(int length, int width, int options, uint32_t seed);

} // namespace tpc::test

#endif // TPC_TEST_UNIT_SOLVER_EXAMPLES_H
