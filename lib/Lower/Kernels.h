// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a module: written once per structure.
#ifndef TPC_LOWER_KERNELS_H
#define TPC_LOWER_KERNELS_H

#include "KernelSchedule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <map>

namespace tpc::lower {

/// One nest of a kernel.
struct KernelPart {
  const Nest *nest;
  KernelSchedule schedule;
  /// Which pointer of the kernel each access goes through. Accesses to one
  /// place share a pointer, so that pointers never alias.
  llvm::SmallVector<unsigned> pointers;
};

/// Nests with a common launch range: unit after unit runs through all of them.
/// A kernel takes one array: pointers to buffers, then pointers to the host
/// values among the scalars of its nests, in order.
struct Kernel {
  std::vector<KernelPart> parts;
  /// Per pointer: to an aligned place, as the start of a buffer is, and not to
  /// just any.
  llvm::SmallVector<bool> aligned;
  /// The common launch range of several nests.
  std::optional<int64_t> units;
  /// For devices, per pointer: what the kernel writes is needed behind it.
  llvm::SmallVector<bool> liveOut;
  /// For devices, per pointer: it stands for a place in shared memory alone,
  /// and the kernel does not get it.
  llvm::SmallVector<bool> internal;

  unsigned numPointers() const { return aligned.size(); }
};

/// Parameters of a device kernel, of 8 bytes each: PTX has 4352 bytes for them
/// (PTX ISA, "Kernel Function Parameters").
inline constexpr unsigned kMaxParameters = 544;

/// Equal for kernels of equal structure.
using KernelKey = std::vector<uintptr_t>;
KernelKey structureOf(const Kernel &kernel);

/// The kernels of a module, written once per structure.
class KernelLibrary {
public:
  /// Kernels are added at the end of `module`.
  explicit KernelLibrary(mlir::ModuleOp module) : module(module) {}

  /// The function of `kernel`, new or of one of the same structure.
  mlir::LLVM::LLVMFuncOp get(const Kernel &kernel, mlir::Location loc);

private:
  mlir::ModuleOp module;
  std::map<KernelKey, mlir::LLVM::LLVMFuncOp> kernels;
};

/// Writes the two functions of a kernel to the end of `module`: `name`, with
/// the signature of tpc_rt_kernel_t, and its body, whose pointers do not alias.
mlir::LLVM::LLVMFuncOp emitKernel(mlir::ModuleOp module, llvm::StringRef name,
                                  const Kernel &kernel, mlir::Location loc);

} // namespace tpc::lower

#endif // TPC_LOWER_KERNELS_H
