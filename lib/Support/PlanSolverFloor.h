// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the lower bound that belongs to one value.
#ifndef TPC_LIB_SUPPORT_PLANSOLVERFLOOR_H
#define TPC_LIB_SUPPORT_PLANSOLVERFLOOR_H

#include "PlanSolverStates.h"

namespace tpc::plan {

/// How the ends of a value can go together: the unions of their states, listed
/// up to a size. The same for all values with the same states at their ends.
class Combinations {
public:
  struct End {
    bool isProducer;
    /// Ascending.
    llvm::ArrayRef<int> states;
  };
  struct Entry {
    int state;
    /// The first number of its cost.
    int64_t cost;
  };

  /// `endSets` holds one set of states (TypeStates::makeSet) per end.
  /// `composable`: see PlanProblem::Moves.
  Combinations(TypeStates &type, llvm::ArrayRef<int> endSets, bool composable);

  llvm::ArrayRef<End> getEnds() const { return ends; }
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  /// The states of an end that are part of an entry, as numbers at the end.
  llvm::ArrayRef<int16_t> partsOf(size_t entry, size_t end) const {
    size_t at = entry * ends.size() + end;
    return llvm::ArrayRef(parts).slice(begins[at], begins[at + 1] - begins[at]);
  }

  /// The largest number that scale * cost - prices is never below, whatever the
  /// states at the ends. `prices` are per end and state. Entries that are not
  /// listed and would be below those listed are appended to `missing`.
  int64_t floorOf(llvm::ArrayRef<llvm::SmallVector<int64_t>> prices,
                  int64_t scale, std::vector<int> *missing) const;
  /// Lists one more entry.
  void add(int state);

private:
  friend class FloorSearch;
  bool fits(int whole, int piece) const;

  TypeStates &type;
  bool composable;
  std::vector<End> ends;
  std::vector<Entry> entries;
  std::vector<int> begins;
  std::vector<int16_t> parts;
  /// The states of users, ascending, and whether unions of any number of them
  /// are listed.
  std::vector<int> users;
  bool isComplete = true;
};

} // namespace tpc::plan

#endif // TPC_LIB_SUPPORT_PLANSOLVERFLOOR_H
