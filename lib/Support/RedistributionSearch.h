// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shortest path between two placements.
#ifndef TPC_LIB_SUPPORT_REDISTRIBUTIONSEARCH_H
#define TPC_LIB_SUPPORT_REDISTRIBUTIONSEARCH_H

#include "TransitionMoves.h"
#include "tpc/Support/CostModel.h"

namespace tpc {

/// What the paths of one search have in common.
struct SearchSpace {
  const Mesh &mesh;
  const MachineDescription &machine;
  Objective objective;
  llvm::ArrayRef<int64_t> shape;
  int64_t elementBytes;
  /// Axes that steps may touch, one bit each. The others are replicated.
  uint64_t axes;
};

/// The placements on the cheapest path from `from` to `to`, both ends included;
/// of several cheapest one with the fewest steps. `to` has no partials, `from`
/// is not `to`.
llvm::SmallVector<Layout, 3> cheapestPath(const SearchSpace &space,
                                          const Layout &from, const Layout &to);

} // namespace tpc

#endif // TPC_LIB_SUPPORT_REDISTRIBUTIONSEARCH_H
