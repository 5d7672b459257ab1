// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and collectives in the terms of Support: bytes and steps.
#ifndef TPC_DIALECT_TP_STEPS_H
#define TPC_DIALECT_TP_STEPS_H

#include "tpc/Dialect/TP/TP.h"
#include "tpc/Support/CostModel.h"

namespace tpc::tp {

/// Bytes of one element of `type` in a buffer: at least one, eight for index.
int64_t getElementBytes(mlir::Type type);

/// The step that `part` of `op` performs on `mesh`; not of a window.
Step getStep(CollectiveOpInterface op, PartAttr part, const Mesh &mesh);

/// What operand `index` of `op` moves.
StepBytes getBytes(CollectiveOpInterface op, unsigned index, const Mesh &mesh);
/// What `op` moves: of several operands the sum, of windows of the rank that
/// receives most of all together.
StepBytes getBytes(CollectiveOpInterface op, const Mesh &mesh);

/// Bytes that the worst rank must receive at least for operand `index` of `op`;
/// a window receives what it lacks and no more.
int64_t getLowerBoundBytes(CollectiveOpInterface op, unsigned index,
                           const Mesh &mesh);
/// For all of `op`, as `getBytes` adds them up.
int64_t getLowerBoundBytes(CollectiveOpInterface op, const Mesh &mesh);

/// What the description of a machine says that operand `index` of `op` takes.
double getSeconds(CollectiveOpInterface op, unsigned index, const Mesh &mesh,
                  const MachineDescription &machine);

} // namespace tpc::tp

#endif // TPC_DIALECT_TP_STEPS_H
