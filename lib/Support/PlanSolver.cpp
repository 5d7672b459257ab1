// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which method solves a plan problem, and how far it looks.

#include "PlanSolverConflict.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc {

using namespace plan;

namespace {

using Status = Eliminator::Status;

Error tooLarge() {
  return createStringError(
      "expected costs whose sum is below 2^61, got larger ones");
}

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
    return tooLarge();
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

/// The methods from the one that proves most easily to the one that proves
/// nothing: a whole is as good as its worst part.
int rankOf(StringRef method) {
  return method == "elimination" ? 0 : method == "dual bound" ? 1 : 2;
}

/// The conflict of a part as one of the whole.
Error renumber(Error error, ArrayRef<int> nodes) {
  return handleErrors(std::move(error), [&](const PlanConflict &conflict) {
    std::vector<int> whole;
    for (int node : conflict.getNodes())
      whole.push_back(nodes[node]);
    return make_error<PlanConflict>(std::move(whole));
  });
}

/// Adds the solution of a part to that of the whole.
void add(PlanSolution &whole, const PlanSolution &part, ArrayRef<int> nodes) {
  for (auto [node, option] : zip_equal(nodes, part.choice))
    whole.choice[node] = option;
  whole.cost += part.cost;
  // Costs are ordered as sums are: a sum of bounds is a bound.
  whole.lowerBound += part.lowerBound;
  if (rankOf(part.method) > rankOf(whole.method))
    whole.method = part.method;
  whole.stats.nodes += part.stats.nodes;
  whole.stats.options += part.stats.options;
  whole.stats.optionsLeft += part.stats.optionsLeft;
  whole.stats.largestTable =
      std::max(whole.stats.largestTable, part.stats.largestTable);
  whole.stats.pairsJoined += part.stats.pairsJoined;
  whole.stats.attempts += part.stats.attempts;
}

} // namespace

Expected<PlanSolution> solvePlan(const PlanProblem &problem,
                                 const SolverOptions &options) {
  if (Error error = problem.check())
    return std::move(error);
  std::vector<std::vector<int>> parts = problem.independentParts();
  if (parts.size() == 1)
    return Solver(problem, options).run();
  PlanSolution whole;
  whole.choice.resize(problem.numNodes());
  whole.method = "elimination";
  for (ArrayRef<int> nodes : parts) {
    PlanProblem part = problem.part(nodes);
    Expected<PlanSolution> solution = Solver(part, options).run();
    if (!solution)
      return renumber(solution.takeError(), nodes);
    add(whole, *solution, nodes);
    if (any_of(whole.cost.values,
               [](int64_t value) { return value >= int64_t(1) << 61; }))
      return tooLarge();
  }
  return std::move(whole);
}

} // namespace tpc
