// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which neighbouring loop nests run as one kernel.
#ifndef TPC_LOWER_KERNELGROUPS_H
#define TPC_LOWER_KERNELGROUPS_H

#include "Program.h"

namespace tpc::lower {

/// Puts neighbouring loop nests that work on the same rows into groups (see
/// Action::group): a softmax or a normalisation is one kernel that takes row by
/// row through all its nests while the row is in cache.
/// With `forDevice`, the threads of a block share a row: its elements must lie
/// side by side.
void groupKernels(Program &program, bool forDevice);

/// True when `target`, written by action number `action`, may take the place of
/// `source` although both are used in one group: every unit of the kernel uses
/// its own part of them, the same part in all nests, and none moves the start.
bool mayShareInGroup(const Program &program, unsigned action, BufferId target,
                     BufferId source);

} // namespace tpc::lower

#endif // TPC_LOWER_KERNELGROUPS_H
