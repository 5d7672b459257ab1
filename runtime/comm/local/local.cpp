// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The communicator of ranks that are threads of one process. A collective is:
// show your buffers, wait for the group, pull what the plan says straight from
// the others' buffers, wait again. Nothing is copied in between.
//
// Invariants: a rank's buffers and slot are read by others only between its
// arrival and the last wait of the same collective; a rank that fails returns
// early, which is safe because the world keeps all buffers until every rank has
// ended its run.

#include "kernels.h"
#include "world.h"
#include <map>

namespace tpc::rt {

namespace {

/// What a member of a group shows to the others.
struct Slot {
  Counter arrived;
  int32_t collective = -1;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  std::string text;
};

struct Group {
  /// Ascending.
  std::vector<int32_t> members;
  std::unique_ptr<Slot[]> slots;

  size_t memberOf(int32_t rank) const {
    size_t member = 0;
    while (members[member] != rank)
      ++member;
    return member;
  }
};

/// One collective as one rank runs it.
struct RankPlan {
  Group *group = nullptr;
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

class LocalCommunicator final : public Communicator {
public:
  explicit LocalCommunicator(World &world) : world(world) {}

  Status prepare(const Manifest &manifest,
                 std::unique_ptr<CollectiveSet> &set) override;
  void beginRun() override;
  Status agree(tpc_rt_rank_t &rank, const std::string &text) override;
  Status run(tpc_rt_rank_t &rank, int32_t stream, CollectiveSet &set,
             int32_t index, const void *const *inputs,
             void *const *outputs) override;

private:
  Group *findGroup(const std::vector<int32_t> &members);
  Status planRank(const Manifest &manifest, const Collective &collective,
                  int32_t rank, RankPlan &plan);
  Status meet(tpc_rt_rank_t &rank, Group &group, size_t member,
              const std::string &label);
  Status reportMissing(tpc_rt_rank_t &rank, int32_t late, double waited,
                       const std::string &label);
  void move(tpc_rt_rank_t &rank, const RankPlan &plan,
            const void *const *inputs, void *const *outputs, bool isSecond);

