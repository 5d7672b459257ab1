// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the buffers that exist in the shared memory of one kernel alone.
#ifndef TPC_LOWER_INTERNALBUFFERS_H
#define TPC_LOWER_INTERNALBUFFERS_H

#include "Program.h"

namespace tpc::lower {

/// Per buffer: only nests of one kernel group use it, and their device kernel
/// keeps all of it in shared memory, of which a block may have `sharedLimit`
/// bytes. It needs no place.
std::vector<bool> findInternalBuffers(const Program &program,
                                      int64_t sharedLimit);

} // namespace tpc::lower

#endif // TPC_LOWER_INTERNALBUFFERS_H
