// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL's entry points for communicators, registration and errors.
#include "Nccl.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

namespace tpc::sim {

static std::map<ncclComm_t, std::shared_ptr<ncclComm>> comms;
static thread_local std::vector<std::shared_ptr<ncclComm>> joining;

std::shared_ptr<ncclComm> findComm(ncclComm_t handle) {
  auto it = comms.find(handle);
  return it == comms.end() ? nullptr : it->second;
}

/// Waits for those that the group's communicators are made with.
ncclResult_t finishJoins() {
  ncclResult_t result = ncclSuccess;
  std::vector<std::shared_ptr<ncclComm>> all = std::move(joining);
  joining.clear();
  for (const auto &comm : all)
    if (ncclResult_t error = awaitComm(*comm))
      result = error;
  return result;
}

static bool blocks(const ncclConfig_t *config) {
  return !config || config->blocking == NCCL_CONFIG_UNDEF_INT ||
         config->blocking != 0;
}

ncclComm_t addComm(const std::shared_ptr<ncclComm> &comm) {
  comms[comm.get()] = comm;
  return comm.get();
}

static ncclResult_t join(Call &call, ncclComm_t *result,
                         const std::string &name, int ranks, int rank,
                         const ncclConfig_t *config) {
  *result = nullptr;
  if (currentDevice < 0)
    return ncclUnhandledCudaError;
  if (ranks < 1 || rank < 0 || rank >= ranks)
    return ncclInvalidArgument;
  std::shared_ptr<ncclComm> comm = joinComm(name, ranks, rank, currentDevice);
  if (!comm)
    return ncclInvalidUsage;
  call.with("comm", name).with("rank", int64_t(rank));
  comm->blocking = blocks(config);
  *result = addComm(comm);
  if (!blocks(config))
    return ncclInProgress;
  joining.push_back(comm);
  call.lock.unlock();
  return inGroup() ? ncclSuccess : finishJoins();
}

/// Whether a graph, what was made of one, or a recording has work of the
/// communicator: NCCL waits for these without end, in aborts too
/// (commDestroySync in init.cc).
static bool isInGraphs(Simulator &sim, const ncclComm *comm) {
  auto has = [&](const Graph &graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                       [&](const Node &node) {
                         return node.task && node.task->communicator == comm;
                       });
  };
  return std::any_of(sim.graphs.begin(), sim.graphs.end(),
                     [&](auto &entry) { return has(*entry.second); }) ||
         std::any_of(sim.engine.captures.begin(), sim.engine.captures.end(),
                     [&](auto &capture) { return has(*capture->graph); }) ||
         std::any_of(sim.execs.begin(), sim.execs.end(),
                     [&](auto &entry) { return has(*entry.second->graph); });
}

/// Waits for other ranks without the lock. NCCL frees what ranks of a node have
/// of each other: all are to come, those of other processes too where it is not
/// an abort.
static void awaitOthers(Call &call, const ncclComm &comm, bool aborts) {
  call.lock.unlock();
  std::string missing;
  for (int32_t r = 0; r < comm.ranks; ++r) {
    const RankBlock &other = comm.meeting->rank(r);
    bool counts = !aborts || (other.joined.load() && other.process == getpid());
    for (int i = 0; counts && !other.left.load(); ++i) {
      if (i > 600000) {
        missing = " waits in vain for rank " + std::to_string(r);
        break;
      }
      usleep(200);
    }
  }
  call.lock.lock();
  if (!missing.empty())
    call.found(comm.text() + missing);
}

static ncclResult_t leave(Call &call, ncclComm_t handle, bool aborts) {
  std::shared_ptr<ncclComm> comm = findComm(handle);
  if (!comm) {
    call.found("is given a communicator that does not exist");
    return ncclInvalidArgument;
  }
  if (isInGraphs(call.sim, comm.get()))
    call.found("destroys a communicator that graphs need");
  if (!aborts) {
    if (comm->executed != comm->issued)
      call.found("destroys a communicator that is at work");
    if (size_t count = comm->registered.size() + comm->windows.size())
      call.found("destroys a communicator with " + std::to_string(count) +
                 " buffers registered");
  }
  comm->aborted = true;
  if (comm->error == ncclInProgress)
    comm->meeting->unlink();
  if (aborts && call.sim.strikes("endless-abort", comm->rank)) {
    call.lock.unlock();
    while (true)
      pause();
  }
  comm->meeting->rank(comm->rank).left.store(1);
  awaitOthers(call, *comm, aborts);
  comms.erase(handle);
  return ncclSuccess;
}

const std::map<ncclComm_t, std::shared_ptr<ncclComm>> &allComms() {
  return comms;
}

size_t numComms() { return comms.size(); }

} // namespace tpc::sim

using namespace tpc::sim;

bool ncclComm::haveAll(std::atomic<int64_t> RankBlock::*counter,
                       int64_t least) const {
  for (int32_t r = 0; r < ranks; ++r)
    if ((meeting->rank(r).*counter).load() < least)
      return false;
  return true;
}

