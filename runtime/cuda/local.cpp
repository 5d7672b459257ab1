// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of ranks that are threads of one process and whose GPUs reach
// each other's memory, or are one GPU. A rank pulls what its plan says straight
// from the others' buffers; the plans are those of the CPU's communicator.
//
// The host meets to show pointers and events and never waits for a GPU. On the
// streams: what a member pulls waits for the owner's `ready`; the second phase,
// which pulls from results, waits for every `reduced`; and what a rank does to
// its buffers afterwards waits for every `done`. A rank records an event again
// only when all members have come to a later meeting, so that their waits for
// the last record have been enqueued. It may show other events by then, in its
// next collective: whose they are is read before the last meeting.

#include "local.h"
#include "local_set.h"
#include "own_launch.h"

namespace tpc::rt::cuda {

namespace {

enum { Ready, Reduced, Done };

class PeerCommunicator final : public Communicator {
public:
  explicit PeerCommunicator(World &world) : world(world), meeting(world) {}
  ~PeerCommunicator() override;

  Status open();

  Status prepare(const Manifest &manifest,
                 std::unique_ptr<CollectiveSet> &set) override;
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
  bool joinsRanks() const override { return true; }

private:
  /// By stream and meeting.
  using Events = std::array<std::array<CUevent, 3>, TPC_RT_STREAMS>;

  Status record(tpc_rt_rank_t &rank, int32_t stream, int32_t event);
  Status awaitAll(tpc_rt_rank_t &rank, int32_t stream,
                  const std::vector<CUevent> &others);
  Status move(tpc_rt_rank_t &rank, int32_t stream, const RankPlan &plan,
              const void *const *inputs, void *const *outputs, bool isSecond);

