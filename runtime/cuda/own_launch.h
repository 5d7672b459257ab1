// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own kernels, enqueued.
#ifndef TPC_RT_CUDA_OWN_LAUNCH_H
#define TPC_RT_CUDA_OWN_LAUNCH_H

#include "device.h"
#include "own_kernels.h"
#include <cstddef>

namespace tpc::rt::cuda {

/// One thread for each of `elements`, or fewer that stride. `words`: the
/// kernel's one parameter; the first is its number of threads, which is set
/// here.
Status launchOwn(CudaDevice &device, int32_t stream, const std::string &kernel,
                 int64_t elements, int64_t *words);

template <typename Args>
Status launchOwn(CudaDevice &device, int32_t stream, const std::string &kernel,
                 int64_t elements, Args args) {
  static_assert(offsetof(Args, numThreads) == 0 && sizeof(Args) % 8 == 0);
  return launchOwn(device, stream, kernel, elements,
                   reinterpret_cast<int64_t *>(&args));
}

/// Enqueues one piece: `buffers[rank]` is what a source offers. Without sources
/// the piece becomes the neutral element. At most `mostSources` sources.
Status enqueueTransfer(CudaDevice &device, int32_t stream, DType dtype,
                       Reduction reduction, const Transfer &transfer,
                       void *target, const void *const *buffers);

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_OWN_LAUNCH_H
