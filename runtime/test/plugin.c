/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The library of a device that belongs to another build of the runtime. */
#include <stdint.h>

struct {
  int32_t abi_version;
  const char *build_version;
  void *open;
} tpc_rt_device_plugin = {99, "0.0.1", 0};
