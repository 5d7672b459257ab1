// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the host function of a planned program.
#ifndef TPC_LOWER_EMITHOST_H
#define TPC_LOWER_EMITHOST_H

#include "BufferPlan.h"
#include "DeviceLibrary.h"
#include "HostGlobals.h"
#include "Kernels.h"

namespace tpc::lower {

/// The entry points of the runtime, by name.
mlir::LLVM::LLVMFuncOp getRuntimeFunction(mlir::ModuleOp module,
                                          llvm::StringRef name);

/// The host functions of a module, with the kernels and constants they share.
class HostLibrary {
public:
  /// With `sharedLimit`, kernels are those of a device whose blocks may have
  /// so many bytes of shared memory.
  HostLibrary(mlir::ModuleOp module, std::optional<int64_t> sharedLimit)
      : module(module), kernels(module), globals(module) {
    if (sharedLimit)
      device.emplace(module, *sharedLimit);
  }

  /// Adds `tpc_fn_NAME` for `program`, before its function. Fails, and says so,
  /// where a device cannot run a kernel.
  mlir::LogicalResult emit(const Program &program, const BufferPlan &plan);

private:
  mlir::ModuleOp module;
  KernelLibrary kernels;
  /// Set when kernels are those of a device.
  std::optional<DeviceLibrary> device;
  HostGlobals globals;
};

} // namespace tpc::lower

#endif // TPC_LOWER_EMITHOST_H
