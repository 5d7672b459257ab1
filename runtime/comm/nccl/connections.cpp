// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts NCCL on all ranks, waits for it, and ends it by force where waiting is
// of no use.

#include "connections.h"
#include "device.h"
#include <cstring>
#include <future>

namespace tpc::rt::nccl {

static const cuda::Context &gpuOf(World &world, int32_t rank) {
  return *cuda::deviceOf(world.rank(rank)).gpu();
}

/// Ends communicators, all of one rank on a thread of their own, which is left
/// behind when they do not end within the deadline: another process may be gone
/// that NCCL waits for.
void Connections::end(int32_t rank, bool byForce) {
  std::vector<ncclComm_t> all;
  for (auto &entry : comms[rank].groups)
    all.push_back(entry.second);
  all.push_back(comms[rank].world);
  cuda::CudaDevice &device = cuda::deviceOf(world.rank(rank));
  std::shared_ptr<cuda::Context> gpu = device.gpu();
  // Nothing ends on a GPU that does not come to rest.
  if (!gpu->makeCurrent().ok())
    return;
  device.dropGraphs();
  std::promise<void> done;
  std::future<void> hasEnded = done.get_future();
  auto &call = byForce ? library->ncclCommAbort : library->ncclCommDestroy;
  std::thread([all, gpu, call, done = std::move(done)]() mutable {
    if (gpu->makeCurrent().ok())
      for (ncclComm_t comm : all)
        if (comm)
          call(comm);
    done.set_value();
  }).detach();
  hasEnded.wait_for(std::chrono::duration<double>(world.deadline()));
}

Connections::~Connections() {
  // Where a run has failed a rank may be lost, and nobody waits for it.
  for (auto &[rank, own] : comms)
    if (world.hasFailed())
      abort(rank);
    else if (!isAborted(rank))
      end(rank, /*byForce=*/false);
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
  if (world.isOwn(0)) {
    if (Status status = gpuOf(world, 0).makeCurrent())
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
  std::vector<std::thread> threads;
  std::vector<Status> statuses(world.numOwnRanks());
  for (int32_t i = 0; i < world.numOwnRanks(); ++i) {
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

Status Connections::connectRank(int32_t rank, const ncclUniqueId &id) {
  if (Status status = gpuOf(world, rank).makeCurrent())
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
  if (isAborted(rank))
    return fail(TPC_RT_RANK_FAILED, "another rank has failed");
  OfRank &own = comms[rank];
  auto [it, isNew] = own.groups.try_emplace({axes, stream}, nullptr);
  if (isNew) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclResult_t result =
        library->ncclCommSplit(own.world, color, rank, &it->second, &config);
    const std::string what = text("the ranks of ", label, " to connect");
    if (Status status = await(rank, own.world, what, result))
      return status;
    if (Status status = await(rank, it->second, what))
      return status;
  }
  comm = it->second;
  return {};
}

bool Connections::isAborted(int32_t rank) {
  std::lock_guard<std::mutex> lock(mutex);
  return aborted.count(rank) > 0;
}

Status Connections::renew() {
  if (aborted.empty())
    return {};
  // An abort leaves nothing behind that could be used again.
  for (auto &[rank, own] : comms)
    abort(rank);
  aborted.clear();
  comms.clear();
  ++numRenewals;
  return connect();
}

void Connections::abort(int32_t rank) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!aborted.insert(rank).second)
      return;
  }
  end(rank, /*byForce=*/true);
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

} // namespace tpc::rt::nccl
