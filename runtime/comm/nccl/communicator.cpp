// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries schedules out: pieces by the runtime's own kernels, the rest by NCCL,
// on the stream that compiled code names.
//
// Every set of mesh axes has a communicator of its own per stream, so that
// streams run side by side; it is split off the world's the first time it is
// needed, which all ranks come to in the same order. That a call has the same
// collectives on all ranks is made sure of while nothing is recorded yet: ranks
// that are threads meet on the host in every collective they enqueue, processes
// in those of the first run. Calls of NCCL do not block; whoever waits looks
// for failures of other ranks and for the deadline, and aborts.

#include "communicator.h"
#include "library.h"
#include "meeting.h"
#include "own_launch.h"
#include "schedule.h"
#include <set>

namespace tpc::rt::nccl {

namespace {

using cuda::CudaDevice;

class NcclCommunicator;

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

/// The communicators of one rank. Touched by its thread alone while it runs.
struct RankComms {
  ncclComm_t world = nullptr;
  /// By axes and stream.
  std::map<std::pair<std::vector<int32_t>, int32_t>, ncclComm_t> groups;
};

/// The collectives of a call.
struct NcclSet final : CollectiveSet {
  NcclSet(NcclCommunicator &comm) : comm(comm) {}
  ~NcclSet() override;

  struct OfRank {
    std::vector<Schedule> schedules;
    int64_t scratchBytes = 0;
    std::shared_ptr<void> scratch[TPC_RT_STREAMS];
    /// What is registered with which communicator.
    std::set<ncclComm_t> registeredWith;
    std::vector<std::pair<ncclComm_t, void *>> registrations;
  };

  NcclCommunicator &comm;
  const Manifest *manifest = nullptr;
  std::map<int32_t, OfRank> ranks;
};

class NcclCommunicator final : public Communicator {
public:
  explicit NcclCommunicator(World &world) : world(world), meeting(world) {}
  ~NcclCommunicator() override;

  Status open();

  Status prepare(const Manifest &manifest,
                 std::unique_ptr<CollectiveSet> &set) override;
  Status beginRun() override;
  Status agree(tpc_rt_rank_t &rank, const std::string &text) override {
    Peers *peers = world.peers();
    return peers ? peers->agree("programs", text) : meeting.agree(rank, text);
  }
  Status run(tpc_rt_rank_t &rank, int32_t stream, CollectiveSet &set,
             int32_t index, const void *const *inputs,
             void *const *outputs) override;
  Status watch(tpc_rt_rank_t &rank, bool isLate) override;

  void deregister(int32_t rank, NcclSet::OfRank &of);

private:
  CudaDevice &deviceOf(int32_t rank) {
    return cuda::deviceOf(world.rank(rank));
  }
  Status checkDevices();
  Status connect();
  Status connectRank(int32_t rank, const ncclUniqueId &id);
  Status await(int32_t rank, ncclComm_t comm, const std::string &what);
  Status findGroup(int32_t rank, const Collective &collective,
                   const Schedule &schedule, int32_t stream, ncclComm_t &comm);
  Status meet(tpc_rt_rank_t &rank, const Manifest &manifest, int32_t index,
              const Schedule &schedule);
  Status provide(tpc_rt_rank_t &rank, NcclSet::OfRank &own, int32_t stream,
                 ncclComm_t comm);
  void registerBuffers(tpc_rt_rank_t &rank, NcclSet::OfRank &own,
                       ncclComm_t comm, void *scratch);
  Status enqueueMoves(tpc_rt_rank_t &rank, int32_t stream,
                      const std::vector<Move> &moves, char *scratch,
                      const void *const *inputs, void *const *outputs);
  Status exchange(tpc_rt_rank_t &rank, int32_t stream, ncclComm_t comm,
                  const std::vector<Message> &messages, char *scratch,
                  const void *const *inputs, void *const *outputs);
  Status call(const Message &message, ncclComm_t comm, cudaStream_t stream,
              const char *from, char *to);
  void abort(int32_t rank);

