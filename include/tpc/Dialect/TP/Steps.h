// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and collectives in the terms of Support: bytes and steps.
#ifndef TPC_DIALECT_TP_STEPS_H
#define TPC_DIALECT_TP_STEPS_H

#include "tpc/Dialect/TP/TP.h"

namespace tpc::tp {

/// Bytes of one element of `type` in a buffer: at least one, eight for index.
int64_t getElementBytes(mlir::Type type);

/// The step that `part` of `op` performs on `mesh`.
Step getStep(CollectiveOpInterface op, PartAttr part, const Mesh &mesh);

} // namespace tpc::tp

#endif // TPC_DIALECT_TP_STEPS_H
