// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries schedules out: pieces by the runtime's own kernels, the rest by NCCL,
// on the stream that compiled code names.
//
// That a call has the same collectives on all ranks is made sure of while
// nothing is recorded yet: ranks that are threads meet on the host in every
// collective they enqueue, processes in those of the first run.

#include "communicator.h"
#include "meeting.h"
#include "own_launch.h"
#include "registrations.h"
#include "schedule.h"

namespace tpc::rt::nccl {

namespace {

static_assert(mostCombined <= cuda::mostSources,
              "a move of a schedule is one kernel");

ncclDataType_t typeOf(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return ncclFloat32;
  case DType::F64:
    return ncclFloat64;
  case DType::F16:
    return ncclFloat16;
  case DType::BF16:
    return ncclBfloat16;
  case DType::I8:
    return ncclInt8;
  case DType::I32:
    return ncclInt32;
  case DType::I64:
    return ncclInt64;
  default:
    return ncclUint8;
  }
}

/// Of what isNative accepts. Booleans are bytes of 0 and 1.
ncclRedOp_t opOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return ncclSum;
  case Reduction::Max:
  case Reduction::Or:
    return ncclMax;
  case Reduction::Min:
  case Reduction::And:
    return ncclMin;
  case Reduction::Prod:
    return ncclProd;
  }
  return ncclSum;
}

ncclRedOp_t opOf(DType dtype, Reduction reduction) {
  if (dtype == DType::I1 && reduction == Reduction::Prod)
    return ncclMin;
  return opOf(reduction);
}

/// The collectives of a call.
struct NcclSet final : CollectiveSet {
  explicit NcclSet(Connections &connections) : connections(connections) {}
  ~NcclSet() override {
    for (auto &[rank, of] : ranks)
      of.registrations.clear(connections, rank);
  }

  struct OfRank {
    std::vector<Schedule> schedules;
    int64_t scratchBytes = 0;
    std::shared_ptr<void> scratch[TPC_RT_STREAMS];
    Registrations registrations;
  };

  Connections &connections;
  const Manifest *manifest = nullptr;
  std::map<int32_t, OfRank> ranks;
};

class NcclCommunicator final : public Communicator {
public:
  explicit NcclCommunicator(World &world)
      : world(world), meeting(world), connections(world) {}

  Status open() { return connections.open(); }

  Status prepare(const Manifest &manifest,
                 std::unique_ptr<CollectiveSet> &set) override;
  Status allocateWorkspace(Device &device, int64_t bytes,
                           std::shared_ptr<void> &memory) override {
    return allocateForWindow(connections.nccl(), device, bytes, memory);
  }
  Status beginRun() override {
    meeting.reset();
    return connections.renew();
  }
  void endFailedRun() override { connections.endFailedRun(); }
  int64_t generation() const override { return connections.generation(); }
  Status agree(tpc_rt_rank_t &rank, const std::string &text) override {
    Peers *peers = world.peers();
    return peers ? peers->agree("programs", text) : meeting.agree(rank, text);
  }
  Status run(tpc_rt_rank_t &rank, int32_t stream, CollectiveSet &set,
             int32_t index, const void *const *inputs,
             void *const *outputs) override;
  Status watch(tpc_rt_rank_t &rank, bool isLate) override {
    return connections.watch(rank, isLate);
  }

private:
  Status meet(tpc_rt_rank_t &rank, const Manifest &manifest, int32_t index,
              const Schedule &schedule);
  Status provide(tpc_rt_rank_t &rank, NcclSet::OfRank &own, int32_t stream,
                 ncclComm_t comm, const std::string &label);
  Status enqueueMoves(tpc_rt_rank_t &rank, int32_t stream,
                      const std::vector<Move> &moves, char *scratch,
                      const void *const *inputs, void *const *outputs);
  Status exchange(tpc_rt_rank_t &rank, int32_t stream, ncclComm_t comm,
                  const std::vector<Message> &messages, char *scratch,
                  const void *const *inputs, void *const *outputs);
  Status call(const Message &message, ncclComm_t comm, cudaStream_t stream,
              const char *from, char *to);

  World &world;
  Meeting meeting;
  Connections connections;
};

