// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drives the ranks: one thread each, started with the world and handed one call
// after the other. Decides when a run has failed and when a rank is given up.

#include "world.h"
#include <algorithm>
#include <cstddef>

namespace tpc::rt {

World::World(const Options &options) : options(options) {
  for (int32_t index = 0; index < options.ranks; ++index) {
    auto rank = std::make_unique<tpc_rt_rank_t>();
    rank->world = this;
    rank->index = index;
    ranks.push_back(std::move(rank));
  }
}

Status World::open() {
  if (Status status = openPlatform(options.device, options.platform, platform))
    return status;
  for (auto &rank : ranks) {
    DeviceHooks hooks{options.deadline,
                      [this, index = rank->index](Status status) {
                        status.setRank(index);
                        reportFailure(std::move(status));
                      }};
    if (Status status =
            platform->createDevice(rank->index, std::move(hooks), rank->device))
      return status;
  }
  return platform->createCommunicator(options.communicator, *this, comm);
}

World::~World() = default;

void World::start() {
  // Every thread keeps the world alive: one that never returns from compiled
  // code must still find its rank.
  for (auto &rank : ranks)
    threads.emplace_back(
        [self = shared_from_this(), &rank = *rank] { self->serve(rank); });
}

void World::stop() {
  bool isBroken;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
    isBroken = !brokenReason.empty();
  }
  wakeRanks.notify_all();
  for (size_t i = 0; i < threads.size(); ++i) {
    // A thread that is lost in compiled code cannot be joined. Its world stays
    // behind with it.
    if (isBroken && ranks[i]->isRunning.load(std::memory_order_acquire))
      threads[i].detach();
    else
      threads[i].join();
  }
}

void World::reportFailure(Status status) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (failure)
      return;
    failure = std::move(status);
    isFailed.store(true, std::memory_order_release);
  }
  wakeHost.notify_all();
}

std::string World::whereabouts(int32_t index) const {
  const tpc_rt_rank_t &rank = *ranks[index];
  int32_t last = rank.lastCollective.load(std::memory_order_acquire);
  if (last < 0)
    return "computing, before its first collective";
  const std::string &label =
      rank.call->module->manifest.collectives[last].label;
  return rank.inCollective.load(std::memory_order_acquire)
             ? "in " + label
             : "computing, after " + label;
}

/// Marks the end of a rank's run however it comes about. A thread that ends
/// inside compiled code unwinds through here, without an exception.
class World::EndOfRun {
public:
  EndOfRun(World &world, tpc_rt_rank_t &rank) : world(world), rank(rank) {
    rank.endReason = "its thread ended";
  }
  void returned(int32_t code) {
    hasReturned = true;
    isGood = code == 0;
    rank.endReason = code == 0
                         ? "its function has returned"
                         : "its function returned code " + std::to_string(code);
  }
  ~EndOfRun() {
    rank.isRunning.store(false, std::memory_order_release);
    std::lock_guard<std::mutex> lock(world.mutex);
    if (!hasReturned)
      world.brokenReason = "the thread of rank " + std::to_string(rank.index) +
                           " ended in an earlier run";
    if (!isGood)
      world.badRanks.push_back(rank.index);
    --world.numPending;
    // Under the lock: the world may be gone as soon as the host knows.
    world.wakeHost.notify_all();
  }

private:
  World &world;
  tpc_rt_rank_t &rank;
  bool hasReturned = false;
  bool isGood = false;
};

void World::serve(tpc_rt_rank_t &rank) {
  uint32_t seen = 0;
  while (true) {
    std::shared_ptr<Call> call;
    {
      std::unique_lock<std::mutex> lock(mutex);
      wakeRanks.wait(lock, [&] { return isStopping || generation != seen; });
      if (isStopping)
        return;
      seen = generation;
      call = current;
    }
    // The host has given this rank up already.
    if (!call)
      return;
    runRank(rank, *call);
  }
}

