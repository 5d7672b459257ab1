// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which method solves a plan problem, and how far it looks.

#include "PlanSolverConflict.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc {

using namespace plan;

namespace {

using Status = Eliminator::Status;

/// Solves one problem.
class Solver {
public:
  Solver(const PlanProblem &problem, const SolverOptions &options)
      : problem(problem), options(options), states(problem),
        open(allOptions(problem)),
        eliminator(problem, states, open, solution.stats) {}

  Expected<PlanSolution> run();

private:
  Status attempt(const Effort &effort, StringRef method);
  Status solveWithDuals();
  Status solveWithin(int64_t most);

  const PlanProblem &problem;
  const SolverOptions &options;
  MoveStates states;
  OpenOptions open;
  PlanSolution solution;
  Eliminator eliminator;
};

Status Solver::attempt(const Effort &effort, StringRef method) {
  ++solution.stats.attempts;
  Status status = eliminator.solve(effort);
  if (status != Status::Solved)
    return status;
  Cost cost = evaluate(problem, eliminator.getChoice());
  if (solution.method.empty() || cost < solution.cost) {
    solution.choice = eliminator.getChoice().vec();
    solution.cost = cost;
    solution.method = method.str();
  }
  return status;
}

Status Solver::solveWithin(int64_t most) {
  Status status = eliminator.setLimit(most);
  if (status == Status::Solved)
    status = attempt({options.maxRows, options.maxPairs}, "beam search");
  // A choice beyond the limit may be found by chance; it proves nothing, but
  // that nothing within the limit is better.
  if (status == Status::Solved && solution.cost.values[0] <= most) {
    solution.method = "dual bound";
    return status;
  }
  if (status == Status::TooLarge)
    return status;
  solution.lowerBound.values = {most + 1, 0, 0};
  return Status::Conflict;
}

Status Solver::solveWithDuals() {
  eliminator.findBound();
  int64_t bound = std::max<int64_t>(eliminator.getBound(), 0);
  solution.lowerBound.values = {bound, 0, 0};
  // Mostly the bound is met, or nearly so, and what can meet it is little.
  Status status = Status::Conflict;
  for (int64_t share : {int64_t(1) << 62, int64_t(1) << 20, int64_t(1) << 15}) {
    status = solveWithin(bound + bound / share);
    if (status != Status::Conflict)
      break;
  }
  if (status == Status::Solved)
    return status;
  // Otherwise a plan by beam search tells how far to look.
  for (int64_t beam : {2000, 200, 20}) {
    eliminator.resetLimit();
    status = attempt({options.maxRows, options.maxPairs, beam}, "beam search");
    if (status == Status::Solved)
      break;
  }
  if (status != Status::Solved) {
    eliminator.resetLimit();
    return attempt({options.maxRows, options.maxPairs}, "dual bound");
  }
  bound = solution.lowerBound.values[0];
  for (int64_t share : {64, 8, 1}) {
    status = solveWithin(bound + (solution.cost.values[0] - bound) / share);
    if (status != Status::Conflict)
      break;
  }
  return status;
}

Expected<PlanSolution> Solver::run() {
  solution.stats.nodes = problem.numNodes();
  for (const PlanProblem::Node &node : problem.getNodes())
    solution.stats.options += node.options.size();

  using Method = SolverOptions::Method;
  Status status = eliminator.prepare();
  if (status == Status::Solved) {
    Effort effort{options.maxRows, options.maxPairs};
    if (options.method == Method::Automatic)
      effort = {std::min(options.maxRows, int64_t(1) << 13),
                std::min(options.maxPairs, int64_t(1) << 21)};
    status = Status::TooLarge;
    if (options.method != Method::DualBound)
      status = attempt(effort, "elimination");
    if (status == Status::TooLarge && options.method != Method::Elimination)
      status = solveWithDuals();
  }
  if (states.overflowed())
    return createStringError(
        "expected costs whose sum is below 2^61, got larger ones");
  if (status == Status::Conflict)
    return make_error<PlanConflict>(
        findConflict(problem, states, eliminator.getConflict().vec()));
  if (solution.method.empty())
    return createStringError("found no plan within the limits of the search: " +
                             Twine(options.maxRows) + " rows, " +
                             Twine(options.maxPairs) + " pairs");
  if (status == Status::Solved)
    solution.lowerBound = solution.cost;
  return std::move(solution);
}

} // namespace

Expected<PlanSolution> solvePlan(const PlanProblem &problem,
                                 const SolverOptions &options) {
  if (Error error = problem.check())
    return std::move(error);
  return Solver(problem, options).run();
}

} // namespace tpc
