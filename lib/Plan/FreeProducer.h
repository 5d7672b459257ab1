// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that no rank needs another for: empty tensors and splats.
#ifndef TPC_LIB_PLAN_FREEPRODUCER_H
#define TPC_LIB_PLAN_FREEPRODUCER_H

#include "mlir/IR/Operation.h"
#include "tpc/Support/Placement.h"

namespace tpc {

/// True for operations whose result every rank can make without input.
bool isFreeProducer(mlir::Operation *op);
/// Whether a free producer's value is neutral for `reduction`.
bool isNeutral(mlir::Operation *producer, Reduction reduction);

} // namespace tpc

#endif // TPC_LIB_PLAN_FREEPRODUCER_H
