// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, fills and reductions of contiguous and rectangular pieces.
#ifndef TPC_RT_SRC_KERNELS_H
#define TPC_RT_SRC_KERNELS_H

#include "plan.h"

namespace tpc::rt {

/// dst = sources[0] op sources[1] op ..., in that order, for `count` elements.
/// 16-bit floats are accumulated in f32 and rounded once. A NaN in any source
/// gives NaN for max and min too. i1 adds modulo 2 and compares as 0 < 1.
void reduceRun(DType dtype, Reduction reduction, void *dst,
               const void *const *sources, size_t numSources, int64_t count);

/// Sets `count` elements to the neutral element of `reduction`.
void fillNeutral(DType dtype, Reduction reduction, void *dst, int64_t count);

/// Does share `share` of `shares` of a transfer with one or more sources;
/// `buffers[rank]` is what the rank offers.
void runTransfer(DType dtype, Reduction reduction, const Transfer &transfer,
                 void *dst, const void *const *buffers, int64_t share,
                 int64_t shares);

/// Sets the piece to the neutral element.
void runFill(DType dtype, Reduction reduction, const Transfer &transfer,
             void *dst);

} // namespace tpc::rt

#endif // TPC_RT_SRC_KERNELS_H
