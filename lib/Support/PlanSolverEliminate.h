// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact solution by joining tables two at a time.
#ifndef TPC_LIB_SUPPORT_PLANSOLVERELIMINATE_H
#define TPC_LIB_SUPPORT_PLANSOLVERELIMINATE_H

#include "PlanSolverBound.h"

namespace tpc::plan {

/// The options each node may still take, ascending. A node without any is left
/// out, and with it the values it makes and its uses.
using OpenOptions = std::vector<std::vector<int>>;

/// How much an elimination may cost.
struct Effort {
  int64_t maxRows;
  int64_t maxWork;
  /// When not 0: tables keep this many rows, those of the lowest bound. The
  /// answer is a plan then, not the best one. Needs a bound.
  int64_t beam = 0;
};

class Eliminator {
public:
  enum class Status { Solved, Conflict, TooLarge };

  Eliminator(const PlanProblem &problem, MoveStates &states,
             const OpenOptions &open, SolverStats &stats);

  /// Drops options that cannot matter. Solved when each node keeps one at
  /// least, else Conflict.
  Status prepare();
  /// Looks for the choice of least weight among those within the limit.
  /// Conflict: there is none.
  Status solve(const Effort &effort);

  /// Finds a lower bound on the first number of weights.
  void findBound();
  /// The bound, rounded up to whole units.
  int64_t getBound() const;
  /// Leaves out choices whose first number is above `most`. Conflict when
  /// nothing is left. Needs a bound.
  Status setLimit(int64_t most);
  void resetLimit();

  /// After Solved: an option per node, -1 for one left out.
  llvm::ArrayRef<int> getChoice() const { return choice; }
  /// After Conflict: nodes that have no plan together, ascending.
  llvm::ArrayRef<int> getConflict() const { return conflict; }

private:
  void makeNodeTables();
  void start();
  Status makeConsistent();
  bool pruneTable(int t);
  std::vector<std::pair<int, int>> chooseOrder() const;
  Status joinPair(int a, int b, const Effort &effort);
  void cutToBeam(int t, int64_t beam);
  int64_t rowBound(int t, size_t row) const;
  int64_t leastRow(int t) const;
  void readBack(int t);
  void setConflict(std::vector<int> from);
  bool isClosedBy(int value, int a, int b) const;

  const PlanProblem &problem;
  MoveStates &states;
  const OpenOptions &open;
  SolverStats &stats;
  std::vector<int> choice, conflict;

  /// One table per node: with all its options, and with those within the limit;
  /// and which of them a value ends in.
  std::vector<Table> allNodeTables, nodeTables;
  std::vector<llvm::SmallVector<int, 4>> nodeTablesOf;
  /// The bound for the node tables with all their options.
  std::optional<Dual> dual;
  std::optional<int64_t> limit;

  /// What there is while tables are joined: the node tables first, then those
  /// made from two others. `parts` are these two; {node, -1} of a node table.
  std::vector<Table> tables;
  std::vector<std::pair<int, int>> parts;
  std::vector<char> isLive;
  /// Per value the live tables it ends in.
  std::vector<llvm::SmallVector<int, 4>> tablesOf;
  /// The dual with prices of all tables, the least row of each table under it,
  /// and the whole bound.
  std::optional<Dual> current;
  std::vector<int64_t> least;
  int64_t bound = 0;
};

} // namespace tpc::plan

#endif // TPC_LIB_SUPPORT_PLANSOLVERELIMINATE_H
