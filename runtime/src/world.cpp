// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drives the ranks: one thread each, started with the world and handed one call
// after the other. Decides when a run has failed and when a rank is given up.

#include "world.h"
#include <algorithm>

namespace tpc::rt {

std::string Call::programText() const {
  const Manifest &manifest = module->manifest;
  return text("artifact ", manifest.fingerprint, ", mesh ", manifest.meshText,
              ", function \"", signature().name, "\"");
}

std::vector<int32_t> Call::ownRanks() const {
  std::vector<int32_t> ranks;
  for (int32_t i = 0; i < world->numOwnRanks(); ++i)
    ranks.push_back(world->firstRank() + i);
  return ranks;
}

Status Call::failedOn(int32_t rank, const std::string &how) const {
  return Status(TPC_RT_RANK_FAILED,
                text("rank ", rank, " failed in function \"", signature().name,
                     "\": ", how),
                rank);
}

std::string codeText(int32_t code) {
  return text("its function returned code ", code);
}

World::World(const Options &options, std::unique_ptr<Peers> peers)
    : options(options), otherProcesses(std::move(peers)) {
  for (int32_t index = firstRank(); index < firstRank() + numOwnRanks();
       ++index) {
    auto rank = std::make_unique<tpc_rt_rank_t>();
    rank->world = this;
    rank->index = index;
    ranks.push_back(std::move(rank));
  }
}

Status World::open() {
  std::unique_ptr<Platform> found;
  if (Status status = openPlatform(options.device, options.platform, found))
    return status;
  return openOn(std::move(found));
}

Status World::openOn(std::unique_ptr<Platform> given) {
  platform = std::move(given);
  for (auto &rank : ranks) {
    DeviceHooks hooks{options.deadline,
                      [this, index = rank->index](Status status) {
                        status.setRank(index);
                        reportFailure(std::move(status));
                      },
                      [this, &rank = *rank](bool isLate) {
                        return comm ? comm->watch(rank, isLate) : Status();
                      }};
    if (Status status =
            platform->createDevice(rank->index, std::move(hooks), rank->device))
      return status;
  }
  return platform->createCommunicator(options.communicator, *this, comm);
}

World::~World() {
  // Its thread calls back.
  otherProcesses.reset();
}

void World::start() {
  // Every thread keeps the world alive: one that never returns from compiled
  // code must still find its rank.
  for (auto &rank : ranks)
    threads.emplace_back(
        [self = shared_from_this(), &rank = *rank] { self->serve(rank); });
  if (!otherProcesses)
    return;
  otherProcesses->setWhereabouts([this]() -> std::string {
    std::lock_guard<std::mutex> lock(mutex);
    return current ? whereabouts(firstRank(), *current) : "between two runs";
  });
  otherProcesses->onFailure(
      [this](const Status &failure) { hearOfFailure(failure); });
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
    // Processes that have failed do not meet again.
    if (otherProcesses && brokenReason.empty())
      brokenReason = status.message();
    failure = status.copy();
    isFailed.store(true, std::memory_order_release);
  }
  wakeHost.notify_all();
  if (otherProcesses)
    otherProcesses->fail(status);
}

Status World::firstFailure() {
  std::lock_guard<std::mutex> lock(mutex);
  return failure.copy();
}

void World::hearOfFailure(const Status &told) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (brokenReason.empty())
      brokenReason = told.message();
    if (!failure)
      failure = told.copy();
    isFailed.store(true, std::memory_order_release);
  }
  wakeHost.notify_all();
}

Status World::finish(const std::string &failure) {
  if (!otherProcesses)
    return {};
  // Those that have left do not meet again.
  if (outcome)
    return outcome->copy();
  outcome = Status();
  if (!failure.empty()) {
    otherProcesses->fail(
        Status(TPC_RT_RANK_FAILED,
               text("rank ", firstRank(), " failed: ", failure), firstRank()));
    otherProcesses->leave();
    return {};
  }
  std::string ignored;
  Status status = otherProcesses->confer(
      "the end of the program", "",
      [](std::vector<std::string> &, std::string &) { return Status(); },
      ignored, /*isPatient=*/true);
  otherProcesses->leave();
  outcome = status.copy();
  return status;
}

