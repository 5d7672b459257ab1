// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes and pipeline of the lower stage: tensor programs to LLVM and runtime
// calls.
#ifndef TPC_LOWER_PASSES_H
#define TPC_LOWER_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tpc {

#define GEN_PASS_DECL
#include "tpc/Lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tpc/Lower/Passes.h.inc"

/// The whole stage: from a scheduled program on local tensors to the LLVM
/// dialect.
void buildLowerPipeline(mlir::OpPassManager &manager);

/// The number of a collective in the manifest.
inline constexpr llvm::StringLiteral kCollectiveIndex = "tp.index";
/// On a lowered function: the size of its workspace.
inline constexpr llvm::StringLiteral kWorkspaceBytes = "tp.workspace_bytes";

} // namespace tpc

#endif // TPC_LOWER_PASSES_H