  World &world;
  std::mutex mutex;
  std::map<std::vector<int32_t>, Group> groups;
};

Group *LocalCommunicator::findGroup(const std::vector<int32_t> &members) {
  std::lock_guard<std::mutex> lock(mutex);
  Group &group = groups[members];
  if (group.members.empty()) {
    group.members = members;
    group.slots = std::make_unique<Slot[]>(members.size());
  }
  return &group;
}

Status LocalCommunicator::planRank(const Manifest &manifest,
                                   const Collective &collective, int32_t rank,
                                   RankPlan &plan) {
  const Mesh &mesh = manifest.mesh;
  if (!collective.isLocal) {
    plan.group = findGroup(mesh.group(rank, collective.axes));
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

Status LocalCommunicator::prepare(const Manifest &manifest,
                                  std::unique_ptr<CollectiveSet> &set) {
  auto local = std::make_unique<LocalSet>();
  local->manifest = &manifest;
  local->plans.resize(world.numRanks());
  for (int32_t rank = 0; rank < world.numRanks(); ++rank) {
    local->plans[rank].resize(manifest.collectives.size());
    for (size_t i = 0; i < manifest.collectives.size(); ++i)
      if (Status status = planRank(manifest, manifest.collectives[i], rank,
                                   local->plans[rank][i]))
        return status;
  }
  set = std::move(local);
  return {};
}

void LocalCommunicator::beginRun() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[members, group] : groups)
    for (size_t member = 0; member < members.size(); ++member)
      group.slots[member].arrived.store(0);
}

Status LocalCommunicator::reportMissing(tpc_rt_rank_t &rank, int32_t late,
                                        double waited,
                                        const std::string &label) {
  const tpc_rt_rank_t &other = world.rank(late);
  if (!other.isRunning.load(std::memory_order_acquire))
    return Status(TPC_RT_RANK_FAILED,
                  text("rank ", late, " did not take part in ", label, ": ",
                       other.endReason),
                  late);
  return Status(TPC_RT_TIMEOUT,
                text("rank ", rank.index, " waited ", waited,
                     " seconds for rank ", late, " in ", label, "; rank ", late,
                     " is ", world.whereabouts(late)),
                late);
}

/// Arrives and waits for all members of the group.
Status LocalCommunicator::meet(tpc_rt_rank_t &rank, Group &group, size_t member,
                               const std::string &label) {
  Counter &own = group.slots[member].arrived;
  uint32_t target = own.load() + 1;
  own.store(target);
  Clock::time_point start = Clock::now();
  for (size_t other = 0; other < group.members.size(); ++other) {
    if (other == member)
      continue;
    int32_t otherRank = group.members[other];
    bool hasArrived = group.slots[other].arrived.wait(target, [&] {
      return world.hasFailed() ||
             !world.rank(otherRank).isRunning.load(std::memory_order_acquire) ||
             secondsSince(start) > world.deadline();
    });
    if (hasArrived)
      continue;
    if (world.hasFailed())
      return fail(TPC_RT_RANK_FAILED, "another rank has failed");
    return reportMissing(rank, otherRank, world.deadline(), label);
  }
  return {};
}

Status LocalCommunicator::agree(tpc_rt_rank_t &rank, const std::string &text) {
  std::vector<int32_t> all(world.numRanks());
  for (int32_t index = 0; index < world.numRanks(); ++index)
    all[index] = index;
  Group &group = *findGroup(all);
  group.slots[rank.index].text = text;
  const std::string label = "the comparison of the ranks' programs";
  if (Status status = meet(rank, group, rank.index, label))
    return status;
  for (int32_t other = 0; other < rank.index; ++other)
    if (group.slots[other].text != text)
      return Status(TPC_RT_MISMATCH,
                    rt::text("the ranks run different programs: rank ", other,
                             " runs ", group.slots[other].text, ", rank ",
                             rank.index, " runs ", text),
                    rank.index);
  return meet(rank, group, rank.index, label);
}

/// Does one phase of all parts on the threads of the rank.
void LocalCommunicator::move(tpc_rt_rank_t &rank, const RankPlan &plan,
                             const void *const *inputs, void *const *outputs,
                             bool isSecond) {
  size_t numParts = plan.parts.size();
  size_t numRanks = static_cast<size_t>(world.numRanks());
  rank.pointers.resize(numParts * numRanks);
  for (size_t i = 0; i < numParts; ++i) {
    const void **pointers = &rank.pointers[i * numRanks];
    pointers[rank.index] = inputs[i];
    for (size_t m = 0; plan.group && m < plan.group->members.size(); ++m) {
      const Slot &slot = plan.group->slots[m];
      pointers[plan.group->members[m]] =
          isSecond ? slot.outputs[i] : slot.inputs[i];
    }
    if (!isSecond)
      for (const Transfer &fill : plan.parts[i].fills)
        runFill(plan.parts[i].dtype, plan.parts[i].reduction, fill, outputs[i]);
  }
  rank.device->share(plan.bytes, [&](int64_t share, int64_t shares) {
    for (size_t i = 0; i < numParts; ++i) {
      const PartPlan &part = plan.parts[i];
      for (const Transfer &transfer : isSecond ? part.second : part.first)
        runTransfer(part.dtype, part.reduction, transfer, outputs[i],
                    &rank.pointers[i * numRanks], share, shares);
    }
  });
}

Status LocalCommunicator::run(tpc_rt_rank_t &rank, int32_t, CollectiveSet &set,
                              int32_t index, const void *const *inputs,
                              void *const *outputs) {
  const LocalSet &local = static_cast<LocalSet &>(set);
  const Collective &collective = local.manifest->collectives[index];
  const RankPlan &plan = local.plans[rank.index][index];
  if (!plan.group) {
    move(rank, plan, inputs, outputs, /*isSecond=*/false);
    return {};
  }
  Group &group = *plan.group;
  Slot &slot = group.slots[plan.member];
  slot.collective = index;
  slot.inputs.assign(inputs, inputs + plan.parts.size());
  slot.outputs.assign(outputs, outputs + plan.parts.size());
  if (Status status = meet(rank, group, plan.member, collective.label))
    return status;
  for (size_t other = 0; other < group.members.size(); ++other)
    if (group.slots[other].collective != index)
      return Status(
          TPC_RT_MISMATCH,
          text(
              "rank ", rank.index, " is in ", collective.label, " while rank ",
              group.members[other], " is in ",
              local.manifest->collectives[group.slots[other].collective].label),
          rank.index);
  move(rank, plan, inputs, outputs, /*isSecond=*/false);
  if (plan.isShared) {
    if (Status status = meet(rank, group, plan.member, collective.label))
      return status;
    move(rank, plan, inputs, outputs, /*isSecond=*/true);
  }
  return meet(rank, group, plan.member, collective.label);
}

} // namespace

std::unique_ptr<Communicator> createLocalCommunicator(World &world) {
  return std::make_unique<LocalCommunicator>(world);
}

} // namespace tpc::rt