void World::runRank(tpc_rt_rank_t &rank, Call &call) {
  EndOfRun end(*this, rank);
  const Manifest &manifest = call.module->manifest;
  Call::RankBuffers &buffers = call.buffers[rank.index];
  Clock::time_point begin = Clock::now();
  int32_t code = 0;
  if (!call.isAgreed) {
    std::string program =
        text("artifact ", manifest.fingerprint, ", mesh ", manifest.meshText,
             ", function \"", call.signature().name, "\"");
    if (Status status = comm->agree(rank, program)) {
      code = status.code();
      reportFailure(std::move(status));
    }
  }
  auto body = [&] {
    return call.module->entries[call.function](&rank, buffers.arguments.data(),
                                               buffers.results.data(),
                                               buffers.workspace);
  };
  if (code == 0) {
    if (Status status = rank.device->run(rank, body, code)) {
      code = status.code();
      if (status.rank() < 0)
        status.setRank(rank.index);
      reportFailure(std::move(status));
    }
  }
  if (options.profile)
    rank.trace.push_back(
        {"function", call.signature().name, begin, Clock::now()});
  end.returned(code);
}

Status World::run(const std::shared_ptr<Call> &call) {
  std::unique_lock<std::mutex> lock(mutex);
  if (numPending > 0 && brokenReason.empty())
    return fail(TPC_RT_INVALID_ARGUMENT,
                "the world is running another call already");
  if (!brokenReason.empty())
    return fail(TPC_RT_RANK_FAILED,
                "the world cannot run any more: ", brokenReason);
  comm->beginRun();
  isFailed.store(false, std::memory_order_release);
  failure = Status();
  badRanks.clear();
  current = call;
  numPending = options.ranks;
  for (auto &rank : ranks) {
    rank->call = call.get();
    rank->coordinates = call->module->manifest.mesh.coordinates(rank->index);
    rank->inCollective.store(false, std::memory_order_relaxed);
    rank->lastCollective.store(-1, std::memory_order_relaxed);
    rank->isRunning.store(true, std::memory_order_release);
  }
  ++generation;
  wakeRanks.notify_all();
  awaitRanks(lock);
  // Ranks that are left behind hold the call themselves.
  current.reset();
  if (!failure && !badRanks.empty()) {
    const tpc_rt_rank_t &rank = *ranks[badRanks.front()];
    failure = Status(TPC_RT_RANK_FAILED,
                     text("rank ", rank.index, " failed in function \"",
                          call->signature().name, "\": ", rank.endReason),
                     rank.index);
  }
  if (!failure) {
    call->isAgreed = true;
    ++call->goodRuns;
  }
  return std::move(failure);
}

/// Waits for the ranks to end. A run in which nothing moves for the deadline
/// fails; ranks that do not end within another deadline are given up.
void World::awaitRanks(std::unique_lock<std::mutex> &lock) {
  auto isDone = [&] { return numPending == 0; };
  uint32_t lastProgress = 0;
  Clock::time_point lastChange = Clock::now();
  Clock::time_point failedAt;
  bool sawFailure = false;
  while (!wakeHost.wait_for(lock, std::chrono::milliseconds(20), isDone)) {
    if (isFailed.load(std::memory_order_acquire)) {
      if (!sawFailure) {
        sawFailure = true;
        failedAt = Clock::now();
      }
      if (secondsSince(failedAt) <= options.deadline)
        continue;
      for (auto &rank : ranks)
        if (rank->isRunning.load(std::memory_order_acquire))
          brokenReason = text("rank ", rank->index,
                              " did not end after an earlier failure");
      return;
    }
    uint32_t progress = 0;
    for (auto &rank : ranks)
      progress += rank->progress.load(std::memory_order_relaxed) +
                  !rank->isRunning.load(std::memory_order_relaxed);
    if (progress != lastProgress) {
      lastProgress = progress;
      lastChange = Clock::now();
    } else if (secondsSince(lastChange) > 0.1 + 1.25 * options.deadline) {
      // Later than the deadline of a rank in a collective, which knows more.
      int32_t late = 0;
      while (!ranks[late]->isRunning.load(std::memory_order_acquire) &&
             late + 1 < options.ranks)
        ++late;
      Status status(TPC_RT_TIMEOUT,
                    text("nothing has moved for ", options.deadline,
                         " seconds; rank ", late, " is ", whereabouts(late)),
                    late);
      lock.unlock();
      reportFailure(std::move(status));
      lock.lock();
    }
  }
}

} // namespace tpc::rt

