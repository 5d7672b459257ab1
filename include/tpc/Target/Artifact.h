// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes artifacts: objects, shared libraries and executables with a manifest.
#ifndef TPC_TARGET_ARTIFACT_H
#define TPC_TARGET_ARTIFACT_H

#include "mlir/IR/BuiltinOps.h"
#include "tpc/Target/DeviceCode.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace tpc {

/// How machine code is made.
struct EmitOptions {
  /// A processor as LLVM names it, or "native" for this machine's.
  std::string cpu = "native";
  /// 0 to 3, as compilers have it.
  unsigned optLevel = 3;
  /// Where libtpc_rt.so and libtpc_rt_main.a are; empty: `../lib` from the
  /// directory of the running program.
  std::string libDir;
  /// Images to embed, or null.
  const DeviceCode *device = nullptr;
};

/// The manifest of a scheduled module: mesh, functions, collectives, the
/// `report`, and `reference`, the text of the one-device program. The
/// fingerprint covers all that and the text of `scheduled`.
std::string buildManifest(mlir::ModuleOp scheduled, llvm::json::Value report,
                          llvm::StringRef reference);

/// The manifest with what lowering found: workspaces, events, and for a device
/// with its own memory, where `device` is not null, its constants, images and
/// kernels.
std::string completeManifest(llvm::StringRef manifest, mlir::ModuleOp lowered,
                             const DeviceCode *device);

/// The kernels of a lowered module in their order, as the manifest lists them,
/// with the statistics of `device` where that is not null.
llvm::json::Array buildKernels(mlir::ModuleOp lowered,
                               const DeviceCode *device);

/// Each of these turns a lowered module (LLVM dialect) into a file at `path`.
/// On failure nothing is left there.
llvm::Error emitLLVMIR(mlir::ModuleOp lowered, llvm::StringRef manifest,
                       llvm::StringRef path, const EmitOptions &options);
llvm::Error emitObject(mlir::ModuleOp lowered, llvm::StringRef manifest,
                       llvm::StringRef path, const EmitOptions &options);
llvm::Error emitSharedLibrary(mlir::ModuleOp lowered, llvm::StringRef manifest,
                              llvm::StringRef path, const EmitOptions &options);
llvm::Error emitExecutable(mlir::ModuleOp lowered, llvm::StringRef manifest,
                           llvm::StringRef path, const EmitOptions &options);

} // namespace tpc

#endif // TPC_TARGET_ARTIFACT_H
