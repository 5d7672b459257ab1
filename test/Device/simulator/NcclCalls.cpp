// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL's entry points that move data, and groups of them.
#include "Nccl.h"

using namespace tpc::sim;

namespace {

/// A call inside of a group, or alone.
struct Queued {
  std::shared_ptr<ncclComm> comm;
  StreamPtr stream;
  bool collective;
  CollectiveCall call;
  PointToPoint part;
};

thread_local int groupDepth = 0;
thread_local std::vector<Queued> group;

/// Gives one collective to its stream; a fault may let the next one pass.
void enqueueCollective(Call &call, const Queued &what) {
  std::shared_ptr<ncclComm> comm = what.comm;
  std::string name =
      std::string("nccl") + collectiveName(what.call.header.kind);
  CollectiveCall data = what.call;
  auto give = [name, data, stream = what.stream, number = call.number] {
    auto task = std::make_shared<Task>();
    task->text = name;
    task->issue = [data] { return issueCollective(data); };
    task->communicator = data.comm.get();
    Simulator::get().engine.enqueue(*stream, task, number);
  };
  if (call.sim.strikes("swap-collectives", comm->rank)) {
    comm->held = give;
    return;
  }
  give();
  if (comm->held) {
    comm->held();
    comm->held = nullptr;
  }
}

/// All of a group: messages of one communicator and stream at once.
void flush(Call &call, std::vector<Queued> all) {
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].collective) {
      enqueueCollective(call, all[i]);
      continue;
    }
    if (!all[i].comm)
      continue;
    std::shared_ptr<ncclComm> comm = all[i].comm;
    std::vector<PointToPoint> parts;
    for (size_t j = i; j < all.size(); ++j)
      if (!all[j].collective && all[j].comm == comm &&
          all[j].stream == all[i].stream) {
        parts.push_back(all[j].part);
        all[j].comm = nullptr;
      }
    call.enqueue(
        all[i].stream, "ncclSend and ncclRecv",
        [comm, parts] { return issuePointToPoint(comm, parts); }, comm.get());
  }
}

/// A communicator that does not block leaves it to a thread of its own, here to
/// whoever asks next how it is.
ncclResult_t endGroup(Call &call) {
  std::vector<Queued> all = std::exchange(group, {});
  for (const Queued &what : all)
    if (!what.comm->blocking) {
      what.comm->groups.push_back([all](Call &later) { flush(later, all); });
      return ncclInProgress;
    }
  flush(call, std::move(all));
  return ncclSuccess;
}

ncclResult_t give(Call &call, ncclComm_t handle, cudaStream_t streamHandle,
                  Queued what) {
  if (call.refused())
    return ncclUnhandledCudaError;
  what.comm = what.call.comm = findComm(handle);
  if (!what.comm) {
    call.found("is given a communicator that does not exist");
    return ncclInvalidArgument;
  }
  what.comm->enqueueGroups(call);
  what.stream = call.stream(reinterpret_cast<CUstream>(streamHandle));
  if (!what.stream)
    return ncclInvalidArgument;
  if (what.comm->poll() != ncclSuccess) {
    lastNcclError = "the communicator is not ready or has failed";
    return ncclInvalidUsage;
  }
  if (what.stream->device != what.comm->device) {
    call.found("is given a stream of another device");
    return ncclInvalidUsage;
  }
  group.push_back(std::move(what));
  return groupDepth == 0 ? endGroup(call) : ncclSuccess;
}

ncclResult_t collective(const char *name, Collective kind, const void *send,
                        void *recv, size_t count, ncclDataType_t type, int op,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  Call call(name);
  call.with("send", send).with("recv", recv);
  call.with("count", static_cast<int64_t>(count)).with("type", int64_t(type));
  if (!ncclTypeBytes(type))
    return ncclInvalidArgument;
  Queued what = {};
  what.collective = true;
  what.call.header = {kind, type, op, root, static_cast<int64_t>(count),
                      -1,   -1};
  what.call.send = static_cast<const char *>(send);
  what.call.recv = static_cast<char *>(recv);
  std::shared_ptr<ncclComm> of = findComm(comm);
  if (of) {
    call.with("comm", of->name).with("rank", int64_t(of->rank));
    if (root < 0 || root >= of->ranks)
      return ncclInvalidArgument;
    // NCCL's kernels on windows take offsets of all ranks to be their own.
    int64_t from = of->offsetInWindow(send), to = of->offsetInWindow(recv);
    if (from >= 0 && to >= 0) {
      what.call.header.sendOffset = from;
      what.call.header.recvOffset = to;
      call.with("window", to);
    }
    if (call.sim.strikes("size", of->rank))
      ++what.call.header.count;
  }
  return give(call, comm, stream, std::move(what));
}

ncclResult_t message(const char *name, bool sends, const void *data,
                     size_t count, ncclDataType_t type, int peer,
                     ncclComm_t comm, cudaStream_t stream) {
  Call call(name);
  call.with("data", data).with("count", static_cast<int64_t>(count));
  call.with("peer", int64_t(peer));
  std::shared_ptr<ncclComm> of = findComm(comm);
  if (!ncclTypeBytes(type) || (of && (peer < 0 || peer >= of->ranks)))
    return ncclInvalidArgument;
  Queued what = {};
  what.part = {sends, static_cast<char *>(const_cast<void *>(data)),
               static_cast<int64_t>(count) * ncclTypeBytes(type), peer};
  return give(call, comm, stream, std::move(what));
}

} // namespace

extern "C" {

ncclResult_t ncclGroupStart() {
  Call call("ncclGroupStart");
  ++groupDepth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  {
    Call call("ncclGroupEnd");
    if (groupDepth == 0) {
      call.found("ends a group that did not start");
      return ncclInvalidUsage;
    }
    if (--groupDepth > 0)
      return ncclSuccess;
    if (ncclResult_t result = endGroup(call))
      return result;
  }
  return finishJoins();
}

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  return collective("ncclAllReduce", Collective::AllReduce, send, recv, count,
                    type, op, 0, comm, stream);
}

ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  return collective("ncclBroadcast", Collective::Broadcast, send, recv, count,
                    type, 0, root, comm, stream);
}

ncclResult_t ncclReduce(const void *send, void *recv, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclReduce", Collective::Reduce, send, recv, count, type,
                    op, root, comm, stream);
}

ncclResult_t ncclAllGather(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return collective("ncclAllGather", Collective::AllGather, send, recv, count,
                    type, 0, 0, comm, stream);
}

ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t count,
                               ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclReduceScatter", Collective::ReduceScatter, send, recv,
                    count, type, op, 0, comm, stream);
}

ncclResult_t ncclAlltoAll(const void *send, void *recv, size_t count,
                          ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  return collective("ncclAlltoAll", Collective::AllToAll, send, recv, count,
                    type, 0, 0, comm, stream);
}

ncclResult_t ncclGather(const void *send, void *recv, size_t count,
                        ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  return collective("ncclGather", Collective::Gather, send, recv, count, type,
                    0, root, comm, stream);
}

ncclResult_t ncclScatter(const void *send, void *recv, size_t count,
                         ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  return collective("ncclScatter", Collective::Scatter, send, recv, count, type,
                    0, root, comm, stream);
}

ncclResult_t ncclSend(const void *data, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  return message("ncclSend", true, data, count, type, peer, comm, stream);
}

ncclResult_t ncclRecv(void *data, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return message("ncclRecv", false, data, count, type, peer, comm, stream);
}

} // extern "C"

namespace tpc::sim {
bool inGroup() { return groupDepth > 0; }
} // namespace tpc::sim
