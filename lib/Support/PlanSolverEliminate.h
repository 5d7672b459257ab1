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
  /// answer is a plan then, not the best one.
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

  /// Adds a bound on a part of the weights, of all choices within the limit so
  /// far.
  void addDual(int part);
  size_t numDuals() const { return duals.size(); }
  /// The bound of a dual, rounded up to whole units.
  int64_t boundOf(size_t dual) const;
  /// Gives up limits, and all duals but the first.
  void resetLimit();
  /// Leaves out choices that exceed `most`, which has one number per dual: by
  /// the first dual, or by the second where the first is equal, ... Conflict
  /// when nothing is left.
  Status setLimit(llvm::ArrayRef<int64_t> most);

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
  int64_t rowBound(const Dual &dual, int t, size_t row) const;
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
  /// Bounds for the node tables, and the limit of each.
  std::vector<Dual> duals;
  llvm::SmallVector<int64_t> limit;

  /// What there is while tables are joined: the node tables first, then those
  /// made from two others. `parts` are these two; {node, -1} of a node table.
  std::vector<Table> tables;
  std::vector<std::pair<int, int>> parts;
  std::vector<char> isLive;
  /// Per value the live tables it ends in.
  std::vector<llvm::SmallVector<int, 4>> tablesOf;
  /// The duals with prices of all tables; per dual the least row of each table
  /// and the whole bound.
  std::vector<Dual> current;
  std::vector<std::vector<int64_t>> least;
  std::vector<int64_t> bounds;
};

} // namespace tpc::plan

#endif // TPC_LIB_SUPPORT_PLANSOLVERELIMINATE_H
