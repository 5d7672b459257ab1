// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan stage: which placement every value has.
#ifndef TPC_PLAN_PASSES_H
#define TPC_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tpc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tpc/Plan/Passes.h.inc"

} // namespace tpc

#endif // TPC_PLAN_PASSES_H
