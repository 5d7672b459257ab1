// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's entry points for captures and graphs.
#include "Simulator.h"

using namespace tpc::sim;

extern "C" {

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  Call call("cuStreamBeginCapture");
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(handle);
  if (!stream || !handle)
    return CUDA_ERROR_INVALID_HANDLE;
  if (call.breaksCapture(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  auto capture = std::make_shared<Capture>();
  capture->origin = stream.get();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->streams.push_back(stream.get());
  capture->graph->lanes = 1;
  stream->capture = capture.get();
  stream->lane = 0;
  call.sim.engine.captures.push_back(capture);
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *result) {
  Call call("cuStreamEndCapture");
  *result = nullptr;
  StreamPtr stream = call.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  Capture *capture = stream->capture;
  if (!capture || capture->origin != stream.get()) {
    call.found("ends a capture that did not begin on its stream");
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  bool invalid = capture->invalid;
  std::shared_ptr<Graph> graph = call.sim.engine.endCapture(*capture);
  if (invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!graph) {
    call.found("ends a capture while another stream's work is not joined");
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  *result = newHandle<CUgraph>(call.sim);
  call.sim.graphs[*result] = graph;
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  Call call("cuStreamIsCapturing");
  StreamPtr stream = call.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *status = !stream->capture           ? CU_STREAM_CAPTURE_STATUS_NONE
            : stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec *result, CUgraph handle,
                            unsigned long long flags) {
  Call call("cuGraphInstantiate");
  if (call.sim.hasPriorities &&
      !(flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY))
    call.found("forgets the priorities of the streams that were recorded");
  if (CUresult error = call.refused())
    return error;
  auto it = call.sim.graphs.find(handle);
  if (it == call.sim.graphs.end())
    return CUDA_ERROR_INVALID_HANDLE;
  *result = newHandle<CUgraphExec>(call.sim);
  call.sim.execs[*result] =
      call.sim.engine.instantiate(it->second, currentDevice);
  return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec, CUstream) { return CUDA_SUCCESS; }

CUresult cuGraphLaunch(CUgraphExec handle, CUstream streamHandle) {
  Call call("cuGraphLaunch");
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(streamHandle);
  auto it = call.sim.execs.find(handle);
  if (!stream || it == call.sim.execs.end())
    return CUDA_ERROR_INVALID_HANDLE;
  if (call.breaksCapture(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  call.sim.engine.launch(*it->second, stream, call.number);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  Call call("cuGraphDestroy");
  return call.sim.graphs.erase(handle) ? CUDA_SUCCESS
                                       : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  Call call("cuGraphExecDestroy");
  auto it = call.sim.execs.find(handle);
  if (it == call.sim.execs.end())
    return CUDA_ERROR_INVALID_HANDLE;
  for (const StreamPtr &lane : it->second->lanes)
    lane->destroyed = true;
  call.sim.execs.erase(it);
  return CUDA_SUCCESS;
}

} // extern "C"