  World &world;
  Meeting meeting;
  std::vector<Events> events;
};

PeerCommunicator::~PeerCommunicator() {
  for (size_t rank = 0; rank < events.size(); ++rank) {
    CudaDevice &device = deviceOf(world.rank(static_cast<int32_t>(rank)));
    if (!device.gpu()->makeCurrent().ok())
      continue;
    for (auto &ofStream : events[rank])
      for (CUevent event : ofStream)
        if (event)
          device.driver().cuEventDestroy(event);
  }
}

Status PeerCommunicator::open() {
  for (int32_t rank = 0; rank < world.numRanks(); ++rank) {
    CudaDevice &device = deviceOf(world.rank(rank));
    for (int32_t other = 0; other < world.numRanks(); ++other)
      if (Status status =
              device.gpu()->enablePeer(*deviceOf(world.rank(other)).gpu()))
        return status;
    if (Status status = device.gpu()->makeCurrent())
      return status;
    events.push_back({});
    for (auto &ofStream : events.back())
      for (CUevent &event : ofStream)
        if (Status status = device.createEvent(event))
          return status;
  }
  return {};
}

Status PeerCommunicator::prepare(const Manifest &manifest,
                                 std::unique_ptr<CollectiveSet> &set) {
  if (Status status = prepareLocal(manifest, world.numRanks(), meeting, set))
    return status;
  const LocalSet &local = static_cast<LocalSet &>(*set);
  for (const auto &plans : local.plans)
    for (size_t i = 0; i < plans.size(); ++i)
      for (const PartPlan &part : plans[i].parts)
        for (const Transfer &transfer : part.first)
          if (transfer.sources.size() > mostSources)
            return fail(TPC_RT_UNSUPPORTED, manifest.collectives[i].label,
                        ": communicator \"local\" joins at most ", mostSources,
                        " ranks on a GPU, got ", transfer.sources.size(),
                        "; use nccl");
  return {};
}

Status PeerCommunicator::record(tpc_rt_rank_t &rank, int32_t stream,
                                int32_t event) {
  CudaDevice &device = deviceOf(rank);
  TPC_CUDA_CHECKED(device, cuEventRecord, events[rank.index][stream][event],
                   device.stream(stream));
  return {};
}

Status PeerCommunicator::awaitAll(tpc_rt_rank_t &rank, int32_t stream,
                                  const std::vector<CUevent> &others) {
  CudaDevice &device = deviceOf(rank);
  for (CUevent event : others)
    TPC_CUDA_CHECKED(device, cuStreamWaitEvent, device.stream(stream), event,
                     0);
  return {};
}

/// Enqueues one phase of all parts.
Status PeerCommunicator::move(tpc_rt_rank_t &rank, int32_t stream,
                              const RankPlan &plan, const void *const *inputs,
                              void *const *outputs, bool isSecond) {
  CudaDevice &device = deviceOf(rank);
  const Group *group = plan.groups[stream];
  std::vector<const void *> &buffers = rank.streams[stream].pointers;
  buffers.resize(world.numRanks());
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const PartPlan &part = plan.parts[i];
    buffers[rank.index] = inputs[i];
    for (size_t m = 0; group && m < group->members.size(); ++m) {
      const Slot &slot = group->slots[m];
      buffers[group->members[m]] = isSecond ? slot.outputs[i] : slot.inputs[i];
    }
    auto enqueue = [&](const std::vector<Transfer> &transfers) -> Status {
      for (const Transfer &transfer : transfers)
        if (Status status =
                enqueueTransfer(device, stream, part.dtype, part.reduction,
                                transfer, outputs[i], buffers.data()))
          return status;
      return {};
    };
    if (!isSecond)
      if (Status status = enqueue(part.fills))
        return status;
    if (Status status = enqueue(isSecond ? part.second : part.first))
      return status;
  }
  return {};
}

Status PeerCommunicator::run(tpc_rt_rank_t &rank, int32_t stream,
                             CollectiveSet &set, int32_t index,
                             const void *const *inputs, void *const *outputs) {
  const LocalSet &local = static_cast<LocalSet &>(set);
  const std::string &label = local.manifest->collectives[index].label;
  const RankPlan &plan = local.plans[rank.index][index];
  CudaDevice &device = deviceOf(rank);
  device.note("collective", label);
  // What is enqueued between two meetings.
  auto enqueue = [&](auto &&...steps) -> Status {
    std::unique_lock<std::mutex> lock;
    Status status = device.enter(lock);
    ((status.ok() ? void(status = steps()) : void()), ...);
    return status;
  };
  auto first = [&] {
    return move(rank, stream, plan, inputs, outputs, /*isSecond=*/false);
  };
  if (!plan.group)
    return enqueue(first);
  auto mark = [&](int32_t event) {
    return [&, event] { return record(rank, stream, event); };
  };
  std::vector<CUevent> others[3];
  auto await = [&](int32_t event) {
    return [&, event] { return awaitAll(rank, stream, others[event]); };
  };
  Group &group = *plan.groups[stream];
  Slot &slot = group.slots[plan.member];
  if (Status status = enqueue(mark(Ready)))
    return status;
  slot.inputs.assign(inputs, inputs + plan.parts.size());
  slot.outputs.assign(outputs, outputs + plan.parts.size());
  for (int32_t event : {Ready, Reduced, Done})
    slot.events[event] = events[rank.index][stream][event];
  if (Status status =
          meeting.meetIn(rank, group, plan.member, *local.manifest, index))
    return status;
  for (size_t member = 0; member < group.members.size(); ++member)
    for (int32_t event : {Ready, Reduced, Done})
      if (member != plan.member)
        others[event].push_back(
            static_cast<CUevent>(group.slots[member].events[event]));
  if (Status status =
          enqueue(await(Ready), first, mark(plan.isShared ? Reduced : Done)))
    return status;
  if (plan.isShared) {
    if (Status status = meeting.meet(rank, group, plan.member, label))
      return status;
    auto second = [&] {
      return move(rank, stream, plan, inputs, outputs, /*isSecond=*/true);
    };
    if (Status status = enqueue(await(Reduced), second, mark(Done)))
      return status;
  }
  if (Status status = meeting.meet(rank, group, plan.member, label))
    return status;
  return enqueue(await(Done));
}

} // namespace

Status createPeerCommunicator(World &world,
                              std::unique_ptr<Communicator> &comm) {
  auto peers = std::make_unique<PeerCommunicator>(world);
  if (Status status = peers->open())
    return status;
  comm = std::move(peers);
  return {};
}

} // namespace tpc::rt::cuda
