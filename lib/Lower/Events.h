// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes streams wait for each other.
#ifndef TPC_LOWER_EVENTS_H
#define TPC_LOWER_EVENTS_H

#include "BufferPlan.h"

namespace tpc::lower {

/// A stretch of memory that an action uses.
struct MemoryUse {
  Storage::Kind kind;
  /// Bytes of the workspace, or of a buffer of the caller, by its number.
  int64_t buffer, begin, end;
  bool writes;

  bool conflictsWith(const MemoryUse &other) const {
    return (writes || other.writes) && kind == other.kind &&
           buffer == other.buffer && begin < other.end && other.begin < end;
  }
};

/// All memory that an action uses and that somebody may write.
llvm::SmallVector<MemoryUse, 4> getMemoryUses(const Program &program,
                                              const BufferPlan &plan,
                                              const Action &action);

/// Adds the records and waits that order all uses of the same memory. At
/// markers the compute stream has waited for the others.
void addEvents(Program &program, const BufferPlan &plan);

/// Checks a program with its events, in another way than they are found: one
/// line per pair of actions that use the same memory in no order.
std::vector<std::string> findRaces(const Program &program,
                                   const BufferPlan &plan);

/// How an action is called in texts: `compute matmul`, `gather all_gather of
/// w`.
std::string describe(const Action &action);

} // namespace tpc::lower

#endif // TPC_LOWER_EVENTS_H
