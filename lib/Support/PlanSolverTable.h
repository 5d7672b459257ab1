// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of a set of nodes: what the set costs for each way in which the
// rest of the program can see it.
#ifndef TPC_LIB_SUPPORT_PLANSOLVERTABLE_H
#define TPC_LIB_SUPPORT_PLANSOLVERTABLE_H

#include "PlanSolverStates.h"

namespace tpc::plan {

/// Rows of states, one state for each value that ends inside and outside of the
/// set, with the least weight of the set's own choices that give these states.
struct Table {
  /// The values, ascending.
  llvm::SmallVector<int, 4> ports;
  /// row * ports + column.
  std::vector<int> states;
  std::vector<Weight> weights;
  /// Where a row comes from: rows of the two tables joined. Of the table of one
  /// node: its option, and 0.
  std::vector<std::pair<int, int>> origins;
  /// Per port the set (TypeStates::makeSet) of the states that occur.
  llvm::SmallVector<int, 4> sets;

  size_t numRows() const { return weights.size(); }
  llvm::ArrayRef<int> row(size_t row) const {
    return llvm::ArrayRef(states).slice(row * ports.size(), ports.size());
  }
  int state(size_t row, size_t column) const {
    return states[row * ports.size() + column];
  }
  int findPort(int value) const {
    return llvm::find(ports, value) - ports.begin();
  }
  void addRow(llvm::ArrayRef<int> row, Weight weight,
              std::pair<int, int> origin) {
    states.insert(states.end(), row.begin(), row.end());
    weights.push_back(weight);
    origins.push_back(origin);
  }
};

/// What is known of the rest of the program at a port: sets of states, -1 when
/// not known.
struct Outside {
  /// The states the rest may show.
  int states = -1;
  /// The states of the part of the rest that holds the producer.
  int producers = -1;
};

/// Keeps the given rows, ascending, and fills `sets`.
void keepRows(Table &table, llvm::ArrayRef<int> rows, MoveStates &states);

/// Keeps the cheapest row of those with equal states, drops rows that the rest
/// cannot complete, and rows that another one is never worse than. Fills
/// `sets`. Returns true when rows were dropped.
bool prune(Table &table, MoveStates &states, llvm::ArrayRef<Outside> outside);

/// What the rows of a joined table lead to at least, in what the first number
/// of weights counts, and what is too much. See PlanSolverBound.h for prices.
struct JoinBound {
  using PricesByState = llvm::DenseMap<int, int64_t>;
  int64_t scale;
  /// Prices at the ports of the two tables.
  llvm::ArrayRef<PricesByState> pricesA, pricesB;
  /// The bound on all that is outside of the two tables.
  int64_t outside;
  /// Rows that lead to more than this are left out.
  int64_t most;
  /// Result: prices at the ports of the joined table.
  llvm::SmallVector<PricesByState, 4> prices;
};

/// Joins the tables of two sets of nodes. `closed` are the values that end
/// nowhere else; their cost is added and their ports go. `bound` may be null.
/// Nothing when it takes
/// more than `maxRows` rows, or when `work`, which counts pairs of rows, would
/// pass `maxWork`.
std::optional<Table> join(const Table &a, const Table &b,
                          llvm::ArrayRef<int> closed, MoveStates &states,
                          JoinBound *bound, int64_t maxRows, int64_t maxWork,
                          int64_t &work);

} // namespace tpc::plan

#endif // TPC_LIB_SUPPORT_PLANSOLVERTABLE_H
