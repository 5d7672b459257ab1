// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans as files: what was chosen, to keep, to compare and to use again.
#ifndef TPC_LIB_PLAN_PLANFILE_H
#define TPC_LIB_PLAN_PLANFILE_H

#include "PlanGraph.h"
#include "llvm/Support/JSON.h"

namespace tpc {

/// The choice of every node of a function, in program order: what it is, and
/// the placements of its operands and results.
llvm::json::Object savePlan(PlanGraph &graph, llvm::ArrayRef<int> choice);

/// Leaves every node of `graph` the one strategy that `plan` says. An error
/// names the first node for which the plan has none, or another one.
llvm::Error pinPlan(PlanGraph &graph, const llvm::json::Object &plan);

} // namespace tpc

#endif // TPC_LIB_PLAN_PLANFILE_H
