// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a kernel of a host image: block after block, each GPU thread on a stack
// of its own, so that threads meet at barriers and shuffles as on a device.
//
// Which thread goes first is for the caller to choose: a kernel in which a
// barrier is missing gives other values in another order. Shared memory holds
// garbage when a block begins, and a block whose threads do not all arrive at
// a barrier or a shuffle is an error, not a hang.
#ifndef TPC_TEST_DEVICE_SIMULATOR_BLOCKEXECUTOR_H
#define TPC_TEST_DEVICE_SIMULATOR_BLOCKEXECUTOR_H

#include "host_image.h"
#include <functional>
#include <string>

namespace tpc::sim {

enum class Order { Forward, Reverse, Random };

struct OrderOptions {
  Order order = Order::Forward;
  uint64_t seed = 0;

  /// Of `forward`, `reverse` or `random:SEED`; throws std::invalid_argument.
  static OrderOptions parse(const std::string &text);
};

struct KernelLaunch {
  const char *name;
  void (*run)(void **params);
  void **params;
  int64_t grid;
  int64_t block;
  int64_t sharedBytes; // dynamic, beside what the kernel asks for itself
};

/// Who accesses, and between which barriers: phases of other blocks are others.
struct Place {
  int32_t block;
  int32_t thread;
  int32_t phase;
};

/// What to do with an access to memory that is not the block's shared one:
/// false ends the kernel.
using Touch = std::function<bool(const void *address, int64_t bytes,
                                 int32_t kind, const Place &place)>;

/// What the kernels of an image may call.
const tpc_sim_api *kernelApi();

/// Runs all blocks; what went wrong, or an empty text.
std::string runKernel(const KernelLaunch &launch, const OrderOptions &order,
                      const Touch &touch = nullptr);

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_BLOCKEXECUTOR_H
