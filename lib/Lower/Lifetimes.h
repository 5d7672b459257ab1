// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the content of each buffer is needed.
#ifndef TPC_LOWER_LIFETIMES_H
#define TPC_LOWER_LIFETIMES_H

#include "Program.h"

namespace tpc::lower {

/// Actions by number, the first and the last included. The number of actions is
/// the caller, who wants the results.
struct Interval {
  unsigned begin, end;
};

/// In order, and apart but for common ends.
using Lifetime = llvm::SmallVector<Interval, 1>;

/// The lifetime of each buffer. What a loop needs from outside lives to the
/// loop's end; a carried buffer is dead between its last use in the body and
/// the copy of the next value.
std::vector<Lifetime> findLifetimes(const Program &program);

/// Whether what lies in the buffer behind action `action` is needed later.
inline bool isNeededBehind(const Lifetime &life, unsigned action) {
  return llvm::any_of(life, [&](const Interval &interval) {
    return interval.begin <= action && interval.end > action;
  });
}

} // namespace tpc::lower

#endif // TPC_LOWER_LIFETIMES_H
