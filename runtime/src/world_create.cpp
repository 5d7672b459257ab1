// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public API of worlds: checks what a host asks for, and meets the other
// processes before devices are opened, so that all learn of a failure.

#include "world.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

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

/// Meets the other processes of a world that has several.
static Status joinProcesses(const tpc_rt_world_options_t &given,
                            World::Options &options,
                            std::unique_ptr<Peers> &peers) {
  if (options.communicator == "local")
    return fail(TPC_RT_UNSUPPORTED,
                "unsupported: a world of several processes with communicator "
                "\"local\", whose ranks are threads of one process; leave out "
                "the rendezvous");
  if (given.rank < 0 || given.rank >= given.ranks)
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a rank below ", given.ranks,
                ", got ", given.rank);
  if (given.local_rank < 0)
    return fail(TPC_RT_INVALID_ARGUMENT,
                "expected a local rank of 0 or more, got ", given.local_rank);
  options.ownRank = given.rank;
  options.platform.localRank = given.local_rank;
  JoinOptions join;
  join.rank = given.rank;
  join.ranks = given.ranks;
  join.place = given.rendezvous;
  join.job = given.job ? given.job : "";
  join.deadline = options.deadline;
  return Peers::join(join, peers);
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
  if (given.streams < TPC_RT_STREAMS_AUTO ||
      given.streams > TPC_RT_STREAMS_THREADS)
    return fail(TPC_RT_INVALID_ARGUMENT, "expected streams from ",
                TPC_RT_STREAMS_AUTO, " to ", TPC_RT_STREAMS_THREADS, ", got ",
                given.streams);
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
  options.platform.threadsPerRank = given.threads_per_rank;
  auto cores = static_cast<int64_t>(std::thread::hardware_concurrency());
  if (given.threads_per_rank == 0)
    options.platform.threadsPerRank =
        static_cast<int32_t>(std::max<int64_t>(1, cores / given.ranks));
  // Threads that take turns on a core would hide nothing behind the compute.
  int64_t wanted = int64_t(given.ranks) *
                   (options.platform.threadsPerRank + TPC_RT_STREAMS - 1);
  options.platform.streamThreads =
      given.streams == TPC_RT_STREAMS_THREADS ||
      (given.streams == TPC_RT_STREAMS_AUTO && wanted <= cores);
  std::unique_ptr<Peers> peers;
  if (given.rendezvous)
    if (Status status = joinProcesses(given, options, peers))
      return status;
  // Its destructor ends the threads that could be started.
  auto handle = std::make_unique<tpc_rt_world_t>();
  handle->object = std::make_shared<World>(options, std::move(peers));
  if (Status status = handle->object->open()) {
    (void)handle->object->finish(status.message());
    return status;
  }
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

int32_t tpc_rt_world_first_rank(const tpc_rt_world_t *world) {
  return world->object->firstRank();
}

tpc_rt_status_t *tpc_rt_world_finish(tpc_rt_world_t *world,
                                     const char *failure) {
  return guard([&] { return world->object->finish(failure ? failure : ""); });
}

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
