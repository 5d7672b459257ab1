// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the devices of a world come from: the runtime itself, or a library
// beside it that is opened when a program needs it.
#ifndef TPC_RT_SRC_PLUGIN_H
#define TPC_RT_SRC_PLUGIN_H

#include "comm.h"
#include "device.h"
#include <optional>

namespace tpc::rt {

/// What the devices and communicators of a world are made with.
struct PlatformOptions {
  int32_t threadsPerRank = 1;
  /// Where the process has one rank of several: its number among the processes
  /// of this machine.
  std::optional<int32_t> localRank;
  /// Cpu: streams beside the compute stream have threads of their own.
  bool streamThreads = false;
  /// Record a function once and replay it, where the device can.
  bool useGraphs = true;
};

/// The devices of one kind.
class Platform {
public:
  virtual ~Platform() = default;
  virtual Status createDevice(int32_t rank, DeviceHooks hooks,
                              std::unique_ptr<Device> &device) = 0;
  /// Called when the world has all its devices. `name` as in
  /// tpc_rt_world_options_t.
  virtual Status createCommunicator(const std::string &name, World &world,
                                    std::unique_ptr<Communicator> &comm) = 0;
};

/// What a device library exports as tpc_rt_device_plugin.
struct DevicePlugin {
  /// Of the runtime it was built with; the two share C++ classes.
  int32_t abiVersion;
  const char *buildVersion;
  Status (*open)(const PlatformOptions &options,
                 std::unique_ptr<Platform> &platform);
};

/// Opens the platform called `device`: "cpu", or "cuda" from libtpc_rt_cuda.so
/// beside libtpc_rt.so.
Status openPlatform(const std::string &device, const PlatformOptions &options,
                    std::unique_ptr<Platform> &platform);

} // namespace tpc::rt

#endif // TPC_RT_SRC_PLUGIN_H
