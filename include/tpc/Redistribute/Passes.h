// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The redistribute stage: which collectives move a value.
#ifndef TPC_REDISTRIBUTE_PASSES_H
#define TPC_REDISTRIBUTE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tpc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tpc/Redistribute/Passes.h.inc"

} // namespace tpc

#endif // TPC_REDISTRIBUTE_PASSES_H
