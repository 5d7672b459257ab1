// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans collectives once per call, before anything runs.

#include "local_set.h"

namespace tpc::rt {

static Status planRank(const Manifest &manifest, const Collective &collective,
                       int32_t rank, Meeting &meeting, RankPlan &plan) {
  const Mesh &mesh = manifest.mesh;
  if (!collective.isLocal) {
    std::vector<int32_t> members = mesh.group(rank, collective.axes);
    for (int32_t stream = 0; stream < TPC_RT_STREAMS; ++stream)
      plan.groups[stream] = meeting.findGroup(members, stream);
    plan.group = plan.groups[TPC_RT_COMPUTE];
    plan.member = plan.group->memberOf(rank);
    for (const Part &part : collective.parts)
      plan.isShared |= worthSharing(mesh, collective.axes, part);
  }
  for (const Part &part : collective.parts) {
    PartPlan partPlan;
    if (Status status = planPart(mesh, collective.axes, part, rank,
                                 /*share=*/true, partPlan))
      return fail(status.code(), collective.label, ": ", status.message());
    plan.bytes += resultVolume(mesh, part) * dtypeSize(part.dtype);
    plan.parts.push_back(std::move(partPlan));
  }
  return {};
}

Status prepareLocal(const Manifest &manifest, int32_t numRanks,
                    Meeting &meeting, std::unique_ptr<CollectiveSet> &set) {
  auto local = std::make_unique<LocalSet>();
  local->manifest = &manifest;
  local->plans.resize(numRanks);
  for (int32_t rank = 0; rank < numRanks; ++rank) {
    local->plans[rank].resize(manifest.collectives.size());
    for (size_t i = 0; i < manifest.collectives.size(); ++i)
      if (Status status = planRank(manifest, manifest.collectives[i], rank,
                                   meeting, local->plans[rank][i]))
        return status;
  }
  set = std::move(local);
  return {};
}

} // namespace tpc::rt
