// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One GPU as the ranks on it share it: its context, what it can do, and the
// code that is loaded on it.
#ifndef TPC_RT_CUDA_CONTEXT_H
#define TPC_RT_CUDA_CONTEXT_H

#include "driver.h"
#include "module.h"
#include <atomic>
#include <map>
#include <mutex>

namespace tpc::rt::cuda {

class Context;

/// A module's kernels and constants on one GPU.
struct LoadedModule {
  std::shared_ptr<Context> context;
  std::shared_ptr<Module> module;
  CUmodule code = nullptr;
  std::vector<CUfunction> kernels;
  std::vector<CUdeviceptr> constants;

  LoadedModule() = default;
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;
  ~LoadedModule();
};

class Context : public std::enable_shared_from_this<Context> {
public:
  Context(const Driver &driver, int ordinal)
      : driver(driver), ordinal(ordinal) {}
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  Status open();

  /// Makes the calling thread one of this GPU's. Fails where it is stuck, since
  /// almost every call of the driver would wait for it.
  Status makeCurrent() const;

  /// The GPU has been given work that does not end. What it holds stays behind:
  /// freeing memory or a stream would wait for ever.
  void giveUp() { stuck.store(true, std::memory_order_relaxed); }
  bool isStuck() const { return stuck.load(std::memory_order_relaxed); }

  /// `device 0 (NVIDIA H200)`
  std::string str() const;
  /// 90 for compute capability 9.0.
  int capability() const { return major * 10 + minor; }

  /// Loads what the module has for this GPU, once however many ask.
  Status load(const std::shared_ptr<Module> &module,
              std::shared_ptr<LoadedModule> &loaded);
  /// Loads the runtime's own kernels, once.
  Status ownKernel(const std::string &name, CUfunction &function);

  /// Lets this GPU's kernels reach the memory of `other`.
  Status enablePeer(const Context &other);

  const Driver &driver;
  const int ordinal;
  CUdevice device = 0;

private:
  Status loadCode(const Module &module, LoadedModule &loaded);
  Status allowShared(const DeviceKernel &kernel, CUfunction function);

  CUcontext context = nullptr;
  std::string name;
  int major = 0;
  int minor = 0;
  std::mutex mutex;
  std::map<const Module *, std::weak_ptr<LoadedModule>> modules;
  CUmodule own = nullptr;
  std::map<std::string, CUfunction> ownKernels;
  std::vector<int> peers;
  std::atomic<bool> stuck{false};
};

/// The image for a GPU of this capability, the one made for the nearest of
/// those that fit; null where none does. Machine code fits from its own
/// capability up to the end of the major version, PTX everything from its own
/// on, and code that runs in the process (capability 0) nothing else.
const Image *chooseImage(const Manifest &manifest, int capability);

/// The number behind `sm_`; 0 for "host".
int capabilityOf(const Image &image);

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_CONTEXT_H
