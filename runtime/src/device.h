// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank computes on: memory, kernels, contractions. One device per rank.
#ifndef TPC_RT_SRC_DEVICE_H
#define TPC_RT_SRC_DEVICE_H

#include "status.h"
#include <functional>

namespace tpc::rt {

struct Function;
struct Module;

/// How a device tells the world that one of its threads does not come back.
struct DeviceHooks {
  double deadline = 60;
  std::function<void(Status)> onLate;
  /// See Communicator::watch. May be empty.
  std::function<Status(bool isLate)> watch = nullptr;
};

/// What a device keeps of a function that a rank runs: code, constants, events.
class DeviceCall {
public:
  virtual ~DeviceCall() = default;
};

class Device {
public:
  virtual ~Device() = default;

  /// Zeroed memory, aligned to 64 bytes at least, kept until the pointer's last
  /// copy is gone.
  virtual Status allocate(int64_t bytes, std::shared_ptr<void> &memory) = 0;

  /// Whether the host reads and writes the device's memory like its own.
  virtual bool isHostMemory() const = 0;
  /// Copy from and to the host's memory, and return when that is done.
  virtual Status upload(void *target, const void *source, int64_t bytes) = 0;
  virtual Status download(void *target, const void *source, int64_t bytes) = 0;

  /// Called when a call is created, not while the rank runs.
  virtual Status prepare(const std::shared_ptr<Module> &module,
                         const Function &function,
                         std::unique_ptr<DeviceCall> &call) = 0;
  /// Runs a function on the rank's thread. `body` enqueues its work and gives
  /// its code; the work is done on return. A device may leave `body` out where
  /// it has kept what that does.
  virtual Status run(tpc_rt_rank_t &rank, const std::function<int32_t()> &body,
                     int32_t &code) = 0;

  virtual Status matmul(const tpc_rt_matmul_t &desc, const void *a,
                        const void *b, void *c, void *bias, void *aux,
                        void *workspace) = 0;

  /// Only devices that prepare functions with attention do it.
  virtual Status attention(const tpc_rt_attention_t &, const void *const *,
                           void *const *) {
    return fail(TPC_RT_UNSUPPORTED, "not done by this device");
  }

  virtual Status launch(tpc_rt_kernel_t fn, int64_t extent, int64_t cost,
                        void *const *args) = 0;

  /// Whether what is enqueued on the stream is a thread's of its own to do,
  /// with `enqueue`, instead of the caller's.
  virtual bool defers(int32_t /*stream*/) const { return false; }
  virtual void enqueue(int32_t /*stream*/, std::function<void()> /*work*/) {}

  /// The event now stands for all that the stream was given so far.
  virtual Status record(int32_t event, int32_t stream) = 0;
  /// What the stream is given from now on waits for the event.
  virtual Status wait(int32_t stream, int32_t event) = 0;

  /// Kernel `index` of the artifact's images; see tpc_rt_kernel.
  virtual Status kernel(int32_t index, const int64_t *args) = 0;
  virtual void *constant(int32_t index) = 0;
  /// Copies to the host what the compute stream has made.
  virtual Status read(const void *source, void *target, int64_t bytes) = 0;

  /// Runs `body(share, shares)` on as many threads as moving `bytes` is worth.
  virtual void share(int64_t bytes,
                     const std::function<void(int64_t, int64_t)> &body) = 0;
};

struct PlatformOptions;

/// The host's cores, some of them.
std::unique_ptr<Device> createCpuDevice(const PlatformOptions &options,
                                        DeviceHooks hooks);

} // namespace tpc::rt

#endif // TPC_RT_SRC_DEVICE_H
