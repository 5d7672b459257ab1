// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a function: at once the first time, which loads and chooses everything,
// then recorded as a graph, then by replaying that.
//
// A recording begins on one compute stream; the other streams join it by
// waiting for its first event and come back by an event each. Where ranks wait
// for each other's events (communicator "local") their streams can only be
// recorded together: the first rank begins and ends the recording of all, and
// alone replays it. The calls into one recording are not thread safe, so ranks
// take turns under the recorder's mutex.

#include "device.h"

namespace tpc::rt::cuda {

static bool isJointWorld(tpc_rt_rank_t &rank) {
  World &world = *rank.world;
  return world.numRanks() > 1 && world.communicator().joinsRanks();
}

Status CudaDevice::run(tpc_rt_rank_t &rank,
                       const std::function<int32_t()> &body, int32_t &code) {
  if (Status status = context->makeCurrent())
    return status;
  Call &call = *rank.call;
  current = static_cast<CudaCall *>(call.buffers[rank.index].device.get());
  noteLabel = nullptr;
  hasNotedProduct = false;
  // What was recorded for communicators that are gone is recorded again.
  if (call.goodRuns == 0)
    graphs->drop(*current);
  if (!options.useGraphs || call.signature().readsOnHost || call.goodRuns == 0)
    return runEagerly(body, code);
  bool isLeader = rank.index == 0 || !isJointWorld(rank);
  CudaCall &leader =
      isLeader ? *current : static_cast<CudaCall &>(*call.buffers[0].device);
  if (leader.isRecorded)
    return replay(rank, isLeader);
  isJoint = isJointWorld(rank);
  isRecording = true;
  Status status = recordGraph(rank, isLeader, body, code);
  isRecording = isJoint = false;
  if (status || code != 0)
    return status;
  return replay(rank, isLeader);
}

Status CudaDevice::runEagerly(const std::function<int32_t()> &body,
                              int32_t &code) {
  code = body();
  // Even after a failure: nothing may run on when buffers go.
  Status first;
  for (CUstream stream : streams)
    if (Status status = synchronize(stream); status && first.ok())
      first = std::move(status);
  return first;
}

Status CudaDevice::replay(tpc_rt_rank_t &rank, bool isLeader) {
  // The leader's graph has the work of all ranks.
  if (!isLeader)
    return {};
  noteLabel = &rank.call->signature().name;
  isReplaying = true;
  CUstream stream = streams[TPC_RT_COMPUTE];
  Status status =
      checked(driver().cuGraphLaunch(current->graph, stream), "cuGraphLaunch");
  if (status.ok())
    status = synchronize(stream);
  isReplaying = false;
  return status;
}

/// Begins the recording and lets all streams of the rank join it.
Status CudaDevice::fork(tpc_rt_rank_t &rank, bool isLeader) {
  Communicator &comm = rank.world->communicator();
  CUevent begin = beginEvent;
  if (isLeader) {
    std::unique_lock<std::mutex> lock(recorder.mutex, std::defer_lock);
    if (isJoint)
      lock.lock();
    TPC_CUDA_CHECKED(*this, cuStreamBeginCapture, streams[TPC_RT_COMPUTE],
                     CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    if (isJoint)
      recorder.isRecording = true;
    TPC_CUDA_CHECKED(*this, cuEventRecord, beginEvent, streams[TPC_RT_COMPUTE]);
  }
  if (isJoint) {
    // Nobody joins before it has begun.
    if (Status status = comm.agree(rank, "the recording of a graph"))
      return status;
    begin = deviceOf(rank.world->rank(0)).beginEvent;
  }
  std::unique_lock<std::mutex> lock;
  if (Status status = enter(lock))
    return status;
  for (CUstream stream : streams)
    if (!isLeader || stream != streams[TPC_RT_COMPUTE])
      TPC_CUDA_CHECKED(*this, cuStreamWaitEvent, stream, begin, 0);
  return {};
}

/// Brings all streams of all ranks back to the one it began on.
Status CudaDevice::join(tpc_rt_rank_t &rank, bool isLeader) {
  {
    std::unique_lock<std::mutex> lock;
    if (Status status = enter(lock))
      return status;
    for (int32_t i = 0; i < TPC_RT_STREAMS; ++i)
      if (!isLeader || i != TPC_RT_COMPUTE)
        TPC_CUDA_CHECKED(*this, cuEventRecord, endEvents[i], streams[i]);
  }
  if (isJoint)
    if (Status status = rank.world->communicator().agree(
            rank, "the end of the recording of a graph"))
      return status;
  if (!isLeader)
    return {};
  int32_t count = isJoint ? rank.world->numRanks() : 1;
  for (int32_t other = 0; other < count; ++other) {
    CudaDevice &device = isJoint ? deviceOf(rank.world->rank(other)) : *this;
    for (int32_t i = 0; i < TPC_RT_STREAMS; ++i)
      if (&device != this || i != TPC_RT_COMPUTE)
        TPC_CUDA_CHECKED(*this, cuStreamWaitEvent, streams[TPC_RT_COMPUTE],
                         device.endEvents[i], 0);
  }
  return {};
}

/// Ends the recording, however it went, and makes the graph of a good one.
Status CudaDevice::finishGraph(tpc_rt_rank_t &rank) {
  std::unique_lock<std::mutex> lock(recorder.mutex, std::defer_lock);
  if (isJoint) {
    lock.lock();
    recorder.isRecording = false;
  }
  CUgraph graph = nullptr;
  Status status =
      checked(driver().cuStreamEndCapture(streams[TPC_RT_COMPUTE], &graph),
              "cuStreamEndCapture");
  // One that was good on this rank in a run that failed on another.
  graphs->drop(*current);
  if (status.ok() && rank.world->hasFailed())
    status = fail(TPC_RT_RANK_FAILED, "another rank has failed");
  // Without the flag all nodes have the priority of the stream of the launch.
  CUgraphExec executable = nullptr;
  if (status.ok())
    status = checked(
        driver().cuGraphInstantiate(
            &executable, graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY),
        "cuGraphInstantiate");
  if (status.ok())
    graphs->add(*current, executable);
  if (graph)
    driver().cuGraphDestroy(graph);
  return status;
}

Status CudaDevice::recordGraph(tpc_rt_rank_t &rank, bool isLeader,
                               const std::function<int32_t()> &body,
                               int32_t &code) {
  Status status = fork(rank, isLeader);
  if (status.ok()) {
    code = body();
    // Streams come back from a recording that has failed, too.
    Status joined = code == 0 || !isJoint ? join(rank, isLeader) : Status();
    if (code == 0)
      status = std::move(joined);
  }
  if (!isLeader)
    return status;
  Status finished = finishGraph(rank);
  if (status)
    return status;
  // The others may be replaying what this rank has only recorded, and wait.
  if (code != 0 && !isJoint)
    return rank.call->failedOn(rank.index, codeText(code));
  return code != 0 ? Status() : std::move(finished);
}

} // namespace tpc::rt::cuda