std::string World::whereabouts(int32_t index) const {
  return whereabouts(index, *ranks[index - firstRank()]->call);
}

std::string World::whereabouts(int32_t index, const Call &call) const {
  const tpc_rt_rank_t &rank = *ranks[index - firstRank()];
  const auto &collectives = call.module->manifest.collectives;
  for (const tpc_rt_rank_t::Stream &stream : rank.streams) {
    int32_t current = stream.collective.load(std::memory_order_acquire);
    if (current >= 0)
      return "in " + collectives[current].label;
  }
  int32_t last = rank.lastCollective.load(std::memory_order_acquire);
  return last < 0 ? "computing, before its first collective"
                  : "computing, after " + collectives[last].label;
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
    rank.endReason = isGood ? "its function has returned" : codeText(code);
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
  Call::RankBuffers &buffers = call.buffers[rank.index];
  Clock::time_point begin = Clock::now();
  int32_t code = 0;
  if (!call.isAgreed) {
    if (Status status = comm->agree(rank, call.programText())) {
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
    rank.streams[TPC_RT_COMPUTE].trace.push_back(
        {"function", call.signature().name, begin, Clock::now()});
  end.returned(code);
}

Status World::run(const std::shared_ptr<Call> &call) {
  std::unique_lock<std::mutex> lock(mutex);
  if (isRunning && brokenReason.empty())
    return fail(TPC_RT_INVALID_ARGUMENT,
                "the world is running another call already");
  if (!brokenReason.empty())
    return fail(TPC_RT_RANK_FAILED,
                "the world cannot run any more: ", brokenReason);
  isRunning = true;
  // Whatever happens.
  auto end = [this](bool *) { isRunning = false; };
  std::unique_ptr<bool, decltype(end)> atEnd(&isRunning, end);
  Status status = run(call, lock);
  if (!status)
    return status;
  lock.unlock();
  if (otherProcesses)
    status = otherProcesses->settle(std::move(status));
  comm->endFailedRun();
  lock.lock();
  if (!brokenReason.empty())
    return status;
  // What one rank has recorded another may not have, and what is done between
  // runs fails no more.
  call->goodRuns = 0;
  isFailed.store(false, std::memory_order_release);
  return status;
}

Status World::run(const std::shared_ptr<Call> &call,
                  std::unique_lock<std::mutex> &lock) {
  // Communicators may wait for each other anew.
  isFailed.store(false, std::memory_order_release);
  if (Status status = comm->beginRun())
    return status;
  if (call->generation != comm->generation()) {
    call->generation = comm->generation();
    call->goodRuns = 0;
  }
  failure = Status();
  badRanks.clear();
  current = call;
  numPending = numOwnRanks();
  for (auto &rank : ranks) {
    rank->call = call.get();
    rank->coordinates = call->module->manifest.mesh.coordinates(rank->index);
    for (tpc_rt_rank_t::Stream &stream : rank->streams)
      stream.collective.store(-1, std::memory_order_relaxed);
    rank->lastCollective.store(-1, std::memory_order_relaxed);
    rank->isRunning.store(true, std::memory_order_release);
  }
  ++generation;
  wakeRanks.notify_all();
  awaitRanks(lock);
  // Ranks that are left behind hold the call themselves.
  current.reset();
  if (!failure && !badRanks.empty()) {
    const tpc_rt_rank_t &rank = this->rank(badRanks.front());
    failure = call->failedOn(rank.index, rank.endReason);
  }
  if (failure)
    return std::move(failure);
  call->isAgreed = true;
  ++call->goodRuns;
  return {};
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
      size_t slowest = 0;
      while (!ranks[slowest]->isRunning.load(std::memory_order_acquire) &&
             slowest + 1 < ranks.size())
        ++slowest;
      int32_t late = ranks[slowest]->index;
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