  World &world;
  Meeting meeting;
  const Library *library = nullptr;
  std::map<int32_t, RankComms> comms;
  std::mutex mutex;
  std::set<int32_t> aborted;
};

NcclSet::~NcclSet() {
  for (auto &[rank, of] : ranks)
    comm.deregister(rank, of);
}

NcclCommunicator::~NcclCommunicator() {
  for (auto &[rank, own] : comms) {
    if (aborted.count(rank) || !deviceOf(rank).gpu()->makeCurrent().ok())
      continue;
    for (auto &entry : own.groups)
      library->ncclCommDestroy(entry.second);
    if (own.world)
      library->ncclCommDestroy(own.world);
  }
}

//===--- communicators ----------------------------------------------------===//

Status NcclCommunicator::open() {
  if (Status status = openLibrary(library))
    return status;
  if (Peers *peers = world.peers())
    if (Status status = peers->agree("versions of NCCL", library->version))
      return status;
  if (Status status = checkDevices())
    return status;
  return connect();
}

Status NcclCommunicator::checkDevices() {
  std::map<int, int32_t> rankOn;
  for (int32_t rank = world.firstRank();
       rank < world.firstRank() + world.numOwnRanks(); ++rank) {
    const cuda::Context &gpu = *deviceOf(rank).gpu();
    auto [it, isNew] = rankOn.emplace(gpu.ordinal, rank);
    if (!isNew)
      return fail(TPC_RT_UNSUPPORTED,
                  "communicator \"nccl\" needs a GPU for each rank, ranks ",
                  it->second, " and ", rank, " are both on ", gpu.str(),
                  "; start one process per GPU, or use --comm local");
  }
  return {};
}

Status NcclCommunicator::connect() {
  ncclUniqueId id{};
  if (world.isOwn(0)) {
    if (Status status = deviceOf(0).gpu()->makeCurrent())
      return status;
    if (Status status = library->check(library->ncclGetUniqueId(&id),
                                       "ncclGetUniqueId", nullptr))
      return status;
  }
  if (Peers *peers = world.peers()) {
    std::string bytes;
    auto takeFirst = [](std::vector<std::string> &given, std::string &answer) {
      answer = given[0];
      return Status();
    };
    if (Status status = peers->confer("the start of NCCL",
                                      std::string(id.internal, sizeof(id)),
                                      takeFirst, bytes))
      return status;
    std::memcpy(id.internal, bytes.data(), std::min(bytes.size(), sizeof(id)));
  }
  // Each rank on a thread of its own: NCCL waits for the others in places.
  std::vector<std::thread> threads;
  std::vector<Status> statuses(world.numOwnRanks());
  for (int32_t i = 0; i < world.numOwnRanks(); ++i) {
    comms[world.firstRank() + i];
    threads.emplace_back(
        [&, i] { statuses[i] = connectRank(world.firstRank() + i, id); });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (Status &status : statuses)
    if (status)
      return std::move(status);
  return {};
}

Status NcclCommunicator::connectRank(int32_t rank, const ncclUniqueId &id) {
  if (Status status = deviceOf(rank).gpu()->makeCurrent())
    return status;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  RankComms &own = comms[rank];
  if (Status status =
          library->check(library->ncclCommInitRankConfig(
                             &own.world, world.numRanks(), id, rank, &config),
                         "ncclCommInitRankConfig", nullptr))
    return status;
  return await(rank, own.world, "all ranks to start NCCL");
}

/// Waits until the last call on the communicator has come through.
Status NcclCommunicator::await(int32_t rank, ncclComm_t comm,
                               const std::string &what) {
  Clock::time_point start = Clock::now();
  for (int64_t turn = 0;; ++turn) {
    ncclResult_t state = ncclSuccess;
    ncclResult_t result = library->ncclCommGetAsyncError(comm, &state);
    if (result == ncclSuccess)
      result = state;
    if (result == ncclSuccess)
      return {};
    Status failure = library->check(result, "NCCL", comm);
    if (failure.ok() && world.hasFailed())
      failure = fail(TPC_RT_RANK_FAILED, "another rank has failed");
    else if (failure.ok() && secondsSince(start) > world.deadline())
      failure =
          Status(TPC_RT_TIMEOUT, text("rank ", rank, " waited ",
                                      world.deadline(), " seconds for ", what));
    else if (failure)
      failure = Status(
          TPC_RT_RANK_FAILED,
          text("rank ", rank, ": waiting for ", what, ": ", failure.message()),
          rank);
    if (failure) {
      abort(rank);
      return failure;
    }
    if (turn > 1000)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

Status NcclCommunicator::findGroup(int32_t rank, const Collective &collective,
                                   const Schedule &schedule, int32_t stream,
                                   ncclComm_t &comm) {
  RankComms &own = comms[rank];
  auto it = own.groups.find({collective.axes, stream});
  if (it != own.groups.end()) {
    comm = it->second;
    return {};
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t fresh = nullptr;
  if (Status status =
          library->check(library->ncclCommSplit(own.world, schedule.members[0],
                                                rank, &fresh, &config),
                         "ncclCommSplit", own.world))
    return status;
  const std::string what =
      text("the ranks of ", collective.label, " to connect");
  if (Status status = await(rank, own.world, what))
    return status;
  if (Status status = await(rank, fresh, what))
    return status;
  own.groups[{collective.axes, stream}] = fresh;
  comm = fresh;
  return {};
}

Status NcclCommunicator::beginRun() {
  meeting.reset();
  if (aborted.empty())
    return {};
  // An abort leaves nothing behind that could be used again.
  for (auto &[rank, own] : comms)
    abort(rank);
  aborted.clear();
  comms.clear();
  return connect();
}

void NcclCommunicator::abort(int32_t rank) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!aborted.insert(rank).second)
      return;
  }
  RankComms &own = comms[rank];
  for (auto &entry : own.groups)
    library->ncclCommAbort(entry.second);
  if (own.world)
    library->ncclCommAbort(own.world);
}

Status NcclCommunicator::watch(tpc_rt_rank_t &rank, bool isLate) {
  if (isLate || world.hasFailed()) {
    abort(rank.index);
    return world.hasFailed()
               ? fail(TPC_RT_RANK_FAILED, "another rank has failed")
               : Status();
  }
  for (auto &entry : comms[rank.index].groups) {
    ncclResult_t state = ncclSuccess;
    library->ncclCommGetAsyncError(entry.second, &state);
    if (Status status = library->check(state, "NCCL", entry.second)) {
      abort(rank.index);
      return Status(TPC_RT_RANK_FAILED,
                    text("rank ", rank.index, ", ",
                         world.whereabouts(rank.index), ": ", status.message()),
                    rank.index);
    }
  }
  return {};
}

//===--- collectives ------------------------------------------------------===//

Status NcclCommunicator::prepare(const Manifest &manifest,
                                 std::unique_ptr<CollectiveSet> &set) {
  auto fresh = std::make_unique<NcclSet>(*this);
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
                                 int32_t stream, ncclComm_t comm) {
  std::shared_ptr<void> &scratch = own.scratch[stream];
  if (!scratch && own.scratchBytes > 0)
    if (Status status = rank.device->allocate(own.scratchBytes, scratch))
      return status;
  if (comm && own.registeredWith.insert(comm).second)
    registerBuffers(rank, own, comm, scratch.get());
  return {};
}

/// NCCL moves registered memory without copies of its own where the hardware
/// lets it. What it refuses to register works all the same.
void NcclCommunicator::registerBuffers(tpc_rt_rank_t &rank,
                                       NcclSet::OfRank &own, ncclComm_t comm,
                                       void *scratch) {
  auto add = [&](const void *buffer, int64_t bytes) {
    void *handle = nullptr;
    if (buffer && bytes > 0 &&
        library->ncclCommRegister(comm, const_cast<void *>(buffer),
                                  static_cast<size_t>(bytes),
                                  &handle) == ncclSuccess &&
        handle)
      own.registrations.push_back({comm, handle});
  };
  const Function &signature = rank.call->signature();
  const Call::RankBuffers &buffers = rank.call->buffers[rank.index];
  for (size_t i = 0; i < signature.arguments.size(); ++i)
    add(buffers.arguments[i], signature.arguments[i].localBytes);
  for (size_t i = 0; i < signature.results.size(); ++i)
    add(buffers.results[i], signature.results[i].localBytes);
  add(buffers.workspace, signature.workspaceBytes);
  add(scratch, own.scratchBytes);
}

void NcclCommunicator::deregister(int32_t rank, NcclSet::OfRank &of) {
  std::lock_guard<std::mutex> lock(mutex);
  auto own = comms.find(rank);
  if (own == comms.end() || aborted.count(rank))
    return;
  for (auto &[comm, handle] : of.registrations)
    for (auto &entry : own->second.groups)
      if (entry.second == comm)
        library->ncclCommDeregister(comm, handle);
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
  CudaDevice &device = cuda::deviceOf(rank);
  device.note("collective", collective.label);
  ncclComm_t comm = nullptr;
  if (!collective.isLocal) {
    if (Status status = meet(rank, *nccl.manifest, index, schedule))
      return status;
    if (Status status =
            findGroup(rank.index, collective, schedule, stream, comm))
      return status;
  }
  if (Status status = provide(rank, own, stream, comm))
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
                 : await(rank.index, comm,
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
