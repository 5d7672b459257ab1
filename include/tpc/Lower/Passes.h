// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes and pipeline of the lower stage: tensor programs to LLVM and runtime
// calls.
#ifndef TPC_LOWER_PASSES_H
#define TPC_LOWER_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "tpc/Dialect/TP/LoweredNames.h"

namespace tpc {

#define GEN_PASS_DECL
#include "tpc/Lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tpc/Lower/Passes.h.inc"

/// Shared memory of a block: on all GPUs, and on those of the default
/// processors.
inline constexpr int64_t kMinSharedLimit = 48 << 10;
inline constexpr int64_t kDefaultSharedLimit = 163 << 10;

/// What the whole stage makes.
struct LowerOptions {
  /// cpu or cuda.
  std::string target = "cpu";
  /// Products of f32 may round their factors to TF32.
  bool tf32 = false;
  /// Memory that the matrix library may use for a product, in bytes.
  int64_t productWorkspace = 0;
  /// For cuda: device kernels also as functions of the host, for tests.
  bool hostImage = false;
  /// auto, fused or unfused; only for cuda. Whether auto may count on the
  /// library that computes attention.
  std::string attention = "auto";
  bool hasAttentionLibrary = false;
  /// Shared memory that a block of a device kernel may have, in bytes: what
  /// every GPU has, and more where these can give it.
  int64_t sharedLimit = kDefaultSharedLimit;
};

/// The whole stage: from a scheduled program on local tensors to the LLVM
/// dialect.
void buildLowerPipeline(mlir::OpPassManager &manager,
                        const LowerOptions &options = {});

/// The number of a collective in the manifest.
inline constexpr llvm::StringLiteral kCollectiveIndex = "tp.index";
/// On a generic that a matmul call does with the contraction it follows.
inline constexpr llvm::StringLiteral kEpilogue = "tp.epilogue";

} // namespace tpc

#endif // TPC_LOWER_PASSES_H
