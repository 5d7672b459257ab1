// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's entry points for memory: allocating, copying, filling.
#include "Simulator.h"
#include <cstring>

using namespace tpc::sim;

namespace {

void *pointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

CUresult allocate(Call &call, int32_t device, size_t bytes, void **result) {
  Simulator &sim = call.sim;
  if (CUresult error = call.refused())
    return error;
  if (call.breaksCapture())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  call.with("bytes", static_cast<int64_t>(bytes));
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (device >= 0 && sim.memory.used(device) + static_cast<int64_t>(bytes) >
                         sim.options.memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation *allocation =
      sim.memory.allocate(device, static_cast<int64_t>(bytes), call.text());
  if (!allocation)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *result = allocation->data;
  call.with("address", *result);
  return CUDA_SUCCESS;
}

CUresult release(Call &call, void *data) {
  if (!data)
    return CUDA_SUCCESS;
  if (call.breaksCapture())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  call.with("address", data);
  if (std::string where = registrationOf(data); !where.empty())
    call.found("frees memory that is registered with " + where);
  if (!call.sim.memory.release(data, call.sim.engine.hostActor(call.text()))) {
    call.found("frees what is no allocation");
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

bool reachable(Call &call, const void *address) {
  return call.sim.memory.find(address);
}

/// A copy of rows; what is pageable on the host is not ordered by streams.
struct Copy {
  void *to;
  const void *from;
  size_t width;
  size_t rows = 1;
  size_t toPitch = 0;
  size_t fromPitch = 0;
  bool toDevice = false; // the call says so
  bool fromDevice = false;
  bool tooLong = false; // a fault; what is the host's own stays intact
};

void copyRows(const Copy &copy, const ActorPtr &actor) {
  Memory &memory = Simulator::get().memory;
  for (size_t row = 0; row < copy.rows; ++row) {
    auto *to = static_cast<char *>(copy.to) + row * copy.toPitch;
    auto *from = static_cast<const char *>(copy.from) + row * copy.fromPitch;
    auto bytes = static_cast<int64_t>(copy.width + copy.tooLong);
    bool ok = memory.access(actor, from, bytes, TPC_SIM_READ, copy.fromDevice);
    ok &= memory.access(actor, to, bytes, TPC_SIM_WRITE, copy.toDevice);
    if (ok)
      memmove(to, from, copy.width);
  }
}

CUresult enqueueCopy(Call &call, Copy copy, CUstream handle, bool wait) {
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  copy.tooLong = call.sim.strikes("size", stream->device);
  call.with("to", copy.to)
      .with("from", copy.from)
      .with("bytes", static_cast<int64_t>(copy.width * copy.rows));
  bool pageableSource = !reachable(call, copy.from);
  bool pageableTarget = !reachable(call, copy.to);
  if ((wait || pageableTarget) && call.breaksCapture(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  // The driver copies pageable memory aside before it returns.
  std::shared_ptr<std::vector<char>> staged;
  if (pageableSource && !copy.fromDevice && !stream->capture) {
    auto *from = static_cast<const char *>(copy.from);
    staged = std::make_shared<std::vector<char>>(
        from, from + (copy.rows - 1) * copy.fromPitch + copy.width);
    copy.from = staged->data();
  }
  call.enqueue(stream, "copy", once([copy, staged](const ActorPtr &actor) {
                 copyRows(copy, actor);
               }));
  if (wait || pageableTarget)
    call.sim.engine.finish(call.lock, stream);
  return call.refused();
}

CUresult enqueueFill(Call &call, CUdeviceptr to, const void *value,
                     size_t valueBytes, size_t count, CUstream handle,
                     bool wait) {
  if (CUresult error = call.refused())
    return error;
  StreamPtr stream = call.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (wait && call.breaksCapture(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (call.sim.strikes("size", stream->device))
    ++count;
  std::vector<char> pattern(valueBytes);
  memcpy(pattern.data(), value, valueBytes);
  call.with("to", pointer(to))
      .with("bytes", static_cast<int64_t>(count * valueBytes));
  call.enqueue(
      stream, "fill", once([=](const ActorPtr &actor) {
        auto *data = static_cast<char *>(pointer(to));
        auto bytes = static_cast<int64_t>(count * valueBytes);
        if (Simulator::get().memory.access(actor, data, bytes, TPC_SIM_WRITE))
          for (int64_t i = 0; i < bytes; ++i)
            data[i] = pattern[i % valueBytes];
      }));
  if (wait)
    call.sim.engine.finish(call.lock, stream);
  return call.refused();
}

Copy rowsOf(const CUDA_MEMCPY2D &copy) {
  auto onDevice = [](CUmemorytype type) {
    return type == CU_MEMORYTYPE_DEVICE;
  };
  bool toDevice = onDevice(copy.dstMemoryType);
  bool fromDevice = onDevice(copy.srcMemoryType);
  auto *to = static_cast<char *>(copy.dstMemoryType == CU_MEMORYTYPE_HOST
                                     ? copy.dstHost
                                     : pointer(copy.dstDevice));
  auto *from = static_cast<const char *>(
      copy.srcMemoryType == CU_MEMORYTYPE_HOST ? copy.srcHost
                                               : pointer(copy.srcDevice));
  return {to + copy.dstY * copy.dstPitch + copy.dstXInBytes,
          from + copy.srcY * copy.srcPitch + copy.srcXInBytes,
          copy.WidthInBytes,
          copy.Height,
          copy.dstPitch,
          copy.srcPitch,
          toDevice,
          fromDevice};
}

} // namespace

extern "C" {

CUresult cuMemGetInfo(size_t *free, size_t *total) {
  Call call("cuMemGetInfo");
  if (CUresult error = call.refused())
    return error;
  *total = call.sim.options.memory;
  *free = *total - call.sim.memory.used(currentDevice);
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  Call call("cuMemAlloc");
  void *data = nullptr;
  CUresult result = allocate(call, currentDevice, bytes, &data);
  *address = reinterpret_cast<CUdeviceptr>(data);
  return result;
}

CUresult cuMemFree(CUdeviceptr address) {
  Call call("cuMemFree");
  return release(call, pointer(address));
}

CUresult cuMemHostAlloc(void **data, size_t bytes, unsigned) {
  Call call("cuMemHostAlloc");
  return allocate(call, -1, bytes, data);
}

CUresult cuMemAllocHost(void **data, size_t bytes) {
  Call call("cuMemAllocHost");
  return allocate(call, -1, bytes, data);
}

CUresult cuMemFreeHost(void *data) {
  Call call("cuMemFreeHost");
  return release(call, data);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *data, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(data);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes,
                              CUdeviceptr address) {
  Call call("cuMemGetAddressRange");
  Allocation *allocation = call.sim.memory.find(pointer(address));
  if (!allocation || allocation->freed)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = reinterpret_cast<CUdeviceptr>(allocation->data);
  if (bytes)
    *bytes = allocation->bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  Call call("cuMemcpy");
  return enqueueCopy(call, {pointer(to), pointer(from), bytes}, nullptr, true);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  Call call("cuMemcpyHtoD");
  return enqueueCopy(call, {pointer(to), from, bytes, 1, 0, 0, true}, nullptr,
                     true);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  Call call("cuMemcpyDtoH");
  return enqueueCopy(call, {to, pointer(from), bytes, 1, 0, 0, false, true},
                     nullptr, true);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  Call call("cuMemcpyDtoD");
  return enqueueCopy(call,
                     {pointer(to), pointer(from), bytes, 1, 0, 0, true, true},
                     nullptr, true);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  Call call("cuMemcpyAsync");
  return enqueueCopy(call, {pointer(to), pointer(from), bytes}, stream, false);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from,
                           CUcontext, size_t bytes, CUstream stream) {
  Call call("cuMemcpyPeerAsync");
  return enqueueCopy(call,
                     {pointer(to), pointer(from), bytes, 1, 0, 0, true, true},
                     stream, false);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                           CUstream stream) {
  Call call("cuMemcpyHtoDAsync");
  return enqueueCopy(call, {pointer(to), from, bytes, 1, 0, 0, true}, stream,
                     false);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  Call call("cuMemcpyDtoHAsync");
  return enqueueCopy(call, {to, pointer(from), bytes, 1, 0, 0, false, true},
                     stream, false);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  Call call("cuMemcpyDtoDAsync");
  return enqueueCopy(call,
                     {pointer(to), pointer(from), bytes, 1, 0, 0, true, true},
                     stream, false);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy) {
  Call call("cuMemcpy2D");
  return enqueueCopy(call, rowsOf(*copy), nullptr, true);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  Call call("cuMemcpy2DAsync");
  return enqueueCopy(call, rowsOf(*copy), stream, false);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  Call call("cuMemsetD8");
  return enqueueFill(call, to, &value, 1, count, nullptr, true);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  Call call("cuMemsetD8Async");
  return enqueueFill(call, to, &value, 1, count, stream, false);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  Call call("cuMemsetD16Async");
  return enqueueFill(call, to, &value, 2, count, stream, false);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  Call call("cuMemsetD32Async");
  return enqueueFill(call, to, &value, 4, count, stream, false);
}

} // extern "C"
