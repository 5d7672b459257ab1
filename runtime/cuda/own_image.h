// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own kernels as the driver loads them.
#ifndef TPC_RT_CUDA_OWN_IMAGE_H
#define TPC_RT_CUDA_OWN_IMAGE_H

#include "driver.h"

namespace tpc::rt::cuda {

/// The lowest compute capability that own_kernels.cu is compiled for.
constexpr int ownLeastCapability = 80;

/// Machine code for all GPUs from there on; null below. A simulated GPU, of
/// capability 0, brings its own.
const void *ownImage(const Driver &driver, int capability);

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_OWN_IMAGE_H
