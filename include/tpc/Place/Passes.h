// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place stage: users' flags become attributes.
#ifndef TPC_PLACE_PASSES_H
#define TPC_PLACE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tpc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tpc/Place/Passes.h.inc"

} // namespace tpc

#endif // TPC_PLACE_PASSES_H
