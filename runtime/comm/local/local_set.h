// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collectives of a module, planned for ranks that read each other's memory.
#ifndef TPC_RT_COMM_LOCAL_LOCAL_SET_H
#define TPC_RT_COMM_LOCAL_LOCAL_SET_H

#include "meeting.h"

namespace tpc::rt {

/// One collective as one rank runs it.
struct RankPlan {
  /// Null for a local step.
  Group *group = nullptr;
  /// The same ranks, for collectives of different streams at once; the first is
  /// `group`.
  Group *groups[TPC_RT_STREAMS] = {};
  size_t member = 0;
  bool isShared = false;
  int64_t bytes = 0;
  std::vector<PartPlan> parts;
};

struct LocalSet final : CollectiveSet {
  const Manifest *manifest = nullptr;
  /// Indexed by rank, then by collective.
  std::vector<std::vector<RankPlan>> plans;
};

/// Plans all collectives of `manifest` for all ranks.
TPC_RT_SHARED Status prepareLocal(const Manifest &manifest, int32_t numRanks,
                                  Meeting &meeting,
                                  std::unique_ptr<CollectiveSet> &set);

} // namespace tpc::rt

#endif // TPC_RT_COMM_LOCAL_LOCAL_SET_H