using namespace tpc::rt;

/// The options with zeros for fields that the caller does not know.
static Status completeOptions(const tpc_rt_world_options_t &given,
                              tpc_rt_world_options_t &options) {
  // Earlier versions of the struct end behind `communicator`.
  constexpr size_t leastSize = offsetof(tpc_rt_world_options_t, device);
  if (given.size < static_cast<int32_t>(leastSize) ||
      given.size > static_cast<int32_t>(sizeof(tpc_rt_world_options_t)))
    return fail(TPC_RT_INVALID_ARGUMENT,
                "tpc_rt_world_options_t: expected size ",
                sizeof(tpc_rt_world_options_t), ", got ", given.size);
  options = {};
  std::memcpy(&options, &given, given.size);
  return {};
}

static Status createWorld(const tpc_rt_world_options_t &caller,
                          tpc_rt_world_t **out) {
  tpc_rt_world_options_t given;
  if (Status status = completeOptions(caller, given))
    return status;
  if (given.ranks < 1)
    return fail(TPC_RT_INVALID_ARGUMENT, "expected at least 1 rank, got ",
                given.ranks);
  if (given.threads_per_rank < 0)
    return fail(TPC_RT_INVALID_ARGUMENT,
                "expected 0 or more threads per rank, got ",
                given.threads_per_rank);
  if (!(given.deadline_seconds >= 0))
    return fail(TPC_RT_INVALID_ARGUMENT,
                "expected a deadline of 0 or more seconds, got ",
                given.deadline_seconds);
  World::Options options;
  options.ranks = given.ranks;
  options.profile = given.profile != 0;
  if (given.deadline_seconds > 0)
    options.deadline = given.deadline_seconds;
  if (given.device)
    options.device = given.device;
  if (given.communicator)
    options.communicator = given.communicator;
  options.platform.useGraphs = given.no_graphs == 0;
  options.platform.allowTf32 = given.allow_tf32 != 0;
  options.platform.threadsPerRank = given.threads_per_rank;
  if (given.threads_per_rank == 0)
    options.platform.threadsPerRank = std::max<int32_t>(
        1, static_cast<int32_t>(std::thread::hardware_concurrency()) /
               given.ranks);
  // Its destructor ends the threads that could be started.
  auto handle = std::make_unique<tpc_rt_world_t>();
  handle->object = std::make_shared<World>(options);
  if (Status status = handle->object->open())
    return status;
  handle->object->start();
  *out = handle.release();
  return {};
}

extern "C" {

tpc_rt_status_t *tpc_rt_world_create(const tpc_rt_world_options_t *options,
                                     tpc_rt_world_t **out_world) {
  *out_world = nullptr;
  return guard([&] { return createWorld(*options, out_world); });
}

void tpc_rt_world_retain(tpc_rt_world_t *world) { retainHandle(world); }
void tpc_rt_world_release(tpc_rt_world_t *world) { releaseHandle(world); }

int32_t tpc_rt_world_rank_count(const tpc_rt_world_t *world) {
  return world->object->numRanks();
}

int32_t tpc_rt_world_threads_per_rank(const tpc_rt_world_t *world) {
  return world->object->threadsPerRank();
}

tpc_rt_status_t *tpc_rt_world_write_trace(tpc_rt_world_t *world,
                                          const char *path) {
  return guard([&] { return writeTrace(*world->object, path); });
}

} // extern "C"
