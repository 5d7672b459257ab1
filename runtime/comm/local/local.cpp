// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The communicator of ranks that are threads of one process. A collective is:
// show your buffers, wait for the group, pull what the plan says straight from
// the others' buffers, wait again. Nothing is copied in between.

#include "kernels.h"
#include "local_set.h"

namespace tpc::rt {

namespace {

class LocalCommunicator final : public Communicator {
public:
  explicit LocalCommunicator(World &world) : world(world), meeting(world) {}

  Status prepare(const Manifest &manifest,
                 std::unique_ptr<CollectiveSet> &set) override {
    return prepareLocal(manifest, world.numRanks(), meeting, set);
  }
  Status beginRun() override {
    meeting.reset();
    return {};
  }
  Status agree(tpc_rt_rank_t &rank, const std::string &text) override {
    return meeting.agree(rank, text);
  }
  Status run(tpc_rt_rank_t &rank, int32_t stream, CollectiveSet &set,
             int32_t index, const void *const *inputs,
             void *const *outputs) override;

private:
  void move(tpc_rt_rank_t &rank, int32_t stream, const RankPlan &plan,
            const void *const *inputs, void *const *outputs, bool isSecond);

  World &world;
  Meeting meeting;
};

/// Does one phase of all parts, on the threads of the rank or, beside the
/// compute that has them, on the stream's own.
void LocalCommunicator::move(tpc_rt_rank_t &rank, int32_t stream,
                             const RankPlan &plan, const void *const *inputs,
                             void *const *outputs, bool isSecond) {
  size_t numParts = plan.parts.size();
  size_t numRanks = static_cast<size_t>(world.numRanks());
  const Group *group = plan.groups[stream];
  std::vector<const void *> &all = rank.streams[stream].pointers;
  all.resize(numParts * numRanks);
  for (size_t i = 0; i < numParts; ++i) {
    const void **pointers = &all[i * numRanks];
    pointers[rank.index] = inputs[i];
    for (size_t m = 0; group && m < group->members.size(); ++m) {
      const Slot &slot = group->slots[m];
      pointers[group->members[m]] = isSecond ? slot.outputs[i] : slot.inputs[i];
    }
    if (!isSecond)
      for (const Transfer &fill : plan.parts[i].fills)
        runFill(plan.parts[i].dtype, plan.parts[i].reduction, fill, outputs[i]);
  }
  auto moveShare = [&](int64_t share, int64_t shares) {
    for (size_t i = 0; i < numParts; ++i) {
      const PartPlan &part = plan.parts[i];
      for (const Transfer &transfer : isSecond ? part.second : part.first)
        runTransfer(part.dtype, part.reduction, transfer, outputs[i],
                    &all[i * numRanks], share, shares);
    }
  };
  if (rank.device->defers(stream))
    moveShare(0, 1);
  else
    rank.device->share(plan.bytes, moveShare);
}

Status LocalCommunicator::run(tpc_rt_rank_t &rank, int32_t stream,
                              CollectiveSet &set, int32_t index,
                              const void *const *inputs, void *const *outputs) {
  const LocalSet &local = static_cast<LocalSet &>(set);
  const Collective &collective = local.manifest->collectives[index];
  const RankPlan &plan = local.plans[rank.index][index];
  if (!plan.group) {
    move(rank, stream, plan, inputs, outputs, /*isSecond=*/false);
    return {};
  }
  Group &group = *plan.groups[stream];
  Slot &slot = group.slots[plan.member];
  slot.inputs.assign(inputs, inputs + plan.parts.size());
  slot.outputs.assign(outputs, outputs + plan.parts.size());
  if (Status status =
          meeting.meetIn(rank, group, plan.member, *local.manifest, index))
    return status;
  move(rank, stream, plan, inputs, outputs, /*isSecond=*/false);
  if (plan.isShared) {
    if (Status status =
            meeting.meet(rank, group, plan.member, collective.label))
      return status;
    move(rank, stream, plan, inputs, outputs, /*isSecond=*/true);
  }
  return meeting.meet(rank, group, plan.member, collective.label);
}

} // namespace

std::unique_ptr<Communicator> createLocalCommunicator(World &world) {
  return std::make_unique<LocalCommunicator>(world);
}

} // namespace tpc::rt
