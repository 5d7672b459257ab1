// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's entry points for streams and events.
#include "Simulator.h"

using namespace tpc::sim;

namespace {

Event *find(Call &call, CUevent handle) {
  auto it = call.sim.events.find(handle);
  if (it == call.sim.events.end()) {
    call.found("is given an event that does not exist");
    return nullptr;
  }
  call.with("event", it->second->number);
  return it->second.get();
}

/// Another stream of the device that is captured with this one, if it is: where
/// a fault records.
StreamPtr elsewhere(Call &call, const StreamPtr &stream) {
  for (auto &[handle, other] : call.sim.streams)
    if (other != stream && other->device == stream->device &&
        other->capture == stream->capture)
      return other;
  return stream;
}

/// The event stands for something outside of captures that can be waited for.
CUresult outside(Call &call, const Event &event) {
  if (!event.captured)
    return CUDA_SUCCESS;
  call.found("is given event " + std::to_string(event.number) +
             ", which was recorded in a capture");
  return CUDA_ERROR_CAPTURED_EVENT;
}

} // namespace

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream *handle, unsigned flags,
                                    int priority) {
  Call call("cuStreamCreateWithPriority");
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.sim.engine.createStream(
      currentDevice, !(flags & CU_STREAM_NON_BLOCKING));
  *handle = newHandle<CUstream>(call.sim);
  call.sim.streams[*handle] = stream;
  call.sim.hasPriorities |= priority != 0;
  call.with("stream", stream->number);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *handle, unsigned flags) {
  return cuStreamCreateWithPriority(handle, flags, 0);
}

CUresult cuStreamDestroy(CUstream handle) {
  Call call("cuStreamDestroy");
  StreamPtr stream = call.stream(handle);
  if (!stream || !handle)
    return CUDA_ERROR_INVALID_HANDLE;
  if (call.breaksCapture(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stream->destroyed = true;
  call.sim.streams.erase(handle);
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream handle) {
  Call call("cuStreamQuery");
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (call.breaksCapture() || call.breaksCapture(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!call.sim.engine.query(stream))
    return CUDA_ERROR_NOT_READY;
  return call.refused();
}

CUresult cuStreamSynchronize(CUstream handle) {
  Call call("cuStreamSynchronize");
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (call.breaksCapture(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  call.sim.engine.finish(call.lock, stream);
  return call.refused();
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent eventHandle, unsigned) {
  Call call("cuStreamWaitEvent");
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(handle);
  Event *event = find(call, eventHandle);
  if (!stream || !event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!event->moment && !event->captured)
    call.found("waits for event " + std::to_string(event->number) +
               ", which was never recorded");
  if (call.sim.strikes("drop-wait", stream->device))
    return CUDA_SUCCESS;
  if (call.sim.strikes("late-wait", stream->device)) {
    call.sim.lateWait.reset(new std::pair<StreamPtr, Event>(stream, *event));
    return CUDA_SUCCESS;
  }
  if (call.sim.engine.wait(*stream, *event))
    return CUDA_SUCCESS;
  if (CUresult error = outside(call, *event))
    return error;
  call.found("makes stream " + std::to_string(stream->number) +
             ", which is being captured, wait for what is not");
  stream->capture->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data) {
  Call call("cuLaunchHostFunc");
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  call.enqueue(stream, "host function",
               once([=](const ActorPtr &) { function(data); }));
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *handle, unsigned) {
  Call call("cuEventCreate");
  if (CUresult error = call.refused())
    return error;
  *handle = newHandle<CUevent>(call.sim);
  auto event = std::make_unique<Event>();
  event->number = call.sim.numHandles;
  call.with("event", event->number);
  call.sim.events[*handle] = std::move(event);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent handle) {
  Call call("cuEventDestroy");
  if (!find(call, handle))
    return CUDA_ERROR_INVALID_HANDLE;
  call.sim.events.erase(handle);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent handle, CUstream streamHandle) {
  Call call("cuEventRecord");
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(streamHandle);
  Event *event = find(call, handle);
  if (!stream || !event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (call.sim.strikes("drop-record", stream->device))
    return CUDA_SUCCESS;
  if (call.sim.strikes("record-elsewhere", stream->device))
    stream = elsewhere(call, stream);
  call.sim.engine.record(*stream, *event);
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent handle) {
  Call call("cuEventQuery");
  if (CUresult error = call.refused())
    return error;
  Event *event = find(call, handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = outside(call, *event))
    return error;
  if (call.breaksCapture())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (event->moment && !call.sim.engine.query(event->moment))
    return CUDA_ERROR_NOT_READY;
  return call.refused();
}

CUresult cuEventSynchronize(CUevent handle) {
  Call call("cuEventSynchronize");
  if (CUresult error = call.refused())
    return error;
  Event *event = find(call, handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = outside(call, *event))
    return error;
  if (!event->moment)
    call.found("waits for event " + std::to_string(event->number) +
               ", which was never recorded");
  else
    call.sim.engine.finish(call.lock, event->moment);
  return call.refused();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  Call call("cuEventElapsedTime");
  Event *from = find(call, start);
  Event *to = find(call, end);
  if (!from || !to || !from->moment || !to->moment)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!from->moment->reached || !to->moment->reached)
    return CUDA_ERROR_NOT_READY;
  *milliseconds =
      static_cast<float>(1e3 * (to->moment->seconds - from->moment->seconds));
  return CUDA_SUCCESS;
}

} // extern "C"