Status NcclCommunicator::prepare(const Manifest &manifest,
                                 std::unique_ptr<CollectiveSet> &set) {
  auto fresh = std::make_unique<NcclSet>(connections);
  fresh->manifest = &manifest;
  for (int32_t rank = world.firstRank();
       rank < world.firstRank() + world.numOwnRanks(); ++rank) {
    NcclSet::OfRank &own = fresh->ranks[rank];
    for (const Collective &collective : manifest.collectives) {
      own.schedules.emplace_back();
      Schedule &schedule = own.schedules.back();
      if (Status status =
              planSchedule(manifest.mesh, collective, rank, schedule))
        return status;
      own.scratchBytes = std::max(own.scratchBytes, schedule.scratchBytes);
    }
  }
  set = std::move(fresh);
  return {};
}

/// Makes sure that the others are in the same collective.
Status NcclCommunicator::meet(tpc_rt_rank_t &rank, const Manifest &manifest,
                              int32_t index, const Schedule &schedule) {
  const std::string &label = manifest.collectives[index].label;
  if (Peers *peers = world.peers()) {
    std::string ignored;
    if (rank.call->goodRuns > 0)
      return {};
    return peers->confer(
        label, "",
        [](std::vector<std::string> &, std::string &) { return Status(); },
        ignored);
  }
  Group &group = *meeting.findGroup(schedule.members);
  size_t member = group.memberOf(rank.index);
  if (Status status = meeting.meetIn(rank, group, member, manifest, index))
    return status;
  return meeting.meet(rank, group, member, label);
}

/// Memory and registrations, the first time the call uses a stream.
Status NcclCommunicator::provide(tpc_rt_rank_t &rank, NcclSet::OfRank &own,
                                 int32_t stream, ncclComm_t comm,
                                 const std::string &label) {
  std::shared_ptr<void> &scratch = own.scratch[stream];
  if (!scratch && own.scratchBytes > 0)
    if (Status status = rank.device->allocate(own.scratchBytes, scratch))
      return status;
  if (!comm)
    return {};
  const Function &signature = rank.call->signature();
  const Call::RankBuffers &buffers = rank.call->buffers[rank.index];
  std::vector<Registrations::Buffer> others = {
      {scratch.get(), own.scratchBytes}};
  for (size_t i = 0; i < signature.arguments.size(); ++i)
    others.push_back({buffers.arguments[i], signature.arguments[i].localBytes});
  for (size_t i = 0; i < signature.results.size(); ++i)
    others.push_back({buffers.results[i], signature.results[i].localBytes});
  return own.registrations.add(connections, rank.index, comm,
                               {buffers.workspace, signature.workspaceBytes},
                               others, label);
}

static char *addressOf(const Place &place, char *scratch,
                       const void *const *inputs, void *const *outputs) {
  switch (place.memory) {
  case Memory::Input:
    return static_cast<char *>(const_cast<void *>(inputs[place.part])) +
           place.offset;
  case Memory::Output:
    return static_cast<char *>(outputs[place.part]) + place.offset;
  case Memory::Scratch:
    return scratch + place.offset;
  }
  return nullptr;
}

Status NcclCommunicator::enqueueMoves(tpc_rt_rank_t &rank, int32_t stream,
                                      const std::vector<Move> &moves,
                                      char *scratch, const void *const *inputs,
                                      void *const *outputs) {
  std::vector<const void *> sources;
  for (const Move &move : moves) {
    sources.clear();
    for (const Place &place : move.sources)
      sources.push_back(addressOf(place, scratch, inputs, outputs));
    if (Status status = cuda::enqueueTransfer(
            cuda::deviceOf(rank), stream, move.dtype, move.reduction,
            move.transfer, addressOf(move.target, scratch, inputs, outputs),
            sources.data()))
      return status;
  }
  return {};
}

