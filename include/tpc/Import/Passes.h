// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The import stage: frontend linalg to the normal form that all later stages
// work on.
//
// Normal form: every function is one block of linalg.generic, linalg.fill,
// tensor operations with a rule, constants and tp operations, on static
// tensors; no calls, no assertions; transposes and broadcasts live in indexing
// maps; destinations are tensor.empty or linalg.fill of one reader.
#ifndef TPC_IMPORT_PASSES_H
#define TPC_IMPORT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tpc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tpc/Import/Passes.h.inc"

/// The import stage, on a module.
void buildImportPipeline(mlir::OpPassManager &pm);

/// What inlining needs to know of the dialects of a model.
void registerImportExtensions(mlir::DialectRegistry &registry);

} // namespace tpc

#endif // TPC_IMPORT_PASSES_H