/// Goes on as far as the other ranks are; the child is there at the end.
ncclResult_t ncclComm::pollSplit() {
  RankBlock &mine = meeting->rank(rank);
  if (!split->isPosted) {
    if (!haveAll(&RankBlock::splitRead, split->number - 1))
      return ncclInProgress;
    mine.color = split->color;
    mine.key = split->key;
    mine.splitPosted.store(split->number);
    split->isPosted = true;
  }
  if (!haveAll(&RankBlock::splitPosted, split->number))
    return ncclInProgress;
  int childRanks = 0, childRank = 0;
  for (int32_t r = 0; r < ranks; ++r) {
    const RankBlock &other = meeting->rank(r);
    if (other.color != split->color)
      continue;
    ++childRanks;
    childRank +=
        std::make_pair(other.key, r) < std::make_pair(split->key, rank);
  }
  mine.splitRead.store(split->number);
  std::unique_ptr<SplitInTheMaking> made = std::move(split);
  if (made->color == NCCL_SPLIT_NOCOLOR)
    return error;
  std::shared_ptr<ncclComm> child =
      joinComm(name + "-" + std::to_string(made->number) + "." +
                   std::to_string(made->color),
               childRanks, childRank, device);
  if (!child)
    return error = ncclInvalidUsage;
  child->blocking = false;
  *made->result = addComm(child);
  return error;
}

void ncclComm::enqueueGroups(Call &call) {
  for (const auto &enqueue : std::exchange(groups, {}))
    enqueue(call);
}

extern "C" {

ncclResult_t ncclGetVersion(int *version) {
  *version = static_cast<int>(Simulator::get().options.ncclVersion);
  return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result) {
  switch (result) {
  case ncclSuccess:
    return "no error";
  case ncclUnhandledCudaError:
    return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
  case ncclSystemError:
    return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
  case ncclInvalidArgument:
    return "invalid argument (run with NCCL_DEBUG=WARN for details)";
  case ncclInvalidUsage:
    return "invalid usage (run with NCCL_DEBUG=WARN for details)";
  case ncclRemoteError:
    return "remote process exited or there was a network error";
  case ncclInProgress:
    return "NCCL operation in progress";
  default:
    return "internal error - please report this issue to the NCCL developers";
  }
}

const char *ncclGetLastError(ncclComm_t) { return lastNcclError.c_str(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  Call call("ncclGetUniqueId");
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(id->internal, sizeof id->internal, "tpc-sim-%d-%ld-%lld", getpid(),
           static_cast<long>(now.tv_sec * 1000000000 + now.tv_nsec),
           static_cast<long long>(call.number));
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks,
                                    ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  Call call("ncclCommInitRankConfig");
  return join(call, comm, std::string(id.internal, strnlen(id.internal, 64)),
              ranks, rank, config);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id,
                              int rank) {
  return ncclCommInitRankConfig(comm, ranks, id, rank, nullptr);
}

ncclResult_t ncclCommSplit(ncclComm_t parentHandle, int color, int key,
                           ncclComm_t *result, ncclConfig_t *config) {
  Call call("ncclCommSplit");
  *result = nullptr;
  std::shared_ptr<ncclComm> parent = findComm(parentHandle);
  if (!parent)
    return ncclInvalidArgument;
  if (call.breaksCapture())
    return ncclInvalidUsage;
  call.with("comm", parent->name).with("color", int64_t(color));
  if (parent->poll() != ncclSuccess) {
    lastNcclError = "the communicator is not ready or has failed";
    return ncclInvalidUsage;
  }
  parent->split.reset(
      new SplitInTheMaking{++parent->splits, color, key, result});
  if (!blocks(config))
    return ncclInProgress;
  // The parent is ready when the other ranks have come, and then the child is.
  call.lock.unlock();
  ncclResult_t error = awaitComm(*parent);
  call.lock.lock();
  if (error || !*result)
    return error;
  std::shared_ptr<ncclComm> child = findComm(*result);
  child->blocking = true;
  call.lock.unlock();
  return awaitComm(*child);
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  Call call("ncclCommFinalize");
  std::shared_ptr<ncclComm> comm = findComm(handle);
  if (!comm)
    return ncclInvalidArgument;
  if (isInGraphs(call.sim, comm.get()))
    call.found("finalizes a communicator that graphs need");
  comm->finalizing = true;
  comm->meeting->rank(comm->rank).finalized.store(1);
  if (!comm->blocking)
    return ncclInProgress;
  call.lock.unlock();
  return awaitComm(*comm);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  Call call("ncclCommDestroy");
  return leave(call, comm, false);
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  Call call("ncclCommAbort");
  return leave(call, comm, true);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t *error) {
  Call call("ncclCommGetAsyncError");
  std::shared_ptr<ncclComm> comm = findComm(handle);
  if (!comm)
    return ncclInvalidArgument;
  comm->enqueueGroups(call);
  *error = comm->poll();
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  *count = comm->ranks;
  return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
  *device = comm->device;
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
  *rank = comm->rank;
  return ncclSuccess;
}

ncclResult_t ncclCommRegister(const ncclComm_t handle, void *data, size_t bytes,
                              void **result) {
  Call call("ncclCommRegister");
  std::shared_ptr<ncclComm> comm = findComm(handle);
  Allocation *allocation = call.sim.memory.find(data);
  if (!comm || !allocation || allocation->freed)
    return ncclInvalidArgument;
  auto *from = static_cast<char *>(data);
  if (from < allocation->data ||
      from + bytes > allocation->data + allocation->bytes)
    call.found("registers more than " + Memory::describe(*allocation));
  *result = newHandle<void *>(call.sim);
  comm->registered[*result] = {data, bytes};
  return ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t handle, void *registered) {
  Call call("ncclCommDeregister");
  std::shared_ptr<ncclComm> comm = findComm(handle);
  return comm && comm->registered.erase(registered) ? ncclSuccess
                                                    : ncclInvalidArgument;
}

} // extern "C"
