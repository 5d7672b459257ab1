// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the library of a device beside the runtime's own, and makes sure that
// the two are of one build.

#include "plugin.h"
#include <dlfcn.h>
#include <unistd.h>

namespace tpc::rt {

namespace {

class CpuPlatform final : public Platform {
public:
  explicit CpuPlatform(const PlatformOptions &options) : options(options) {}

  Status createDevice(int32_t, DeviceHooks hooks,
                      std::unique_ptr<Device> &device) override {
    device = createCpuDevice(options, std::move(hooks));
    return {};
  }

  Status createCommunicator(const std::string &name, World &world,
                            std::unique_ptr<Communicator> &comm) override {
    if (name == "nccl")
      return fail(
          TPC_RT_UNSUPPORTED,
          "unsupported: communicator \"nccl\" between ranks on the cpu; "
          "use --comm local, or compile for --target cuda");
    if (name != "local")
      return fail(TPC_RT_UNSUPPORTED, "expected communicator \"local\", got \"",
                  name, "\"");
    comm = createLocalCommunicator(world);
    return {};
  }

private:
  PlatformOptions options;
};

/// The folder of the library (or executable) that this code is in.
std::string runtimeFolder() {
  Dl_info info;
  std::string path;
  if (dladdr(reinterpret_cast<void *>(&runtimeFolder), &info) && info.dli_fname)
    path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Status openCudaPlatform(const PlatformOptions &options,
                        std::unique_ptr<Platform> &platform) {
  std::string path = runtimeFolder() + "/libtpc_rt_cuda.so";
  if (access(path.c_str(), F_OK) != 0)
    return fail(TPC_RT_UNSUPPORTED,
                "the artifact is compiled for CUDA and this installation has "
                "no libtpc_rt_cuda.so; build tpc with the CUDA toolkit");
  // Never closed: compiled code and threads of the driver stay behind.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::string reason = dlerror();
    if (reason.find("libcublasLt") == std::string::npos)
      return fail(TPC_RT_NOT_FOUND, "cannot load \"", path, "\": ", reason);
    return fail(TPC_RT_UNSUPPORTED, "cannot load \"", path, "\": ", reason,
                "; it needs cuBLASLt of the CUDA toolkit, whose folder must be "
                "in LD_LIBRARY_PATH");
  }
  auto *plugin =
      static_cast<const DevicePlugin *>(dlsym(library, "tpc_rt_device_plugin"));
  if (!plugin)
    return fail(TPC_RT_MALFORMED, "\"", path,
                "\" has no symbol tpc_rt_device_plugin");
  if (plugin->abiVersion != TPC_RT_ABI_VERSION ||
      std::string(plugin->buildVersion) != TPC_RT_BUILD_VERSION)
    return fail(TPC_RT_VERSION, "\"", path, "\" is of tpc ",
                plugin->buildVersion, " with ABI version ", plugin->abiVersion,
                ", this runtime of tpc ", TPC_RT_BUILD_VERSION,
                " with ABI version ", TPC_RT_ABI_VERSION,
                "; install both from one build");
  return plugin->open(options, platform);
}

} // namespace

Status openPlatform(const std::string &device, const PlatformOptions &options,
                    std::unique_ptr<Platform> &platform) {
  if (device == "cuda")
    return openCudaPlatform(options, platform);
  if (device != "cpu")
    return fail(TPC_RT_INVALID_ARGUMENT,
                "expected device \"cpu\" or \"cuda\", got \"", device, "\"");
  platform = std::make_unique<CpuPlatform>(options);
  return {};
}

} // namespace tpc::rt
