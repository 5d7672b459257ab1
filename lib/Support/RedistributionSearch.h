// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shortest path between two placements.
#ifndef TPC_LIB_SUPPORT_REDISTRIBUTIONSEARCH_H
#define TPC_LIB_SUPPORT_REDISTRIBUTIONSEARCH_H

#include "RedistributionGraph.h"

namespace tpc {

/// The steps of the cheapest path from `from` to `to` in `graph`, where each
/// element of it counts `bytesPerElement`; of several cheapest one with the
/// fewest steps. `to` has no partials. Empty when `from` is `to`.
llvm::SmallVector<Step, 2>
cheapestSteps(RedistributionGraph &graph, const Mesh &mesh,
              const MachineDescription &machine, Objective objective,
              int64_t bytesPerElement, const Placement &from,
              const Placement &to);

} // namespace tpc

#endif // TPC_LIB_SUPPORT_REDISTRIBUTIONSEARCH_H
