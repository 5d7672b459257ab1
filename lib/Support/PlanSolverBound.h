// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lower bound on what every choice weighs, by dual ascent.
#ifndef TPC_LIB_SUPPORT_PLANSOLVERBOUND_H
#define TPC_LIB_SUPPORT_PLANSOLVERBOUND_H

#include "PlanSolverTable.h"

namespace tpc::plan {

/// Prices on the states at the ends of values, in what the first number of
/// weights counts. A table pays the price of the state it shows at an end, and
/// the value is paid the prices at all its ends. Whatever the choice, then,
///
///   scale * weight = sum over tables of (scale * row + prices of its states)
///              + sum over values of (scale * cost - prices of its ends)
///             >= sum over tables of the least row + sum over values of floors
///
/// All of it in whole numbers, so the bound is proven whatever the way the
/// prices were found.
struct Dual {
  /// Prices are in units of 1 / scale, so that rounding them costs little.
  int64_t scale;
  /// Per table, per port, by state.
  std::vector<llvm::SmallVector<llvm::DenseMap<int, int64_t>, 4>> prices;
  /// Per value.
  std::vector<int64_t> floors;

  /// The prices of a row.
  int64_t priceOf(size_t table, llvm::ArrayRef<int> row) const {
    int64_t sum = 0;
    for (size_t c = 0; c < row.size(); ++c)
      sum += prices[table][c].lookup(row[c]);
    return sum;
  }
};

/// Looks for prices with a high bound, sweeping over the tables in their order.
Dual findDual(llvm::ArrayRef<Table> tables, size_t numValues,
              MoveStates &states, bool composable);

} // namespace tpc::plan

#endif // TPC_LIB_SUPPORT_PLANSOLVERBOUND_H
