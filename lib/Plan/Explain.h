// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a value is moved, in a sentence.
#ifndef TPC_LIB_PLAN_EXPLAIN_H
#define TPC_LIB_PLAN_EXPLAIN_H

#include "PlanGraph.h"

namespace tpc {

/// A short name of what a node is: `contraction at toy.py:12`, `argument 'x'`.
std::string describeNode(const PlanGraph &graph, const PlanNode &node);

/// Why `value`, made in placement `from`, is needed in placement `to` under
/// `choice`: what made it so, and who needs it otherwise.
std::string explainMove(PlanGraph &graph, llvm::ArrayRef<int> choice, int value,
                        int from, int to);

/// `12.5 us`, `80 bytes` or `2 collectives`.
std::string formatCost(Objective objective, const Cost &cost);

} // namespace tpc

#endif // TPC_LIB_PLAN_EXPLAIN_H
