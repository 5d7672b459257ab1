// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule stage: when collectives run, and which travel together.
#ifndef TPC_SCHEDULE_PASSES_H
#define TPC_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tpc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tpc/Schedule/Passes.h.inc"

} // namespace tpc

#endif // TPC_SCHEDULE_PASSES_H
