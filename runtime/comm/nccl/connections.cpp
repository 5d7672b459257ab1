// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts NCCL on all ranks, waits for it, and ends it by force where waiting is
// of no use.

#include "connections.h"
#include "device.h"
#include <cstring>

namespace tpc::rt::nccl {

static const cuda::Context &gpuOf(World &world, int32_t rank) {
  return *cuda::deviceOf(world.rank(rank)).gpu();
}

/// Finishes what is under way with the other ranks. False when they do not all
/// come to it in time.
static bool finalize(const Library &library, ncclComm_t comm, double deadline) {
  ncclResult_t result = library.ncclCommFinalize(comm);
  Clock::time_point start = Clock::now();
  while (result == ncclInProgress || result == ncclSuccess) {
    ncclResult_t state = ncclSuccess;
    result = library.ncclCommGetAsyncError(comm, &state);
    if (result == ncclSuccess && state != ncclInProgress)
      return state == ncclSuccess;
    if (secondsSince(start) > deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return false;
}

/// Does `work` on a thread that is left behind where it does not end.
static std::future<void> doApart(std::shared_ptr<cuda::Context> gpu,
                                 std::function<void()> work) {
  std::promise<void> done;
  std::future<void> result = done.get_future();
  try {
    std::thread([gpu, work = std::move(work),
                 done = std::move(done)]() mutable {
      if (gpu->makeCurrent().ok())
        work();
      work = nullptr;
      gpu.reset();
      done.set_value();
    }).detach();
  } catch (const std::system_error &) {
    gpu->giveUp();
  }
  return result;
}

void Connections::startEnds(int32_t rank, bool byForce, bool isLost) {
  cuda::CudaDevice &device = cuda::deviceOf(world.rank(rank));
  std::shared_ptr<cuda::Context> gpu = device.gpu();
  // Nothing ends on a GPU that does not come to rest.
  if (!gpu->makeCurrent().ok())
    return;
  if (!isLost)
    device.recordings()->dropAll();
  std::lock_guard<std::mutex> lock(mutex);
  // Those of a rank end once.
  auto [it, isNew] = ends.try_emplace(rank);
  if (!isNew)
    return;
  auto endApart = [&, &all = it->second](
                      ncclComm_t comm,
                      std::vector<std::shared_ptr<ncclComm_t>> splits) {
    all.push_back(
        doApart(gpu, [library = library, gpu, comm, byForce,
                      deadline = world.deadline(), splits = std::move(splits)] {
          if (byForce || !finalize(*library, comm, deadline))
            library->ncclCommAbort(comm);
          else if (library->ncclCommDestroy(comm) != ncclSuccess)
            gpu->giveUp();
          // What was being split off is there when its parent has ended.
          for (const std::shared_ptr<ncclComm_t> &split : splits)
            if (*split)
              library->ncclCommAbort(*split);
        }));
  };
  std::vector<std::shared_ptr<ncclComm_t>> splits;
  const OfRank &own = comms[rank];
  for (const auto &entry : own.groups)
    if (*entry.second)
      endApart(*entry.second, {});
    else
      splits.push_back(entry.second);
  if (own.world)
    endApart(own.world, std::move(splits));
  if (isLost)
    it->second.push_back(
        doApart(gpu, [graphs = device.recordings()] { graphs->dropAll(); }));
}

void Connections::awaitEnds(double seconds) {
  Clock::time_point latest =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(seconds));
  bool haveEnded = true;
  for (auto &entry : comms) {
    std::vector<std::future<void>> ofRank;
    {
      std::lock_guard<std::mutex> lock(mutex);
      ofRank.swap(ends[entry.first]);
    }
    for (std::future<void> &end : ofRank)
      haveEnded &= end.wait_until(latest) == std::future_status::ready;
    haveEnded &= !gpuOf(world, entry.first).isStuck();
  }
  if (!haveEnded)
    for (auto &entry : comms)
      cuda::deviceOf(world.rank(entry.first)).gpu()->giveUp();
}

Status Connections::open() {
  if (Status status = openLibrary(library))
    return status;
  if (Peers *peers = world.peers())
    if (Status status = peers->agree("versions of NCCL", library->version))
      return status;
  if (Status status = checkDevices())
    return status;
  return connect();
}

/// By rank: what tells a GPU from all others, and its name.
static Status findShared(std::vector<std::string> &given, std::string &) {
  std::map<std::string, size_t> rankOn;
  for (size_t rank = 0; rank < given.size(); ++rank) {
    auto [it, isNew] =
        rankOn.emplace(given[rank].substr(0, sizeof(CUuuid)), rank);
    if (!isNew)
      return fail(TPC_RT_UNSUPPORTED,
                  "communicator \"nccl\" needs a GPU for each rank, ranks ",
                  it->second, " and ", rank, " are both on ",
                  given[rank].substr(sizeof(CUuuid)),
                  "; start one process per GPU, or use --comm local");
  }
  return {};
}

Status Connections::checkDevices() {
  std::vector<std::string> given;
  for (int32_t rank = world.firstRank();
       rank < world.firstRank() + world.numOwnRanks(); ++rank) {
    const cuda::Context &gpu = gpuOf(world, rank);
    CUuuid uuid{};
    TPC_CUDA(gpu.driver, cuDeviceGetUuid, &uuid, gpu.device);
    given.push_back(std::string(uuid.bytes, sizeof(uuid)) + gpu.str());
  }
  std::string ignored;
  Peers *peers = world.peers();
  return peers ? peers->confer("the choice of GPUs", given[0], findShared,
                               ignored)
               : findShared(given, ignored);
}

Status Connections::connect() {
  ncclUniqueId id{};
  for (int32_t i = 0; i < world.numOwnRanks(); ++i)
    if (Status status = makeCurrent(world.firstRank() + i))
      return status;
  if (world.isOwn(0)) {
    if (Status status = makeCurrent(0))
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
  // All have their places before the first thread looks for its own.
  for (int32_t i = 0; i < world.numOwnRanks(); ++i)
    comms[world.firstRank() + i];
  // Each rank on a thread of its own: NCCL waits for the others in places.
  std::vector<std::future<Status>> ranks;
  for (int32_t i = 0; i < world.numOwnRanks(); ++i)
    ranks.push_back(std::async(std::launch::async, [&, i] {
      return connectRank(world.firstRank() + i, id);
    }));
  Status first;
  for (std::future<Status> &rank : ranks)
    if (Status status = rank.get(); status && first.ok())
      first = std::move(status);
  isConnected = first.ok();
  return first;
}

Status Connections::connectRank(int32_t rank, const ncclUniqueId &id) {
  if (Status status = makeCurrent(rank))
    return status;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  OfRank &own = comms[rank];
  ncclResult_t result = library->ncclCommInitRankConfig(
      &own.world, world.numRanks(), id, rank, &config);
  return await(rank, own.world, "all ranks to start NCCL", result);
}

Status Connections::await(int32_t rank, ncclComm_t comm,
                          const std::string &what, ncclResult_t result) {
  Clock::time_point start = Clock::now();
  for (int64_t turn = 0;; ++turn) {
    if (result == ncclSuccess || result == ncclInProgress) {
      ncclResult_t state = ncclSuccess;
      result = library->ncclCommGetAsyncError(comm, &state);
      if (result == ncclSuccess)
        result = state;
    }
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

Status Connections::findGroup(int32_t rank, const std::vector<int32_t> &axes,
                              int32_t color, int32_t stream,
                              const std::string &label, ncclComm_t &comm) {
  OfRank &own = comms[rank];
  std::shared_ptr<ncclComm_t> group;
  bool isNew = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (aborted.count(rank))
      return fail(TPC_RT_RANK_FAILED, "another rank has failed");
    std::shared_ptr<ncclComm_t> &known = own.groups[{axes, stream}];
    isNew = !known;
    if (isNew)
      known = std::make_shared<ncclComm_t>(nullptr);
    group = known;
  }
  if (isNew) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclResult_t result =
        library->ncclCommSplit(own.world, color, rank, group.get(), &config);
    const std::string what = text("the ranks of ", label, " to connect");
    if (Status status = await(rank, own.world, what, result))
      return status;
    if (Status status = await(rank, *group, what))
      return status;
  }
  comm = *group;
  return {};
}

Status Connections::makeCurrent(int32_t rank) const {
  return gpuOf(world, rank).makeCurrent();
}

bool Connections::isAborted(int32_t rank) {
  std::lock_guard<std::mutex> lock(mutex);
  return aborted.count(rank) > 0;
}

bool Connections::markAborted(int32_t rank) {
  std::lock_guard<std::mutex> lock(mutex);
  return aborted.insert(rank).second;
}

void Connections::abort(int32_t rank) {
  // NCCL would wait for a recording too, of which nothing is under way yet.
  // Those of its rank end behind the run.
  if (markAborted(rank) && !cuda::deviceOf(world.rank(rank)).isRecordingGraph())
    startEnds(rank, /*byForce=*/true);
}

void Connections::endFailedRun() {
  // An abort of one rank leaves nothing behind that another could use.
  for (auto &entry : comms) {
    markAborted(entry.first);
    startEnds(entry.first, /*byForce=*/true,
              /*isLost=*/world.rank(entry.first).isRunning.load());
  }
  awaitEnds(world.deadline());
}

Connections::~Connections() {
  // Where a run has failed a rank may be lost, and nobody waits for it.
  if (world.hasFailed() || !aborted.empty()) {
    endFailedRun();
    return;
  }
  for (auto &entry : comms)
    startEnds(entry.first, /*byForce=*/false);
  // Those that are late are aborted.
  awaitEnds(2 * world.deadline());
}

Status Connections::renew() {
  if (isConnected && aborted.empty())
    return {};
  // Where connecting has failed, some are left.
  endFailedRun();
  isConnected = false;
  aborted.clear();
  ends.clear();
  comms.clear();
  ++numRenewals;
  return connect();
}

Status Connections::watch(tpc_rt_rank_t &rank, bool isLate) {
  if (isLate || world.hasFailed()) {
    abort(rank.index);
    return world.hasFailed()
               ? fail(TPC_RT_RANK_FAILED, "another rank has failed")
               : Status();
  }
  // Nothing may be asked of communicators that are aborted.
  if (isAborted(rank.index))
    return {};
  for (auto &entry : comms[rank.index].groups) {
    ncclResult_t state = ncclSuccess;
    library->ncclCommGetAsyncError(*entry.second, &state);
    if (Status status = library->check(state, "NCCL", *entry.second)) {
      abort(rank.index);
      return Status(TPC_RT_RANK_FAILED,
                    text("rank ", rank.index, ", ",
                         world.whereabouts(rank.index), ": ", status.message()),
                    rank.index);
    }
  }
  return {};
}

} // namespace tpc::rt::nccl
