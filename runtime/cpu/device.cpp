// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's cores as a device: decides how many of a rank's threads a piece of
// work is worth.

#include "device.h"
#include "matmul.h"
#include "pool.h"
#include "streams.h"
#include "tensor.h"
#include "world.h"
#include <algorithm>
#include <cstdlib>

namespace tpc::rt {

namespace {

/// Waking the helpers of a rank takes a few microseconds: about this many
/// scalar operations, or bytes moved.
constexpr int64_t operationsPerThread = 30000;
constexpr int64_t bytesPerThread = 256 << 10;

class CpuDevice final : public Device {
public:
  CpuDevice(const PlatformOptions &options, DeviceHooks hooks)
      : hooks(std::move(hooks)), matmuls(options.threadsPerRank),
        pool(options.threadsPerRank) {
    if (options.streamThreads)
      streams = std::make_unique<Streams>();
  }

  Status allocate(int64_t bytes, std::shared_ptr<void> &memory) override {
    memory.reset(allocateZeroed(bytes), std::free);
    return {};
  }

  bool isHostMemory() const override { return true; }
  Status upload(void *target, const void *source, int64_t bytes) override {
    std::memcpy(target, source, bytes);
    return {};
  }
  Status download(void *target, const void *source, int64_t bytes) override {
    std::memcpy(target, source, bytes);
    return {};
  }

  Status prepare(const std::shared_ptr<Module> &, const Function &function,
                 std::unique_ptr<DeviceCall> &) override {
    if (streams && function.events > 0)
      streams->start();
    return {};
  }
  Status run(tpc_rt_rank_t &rank, const std::function<int32_t()> &body,
             int32_t &code) override {
    int32_t numEvents = rank.call->signature().events;
    if (!streams || numEvents == 0) {
      code = body();
      return {};
    }
    // However the function ends, the rank has not ended before its streams.
    struct Open {
      explicit Open(CpuDevice &device) : device(device) {
        device.hasStreams = true;
      }
      ~Open() {
        device.streams->drain();
        device.hasStreams = false;
      }
      CpuDevice &device;
    };
    streams->begin(numEvents,
                   [&world = *rank.world] { return world.hasFailed(); });
    Open open(*this);
    code = body();
    return {};
  }

  Status matmul(const tpc_rt_matmul_t &desc, const void *a, const void *b,
                void *c, void *, void *, void *) override {
    std::vector<ProductAt> products;
    if (Status status = prepareMatmul(desc, a, b, c, products))
      return status;
    if (products.empty())
      return {};
    const Product &product = products.front().product;
    // Eight multiplications per instruction at least.
    double operations = static_cast<double>(product.batch) * product.m *
                        product.n * product.k / 8 * products.size();
    int32_t workers = workersFor(operations / operationsPerThread);
    std::vector<Status> failures(workers);
    runOn(workers, [&](int32_t worker) {
      for (const ProductAt &whole : products) {
        ProductAt part;
        if (!partOf(whole, worker, workers, part))
          continue;
        if (!matmuls[worker].run(part, failures[worker]))
          runMatmulLoop(part);
        if (!failures[worker].ok())
          return;
      }
    });
    for (Status &failure : failures)
      if (failure)
        return std::move(failure);
    return {};
  }

  Status launch(tpc_rt_kernel_t fn, int64_t extent, int64_t cost,
                void *const *args) override {
    if (extent <= 0)
      return {};
    double operations =
        static_cast<double>(extent) * std::max<int64_t>(cost, 1);
    int64_t workers =
        std::min<int64_t>(extent, workersFor(operations / operationsPerThread));
    runOn(static_cast<int32_t>(workers), [&](int32_t worker) {
      int64_t begin = extent / workers * worker +
                      std::min<int64_t>(worker, extent % workers);
      int64_t end =
          begin + extent / workers + (worker < extent % workers ? 1 : 0);
      fn(args, begin, end);
    });
    return {};
  }

  bool defers(int32_t stream) const override {
    return hasStreams && stream != TPC_RT_COMPUTE;
  }
  void enqueue(int32_t stream, std::function<void()> work) override {
    streams->enqueue(stream, std::move(work));
  }

  // Without threads, whatever a rank is given is done when the call returns.
  Status record(int32_t event, int32_t stream) override {
    if (hasStreams)
      streams->record(event, stream);
    return {};
  }
  Status wait(int32_t stream, int32_t event) override {
    if (hasStreams && !streams->wait(stream, event))
      return fail(TPC_RT_RANK_FAILED, "another rank has failed");
    return {};
  }

  Status kernel(int32_t, const int64_t *) override {
    return fail(TPC_RT_UNSUPPORTED,
                "device kernels on the cpu: compile for --target cpu");
  }
  void *constant(int32_t) override { return nullptr; }
  Status read(const void *source, void *target, int64_t bytes) override {
    if (bytes > 0)
      std::memcpy(target, source, bytes);
    return {};
  }

  void share(int64_t bytes,
             const std::function<void(int64_t, int64_t)> &body) override {
    int32_t workers = workersFor(static_cast<double>(bytes) / bytesPerThread);
    runOn(workers, [&](int32_t worker) { body(worker, workers); });
  }

private:
  int32_t workersFor(double worth) const {
    return worth >= pool.size() ? pool.size()
                                : std::max(1, static_cast<int32_t>(worth));
  }

  template <typename Body> void runOn(int32_t workers, Body &&body) {
    if (workers == 1)
      return body(0);
    pool.run(workers, hooks.deadline, body, [&] {
      hooks.onLate(fail(TPC_RT_TIMEOUT,
                        "a thread did not finish its share of a kernel within ",
                        hooks.deadline, " seconds"));
    });
  }

  DeviceHooks hooks;
  /// One per thread of the pool.
  std::vector<DnnlMatmul> matmuls;
  Pool pool;
  /// Null where all streams are the rank's thread.
  std::unique_ptr<Streams> streams;
  /// While a function runs that uses them. Also read by their threads.
  bool hasStreams = false;
};

} // namespace

std::unique_ptr<Device> createCpuDevice(const PlatformOptions &options,
                                        DeviceHooks hooks) {
  return std::make_unique<CpuDevice>(options, std::move(hooks));
}

} // namespace tpc::rt
