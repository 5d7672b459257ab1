// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device kernels of a module: numbered, written once per structure.
#ifndef TPC_LOWER_DEVICELIBRARY_H
#define TPC_LOWER_DEVICELIBRARY_H

#include "Kernels.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tpc::lower {

class DeviceLibrary {
public:
  /// Kernels are added to a gpu.module at the end of `module`. Their blocks
  /// take up to `sharedLimit` bytes of shared memory.
  DeviceLibrary(mlir::ModuleOp module, int64_t sharedLimit)
      : module(module), sharedLimit(sharedLimit) {}

  /// The number of `kernel`, new or of one of the same structure, for a place
  /// in the program where it is launched so often.
  /// Fails, and says so at `loc`, where a launch cannot be so large.
  mlir::FailureOr<int32_t> get(const Kernel &kernel, mlir::Location loc,
                               int64_t launches);

private:
  mlir::ModuleOp module;
  int64_t sharedLimit;
  mlir::gpu::GPUModuleOp device;
  struct Entry {
    int32_t number;
    mlir::gpu::GPUFuncOp function;
    int64_t launches = 0;
  };
  std::map<KernelKey, Entry> kernels;
};

} // namespace tpc::lower

#endif // TPC_LOWER_DEVICELIBRARY_H
