// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of one function: the problem, its solution, and the function placed.
#ifndef TPC_LIB_PLAN_PLANFUNCTION_H
#define TPC_LIB_PLAN_PLANFUNCTION_H

#include "PeakMemory.h"
#include "PlanGraph.h"

namespace tpc {

struct PlanOptions {
  /// Say of every redistribute what the next best plan costs.
  bool alternatives = false;
  /// What the matrix library needs besides, where there are products.
  int64_t productWorkspace = 0;
  /// Leaves the nodes the strategies they may have; a plan so restricted is not
  /// called least.
  std::function<mlir::LogicalResult(PlanGraph &)> restrict;
  /// Sees what was chosen before the function is written.
  std::function<void(PlanGraph &, llvm::ArrayRef<int> choice)> save;
};

/// Places `func` at the least cost and sets `tp.plan` on it; returns what it
/// needs of memory. Fails after an error where there is no plan.
mlir::FailureOr<PeakMemory> planFunction(mlir::func::FuncOp func,
                                         tp::MeshOp mesh, Redistributor &paths,
                                         const PlanOptions &options = {});

} // namespace tpc

#endif // TPC_LIB_PLAN_PLANFUNCTION_H
