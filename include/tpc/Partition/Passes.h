// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partition stage: one program on local tensors.
#ifndef TPC_PARTITION_PASSES_H
#define TPC_PARTITION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tpc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tpc/Partition/Passes.h.inc"

} // namespace tpc

#endif // TPC_PARTITION_PASSES_H
