// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libtpc_rt_cuda.so is to the runtime: gives each rank its GPU.

#include "device.h"
#include "local.h"
#ifdef TPC_NCCL
#include "communicator.h"
#endif

namespace tpc::rt::cuda {

namespace {

class CudaPlatform final : public Platform {
public:
  CudaPlatform(const Driver &driver, const PlatformOptions &options)
      : driver(driver), options(options) {}

  /// Ranks, of several processes those of this machine, go round the GPUs that
  /// CUDA_VISIBLE_DEVICES shows.
  Status createDevice(int32_t rank, DeviceHooks hooks,
                      std::unique_ptr<Device> &device) override {
    int ordinal = options.localRank.value_or(rank) % driver.numDevices;
    std::shared_ptr<Context> &context = contexts[ordinal];
    if (!context) {
      auto fresh = std::make_shared<Context>(driver, ordinal);
      if (Status status = fresh->open())
        return status;
      context = fresh;
    }
    auto fresh = std::make_unique<CudaDevice>(context, recorder, options,
                                              std::move(hooks), rank);
    if (Status status = fresh->open())
      return status;
    device = std::move(fresh);
    return {};
  }

  Status createCommunicator(const std::string &name, World &world,
                            std::unique_ptr<Communicator> &comm) override {
    if (name == "local")
      return createPeerCommunicator(world, comm);
    if (name != "nccl")
      return fail(TPC_RT_UNSUPPORTED,
                  "expected communicator \"local\" or \"nccl\", got \"", name,
                  "\"");
#ifdef TPC_NCCL
    return nccl::createNcclCommunicator(world, comm);
#else
    return Status(TPC_RT_UNSUPPORTED,
                  "communicator \"nccl\": tpc was built without nccl.h");
#endif
  }

private:
  const Driver &driver;
  PlatformOptions options;
  Recorder recorder;
  std::map<int, std::shared_ptr<Context>> contexts;
};

Status openCuda(const PlatformOptions &options,
                std::unique_ptr<Platform> &platform) {
  const Driver *driver = nullptr;
  if (Status status = openDriver(driver))
    return status;
  platform = std::make_unique<CudaPlatform>(*driver, options);
  return {};
}

} // namespace

} // namespace tpc::rt::cuda

extern "C" TPC_RT_SHARED const tpc::rt::DevicePlugin tpc_rt_device_plugin;
const tpc::rt::DevicePlugin tpc_rt_device_plugin = {
    TPC_RT_ABI_VERSION, TPC_RT_BUILD_VERSION, tpc::rt::cuda::openCuda};
