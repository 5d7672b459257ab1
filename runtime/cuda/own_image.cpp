// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries what nvcc made of own_kernels.cu.

#include "own_image.h"
#include <dlfcn.h>

// TPC_RT_OWN_FATBIN is the path of the file.
__asm__(".section .rodata\n"
        ".balign 16\n"
        "tpc_rt_own_fatbin:\n"
        ".incbin \"" TPC_RT_OWN_FATBIN "\"\n"
        ".previous\n");

extern "C" __attribute__((visibility("hidden"))) const char tpc_rt_own_fatbin[];

namespace tpc::rt::cuda {

const void *ownImage(const Driver &driver, int capability) {
  if (capability == 0) {
    auto *simulated = reinterpret_cast<const void *(*)()>(
        dlsym(driver.library, "tpc_sim_own_image"));
    return simulated ? simulated() : nullptr;
  }
  return capability >= ownLeastCapability ? tpc_rt_own_fatbin : nullptr;
}

} // namespace tpc::rt::cuda
