// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The autodiff stage: its pass and its pipeline.
#ifndef TPC_AUTODIFF_PASSES_H
#define TPC_AUTODIFF_PASSES_H

#include "mlir/Pass/Pass.h"
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tpc {

#define GEN_PASS_DECL
#include "tpc/Autodiff/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tpc/Autodiff/Passes.h.inc"

/// Differentiate, decompose what differentiation had to see as one, share equal
/// computations, then run in `microbatches`
/// parts of the batch of `inputs`: names separated by ',', or empty for all
/// that are no parameters.
void buildAutodiffPipeline(mlir::OpPassManager &manager,
                           int64_t microbatches = 1,
                           const std::string &inputs = "");

} // namespace tpc

#endif // TPC_AUTODIFF_PASSES_H
