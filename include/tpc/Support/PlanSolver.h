// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves a PlanProblem exactly, with a certificate.
//
// What has no value in common is solved apart.
// Elimination joins the tables of two sets of nodes at a time and keeps what
// the rest of the program can tell apart; it is linear in the depth of a
// program whose layers repeat. Where its tables would grow too large, a dual
// solution gives a lower bound first, and elimination keeps only what can be
// part of a plan that meets it.
#ifndef TPC_SUPPORT_PLANSOLVER_H
#define TPC_SUPPORT_PLANSOLVER_H

#include "tpc/Support/PlanProblem.h"
#include <string>

namespace tpc {

struct SolverOptions {
  enum class Method {
    /// Elimination, and the dual bound where that would be too large.
    Automatic,
    Elimination,
    DualBound,
  };
  Method method = Method::Automatic;
  /// Most rows a table may have, and most pairs of rows one elimination may
  /// join. Counts, not times, so that the answer does not depend on the
  /// machine.
  int64_t maxRows = int64_t(1) << 21;
  int64_t maxPairs = int64_t(1) << 29;
};

/// What the search did; for reports and tests.
struct SolverStats {
  int64_t nodes = 0;
  /// Options of all nodes, as given and after those were dropped that cannot be
  /// part of the best plan whatever the rest does.
  int64_t options = 0;
  int64_t optionsLeft = 0;
  /// The largest table, and the pairs of rows joined in the last elimination.
  int64_t largestTable = 0;
  int64_t pairsJoined = 0;
  /// Eliminations begun.
  int64_t attempts = 0;
};

struct PlanSolution {
  /// One option per node.
  std::vector<int> choice;
  /// What the choice costs: evaluate(problem, choice).
  Cost cost;
  /// No choice costs less than this.
  Cost lowerBound;
  /// How it was found: "elimination", "dual bound", or "beam search" when it is
  /// not proven to be the best.
  std::string method;
  SolverStats stats;

  /// True when it is proven that no choice is cheaper.
  bool isOptimal() const { return lowerBound == cost; }
};

/// No choice has a finite cost. The nodes named cannot be reconciled: with any
/// one of them free (all its options allowed with anything) there would be a
/// plan, or the search for a smaller set was too costly.
class PlanConflict : public llvm::ErrorInfo<PlanConflict> {
public:
  static char ID;
  explicit PlanConflict(std::vector<int> nodes) : nodes(std::move(nodes)) {}
  llvm::ArrayRef<int> getNodes() const { return nodes; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::vector<int> nodes;
};

/// The cheapest choice. Among equally cheap ones the one whose options have the
/// smallest numbers, by a fixed weighting of the nodes; the same on every
/// machine. Errors: what check() says, a PlanConflict, or a method that was
/// asked for and does not fit its limits.
llvm::Expected<PlanSolution> solvePlan(const PlanProblem &problem,
                                       const SolverOptions &options = {});

} // namespace tpc

#endif // TPC_SUPPORT_PLANSOLVER_H
