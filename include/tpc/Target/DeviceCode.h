// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes machine code of the device kernels in a lowered module.
#ifndef TPC_TARGET_DEVICECODE_H
#define TPC_TARGET_DEVICECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace tpc {

/// The processors that device code can be made for, oldest first; last `host`,
/// which is functions of this process, for tests.
llvm::ArrayRef<llvm::StringRef> deviceArchs();

/// What NVIDIA recommends as the workspace of cuBLAS on the largest of `archs`,
/// of the default ones where that is empty: 32 MiB from sm_90 on, else 4 MiB.
int64_t productWorkspaceBytes(llvm::ArrayRef<std::string> archs);

struct DeviceOptions {
  /// Of deviceArchs(). Empty: sm_80, sm_90 and sm_100, as far as the assembler
  /// knows them.
  std::vector<std::string> archs;
  /// A CUDA toolkit; empty: the one that CUDA_HOME, CUDA_PATH or PATH name, or
  /// else /usr/local/cuda.
  std::string cudaPath;
  /// 0 to 3, as compilers have it.
  unsigned optLevel = 3;
};

/// Bytes of shared memory that a block may have on all of `archs`, and on
/// sm_80, sm_90 and sm_100 if there are none or the host alone.
int64_t sharedMemoryLimit(llvm::ArrayRef<std::string> archs);

/// Code of all kernels for one processor: a symbol of the artifact.
struct DeviceImage {
  /// sm_90, or host.
  std::string arch;
  /// cubin, ptx or host.
  std::string kind;
  std::string symbol;
  /// Nothing for a host image, which is part of the host's code.
  std::string content;
  /// Of the symbol.
  int64_t bytes = 0;
};

/// What the assembler says of a kernel on one processor.
struct KernelStatistics {
  int64_t registers = 0;
  int64_t spillBytes = 0;
  int64_t sharedBytes = 0;
  /// Local memory of a thread, that of slow paths it calls included.
  int64_t stackBytes = 0;
};

struct DeviceCode {
  std::vector<DeviceImage> images;
  /// By kernel, then by processor.
  std::map<std::string, std::map<std::string, KernelStatistics>> statistics;
};

/// Cubins for the processors asked for, PTX of the newest, and the host image
/// where it is asked for. Needs ptxas, and libdevice where a kernel calls a
/// math function.
llvm::Expected<DeviceCode> emitDeviceCode(mlir::ModuleOp lowered,
                                          const DeviceOptions &options);

/// Writes the PTX text of the newest processor asked for. Needs no assembler.
llvm::Error emitPTX(mlir::ModuleOp lowered, llvm::StringRef path,
                    const DeviceOptions &options);

} // namespace tpc

#endif // TPC_TARGET_DEVICECODE_H
