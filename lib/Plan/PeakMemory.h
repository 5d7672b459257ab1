// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a placed function needs of one rank's memory, estimated.
#ifndef TPC_LIB_PLAN_PEAKMEMORY_H
#define TPC_LIB_PLAN_PEAKMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tpc/Support/Redistribution.h"

namespace tpc {

struct PeakMemory {
  /// Arguments, results and what lives at the worst moment between.
  int64_t bytes = 0;
  /// What that is made of, largest first: a name of the value and its bytes.
  llvm::SmallVector<std::pair<std::string, int64_t>> tensors;
};

/// Estimates the bytes that each rank holds at the worst moment of `func`,
/// which is placed.
PeakMemory estimatePeakMemory(mlir::func::FuncOp func, Redistributor &paths);

} // namespace tpc

#endif // TPC_LIB_PLAN_PEAKMEMORY_H
