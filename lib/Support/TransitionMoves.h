// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps out of a placement, one after the other.
#ifndef TPC_LIB_SUPPORT_TRANSITIONMOVES_H
#define TPC_LIB_SUPPORT_TRANSITIONMOVES_H

#include "TransitionGeometry.h"
#include "tpc/Support/Transition.h"

namespace tpc {

/// A placement as searches change it: the nest of each dim, and the partial
/// axes, one bit each. Of which reduction does not matter.
struct Layout {
  Nests nests;
  uint64_t partial = 0;

  static Layout get(const Placement &placement, size_t numDims);
  Placement placement(Reduction reduction) const;
  /// Axes that shard a dim, one bit each.
  uint64_t sharded() const;

  bool operator==(const Layout &o) const {
    return partial == o.partial && nests == o.nests;
  }
  bool operator<(const Layout &o) const;
};

llvm::hash_code hash_value(const Layout &layout);

/// Changes `layout` in all ways that legalSteps lists and calls `visit` with
/// the kind of each while `layout` is its target; each target once. What the
/// kind is called when lengths make it move nothing, or when it performs
/// another kind too, is for classifyStep to say. Permutes are proposed where
/// the numbers of chunks agree; whether the chunks do is left to `visit`.
void forEachMove(const Mesh &mesh, Layout &layout, const StepFilter &filter,
                 llvm::function_ref<void(StepKind)> visit);

} // namespace tpc

#endif // TPC_LIB_SUPPORT_TRANSITIONMOVES_H