Status NcclCommunicator::call(const Message &message, ncclComm_t comm,
                              cudaStream_t stream, const char *from, char *to) {
  const Library *library = &connections.nccl();
  auto count = static_cast<size_t>(message.count);
  size_t bytes = count * static_cast<size_t>(dtypeSize(message.dtype));
  ncclDataType_t type = typeOf(message.dtype);
  ncclRedOp_t op = opOf(message.dtype, message.reduction);
  switch (message.operation) {
  case Operation::AllReduce:
    return library->check(
        library->ncclAllReduce(from, to, count, type, op, comm, stream),
        "ncclAllReduce", comm);
  case Operation::AllGather:
    return library->check(
        library->ncclAllGather(from, to, bytes, ncclUint8, comm, stream),
        "ncclAllGather", comm);
  case Operation::ReduceScatter:
    return library->check(
        library->ncclReduceScatter(from, to, count, type, op, comm, stream),
        "ncclReduceScatter", comm);
  case Operation::Send:
    return library->check(
        library->ncclSend(from, bytes, ncclUint8, message.peer, comm, stream),
        "ncclSend", comm);
  case Operation::Receive:
    return library->check(
        library->ncclRecv(to, bytes, ncclUint8, message.peer, comm, stream),
        "ncclRecv", comm);
  }
  return {};
}

Status NcclCommunicator::exchange(tpc_rt_rank_t &rank, int32_t stream,
                                  ncclComm_t comm,
                                  const std::vector<Message> &messages,
                                  char *scratch, const void *const *inputs,
                                  void *const *outputs) {
  if (messages.empty())
    return {};
  const Library *library = &connections.nccl();
  auto handle =
      reinterpret_cast<cudaStream_t>(cuda::deviceOf(rank).stream(stream));
  if (Status status =
          library->check(library->ncclGroupStart(), "ncclGroupStart", comm))
    return status;
  Status first;
  for (const Message &message : messages) {
    bool sends = message.operation != Operation::Receive;
    bool receives = message.operation != Operation::Send;
    Status status = call(
        message, comm, handle,
        sends ? addressOf(message.from, scratch, inputs, outputs) : nullptr,
        receives ? addressOf(message.to, scratch, inputs, outputs) : nullptr);
    if (status && first.ok())
      first = std::move(status);
  }
  Status ended = library->check(library->ncclGroupEnd(), "ncclGroupEnd", comm);
  return first.ok() ? std::move(ended) : std::move(first);
}

Status NcclCommunicator::run(tpc_rt_rank_t &rank, int32_t stream,
                             CollectiveSet &set, int32_t index,
                             const void *const *inputs, void *const *outputs) {
  NcclSet &nccl = static_cast<NcclSet &>(set);
  const Collective &collective = nccl.manifest->collectives[index];
  NcclSet::OfRank &own = nccl.ranks[rank.index];
  const Schedule &schedule = own.schedules[index];
  cuda::CudaDevice &device = cuda::deviceOf(rank);
  device.note("collective", collective.label);
  ncclComm_t comm = nullptr;
  if (!collective.isLocal) {
    if (Status status = meet(rank, *nccl.manifest, index, schedule))
      return status;
    if (Status status = connections.findGroup(rank.index, collective.axes,
                                              schedule.members[0], stream,
                                              collective.label, comm))
      return status;
  }
  if (Status status = provide(rank, own, stream, comm, collective.label))
    return status;
  auto *scratch = static_cast<char *>(own.scratch[stream].get());
  Status status;
  auto then = [&](auto &&step) {
    if (status.ok())
      status = step();
  };
  for (const Phase &phase : schedule.phases) {
    then([&] {
      return enqueueMoves(rank, stream, phase.before, scratch, inputs, outputs);
    });
    then([&] {
      return exchange(rank, stream, comm, phase.messages, scratch, inputs,
                      outputs);
    });
    // The group may be given to the stream by a thread of NCCL's.
    then([&] {
      return phase.messages.empty()
                 ? Status()
                 : connections.await(rank.index, comm,
                                     "NCCL to enqueue " + collective.label);
    });
    then([&] {
      return enqueueMoves(rank, stream, phase.after, scratch, inputs, outputs);
    });
  }
  if (status && status.rank() < 0 && status.code() == TPC_RT_RANK_FAILED &&
      !world.hasFailed())
    return Status(TPC_RT_RANK_FAILED,
                  text("rank ", rank.index, " in ", collective.label, ": ",
                       status.message()),
                  rank.index);
  return status;
}

} // namespace

Status createNcclCommunicator(World &world,
                              std::unique_ptr<Communicator> &comm) {
  auto nccl = std::make_unique<NcclCommunicator>(world);
  if (Status status = nccl->open())
    return status;
  comm = std::move(nccl);
  return {};
}

} // namespace tpc::rt::nccl
