// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes to name when a plan problem has no plan.
#ifndef TPC_LIB_SUPPORT_PLANSOLVERCONFLICT_H
#define TPC_LIB_SUPPORT_PLANSOLVERCONFLICT_H

#include "PlanSolverEliminate.h"

namespace tpc::plan {

/// Every option of every node.
OpenOptions allOptions(const PlanProblem &problem);

/// Nodes that have no plan together, such that the others would have one
/// without any one of them; more when that is too costly to tell. Begins with
/// nodes near a contradiction.
std::vector<int> findConflict(const PlanProblem &problem, MoveStates &states,
                              std::vector<int> nodes);

} // namespace tpc::plan

#endif // TPC_LIB_SUPPORT_PLANSOLVERCONFLICT_H
