// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, memory and the work that compiled code enqueues one by one.

#include "device.h"
#include "attention.h"
#include "matmul.h"
#include <algorithm>
#include <cstring>

namespace tpc::rt::cuda {

namespace {

/// Bytes of each half of the staging memory: what a copy over the bus needs to
/// be at full speed, and no more.
constexpr int64_t stagingBytes = int64_t(4) << 20;

/// What a GPU does not recover from: its context is lost with all its memory.
bool isSticky(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_EXTERNAL_DEVICE:
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return false;
  }
}

} // namespace

CudaDevice::CudaDevice(std::shared_ptr<Context> context, Recorder &recorder,
                       const PlatformOptions &options, DeviceHooks hooks,
                       int32_t rank)
    : context(std::move(context)), recorder(recorder), options(options),
      hooks(std::move(hooks)), rankIndex(rank) {}

Status CudaDevice::open() {
  if (Status status = context->makeCurrent())
    return status;
  int least = 0, greatest = 0;
  TPC_CUDA(driver(), cuCtxGetStreamPriorityRange, &least, &greatest);
  // What others wait for goes first.
  for (int32_t i = 0; i < TPC_RT_STREAMS; ++i)
    TPC_CUDA(driver(), cuStreamCreateWithPriority, &streams[i],
             CU_STREAM_NON_BLOCKING, i == TPC_RT_COMPUTE ? least : greatest);
  for (CUevent *event : {&beginEvent, &endEvents[0], &endEvents[1],
                         &endEvents[2], &stagingEvents[0], &stagingEvents[1]})
    if (Status status = createEvent(*event))
      return status;
  attentions = std::make_unique<Attentions>(*this);
  matmuls = std::make_unique<Matmuls>(*this);
  return {};
}

CudaDevice::~CudaDevice() {
  if (!context->makeCurrent().ok())
    return;
  attentions.reset();
  matmuls.reset();
  for (CUevent event : {beginEvent, endEvents[0], endEvents[1], endEvents[2],
                        stagingEvents[0], stagingEvents[1]})
    if (event)
      driver().cuEventDestroy(event);
  if (staging)
    driver().cuMemFreeHost(staging);
  for (CUstream stream : streams)
    if (stream)
      driver().cuStreamDestroy(stream);
}

CudaCall::~CudaCall() {
  if (!context->makeCurrent().ok())
    return;
  graphs->drop(*this);
  for (CUevent event : events)
    context->driver.cuEventDestroy(event);
}

void Graphs::add(CudaCall &call, CUgraphExec graph) {
  std::lock_guard<std::mutex> lock(mutex);
  calls.insert(&call);
  call.graph = graph;
  call.isRecorded = true;
}

/// What is running goes on until it ends and is freed then.
static void destroyGraph(CudaCall &call) {
  if (call.graph)
    call.context->driver.cuGraphExecDestroy(call.graph);
  call.graph = nullptr;
  call.isRecorded = false;
}

void Graphs::drop(CudaCall &call) {
  std::lock_guard<std::mutex> lock(mutex);
  calls.erase(&call);
  destroyGraph(call);
}

void Graphs::dropAll() {
  std::lock_guard<std::mutex> lock(mutex);
  for (CudaCall *call : calls)
    destroyGraph(*call);
  calls.clear();
}

Status CudaDevice::createEvent(CUevent &event) const {
  TPC_CUDA(driver(), cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
  return {};
}

std::string CudaDevice::lastWork() const {
  if (isReplaying)
    return text(", in the recorded function \"", *noteLabel,
                "\"; --no-cuda-graph tells which operation");
  std::string result;
  if (hasNotedProduct)
    result = text(", at or before matmul ", notedProduct[0], " x ",
                  notedProduct[1], " x ", notedProduct[2]);
  if (noteLabel)
    result += text(result.empty() ? ", at or before " : " behind ", noteKind,
                   " ", *noteLabel);
  return result;
}

Status CudaDevice::checked(CUresult result, const char *call) const {
  Status status = check(driver(), result, call);
  if (!isSticky(result))
    return status;
  return Status(TPC_RT_RANK_FAILED,
                text("rank ", rankIndex, ": ", context->str(),
                     " has failed: ", status.message(), lastWork()),
                rankIndex);
}

Status CudaDevice::enter(std::unique_lock<std::mutex> &lock) const {
  if (!isJoint)
    return {};
  lock = std::unique_lock<std::mutex>(recorder.mutex);
  if (!recorder.isRecording)
    return fail(TPC_RT_RANK_FAILED, "another rank has failed");
  return {};
}

Status CudaDevice::allocate(int64_t bytes, std::shared_ptr<void> &memory) {
  if (Status status = context->makeCurrent())
    return status;
  CUdeviceptr pointer = 0;
  // Every buffer has an address of its own.
  size_t size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  CUresult result = driver().cuMemAlloc(&pointer, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t free = 0, total = 0;
    TPC_CUDA(driver(), cuMemGetInfo, &free, &total);
    return fail(TPC_RT_OUT_OF_MEMORY, context->str(),
                " is out of memory: ", bytes, " bytes are needed, ", free,
                " of ", total, " are free");
  }
  if (Status status = checked(result, "cuMemAlloc"))
    return status;
  memory.reset(reinterpret_cast<void *>(pointer), [gpu = context](void *old) {
    if (gpu->makeCurrent().ok())
      gpu->driver.cuMemFree(address(old));
  });
  return clear(memory.get(), static_cast<int64_t>(size));
}

Status CudaDevice::clear(void *memory, int64_t bytes) const {
  TPC_CUDA_CHECKED(*this, cuMemsetD8Async, address(memory), 0,
                   static_cast<size_t>(bytes), streams[TPC_RT_COMPUTE]);
  return synchronize(streams[TPC_RT_COMPUTE]);
}

/// Copies by way of pinned memory: while one half is on the bus the host fills
/// or empties the other.
Status CudaDevice::copyStaged(char *target, const char *source, int64_t bytes,
                              bool toDevice) {
  if (Status status = context->makeCurrent())
    return status;
  if (!staging) {
    void *memory = nullptr;
    TPC_CUDA(driver(), cuMemHostAlloc, &memory,
             static_cast<size_t>(2 * stagingBytes), 0);
    staging = static_cast<char *>(memory);
  }
  CUstream stream = streams[TPC_RT_COMPUTE];
  int64_t pieces = (bytes + stagingBytes - 1) / stagingBytes;
  auto sizeOf = [&](int64_t piece) {
    return static_cast<size_t>(
        std::min(stagingBytes, bytes - piece * stagingBytes));
  };
  // Piece i goes over the bus while piece i - 1 is copied on the host.
  for (int64_t piece = 0; piece < pieces + 1; ++piece) {
    if (toDevice && piece < pieces) {
      char *half = staging + piece % 2 * stagingBytes;
      if (piece >= 2)
        if (Status status = waitOnHost(stagingEvents[piece % 2]))
          return status;
      std::memcpy(half, source + piece * stagingBytes, sizeOf(piece));
      TPC_CUDA_CHECKED(*this, cuMemcpyHtoDAsync,
                       address(target + piece * stagingBytes), half,
                       sizeOf(piece), stream);
      if (piece + 2 < pieces)
        TPC_CUDA_CHECKED(*this, cuEventRecord, stagingEvents[piece % 2],
                         stream);
    }
    if (!toDevice && piece < pieces) {
      TPC_CUDA_CHECKED(
          *this, cuMemcpyDtoHAsync, staging + piece % 2 * stagingBytes,
          address(source + piece * stagingBytes), sizeOf(piece), stream);
      TPC_CUDA_CHECKED(*this, cuEventRecord, stagingEvents[piece % 2], stream);
    }
    if (!toDevice && piece > 0) {
      int64_t last = piece - 1;
      if (Status status = waitOnHost(stagingEvents[last % 2]))
        return status;
      std::memcpy(target + last * stagingBytes,
                  staging + last % 2 * stagingBytes, sizeOf(last));
    }
  }
  return synchronize(stream);
}

Status CudaDevice::upload(void *target, const void *source, int64_t bytes) {
  return copyStaged(static_cast<char *>(target),
                    static_cast<const char *>(source), bytes, true);
}

Status CudaDevice::download(void *target, const void *source, int64_t bytes) {
  return copyStaged(static_cast<char *>(target),
                    static_cast<const char *>(source), bytes, false);
}

/// Work that nobody waits for any more may end by itself, as collectives do
/// that are aborted. Where it does not, the GPU is given up, before the world
/// finds that nothing moves.
template <typename Query> void CudaDevice::abandon(Query &&query) const {
  const double secondsToSettle = std::min(5.0, hooks.deadline / 5);
  Clock::time_point start = Clock::now();
  while (!context->isStuck() && query() == CUDA_ERROR_NOT_READY) {
    if (secondsSince(start) > secondsToSettle)
      context->giveUp();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// The GPU is asked again and again, so that one that never ends does not take
/// the rank's thread with it.
template <typename Query>
Status CudaDevice::poll(Query &&query, const char *call) const {
  Clock::time_point start = Clock::now();
  for (int64_t turn = 0;; ++turn) {
    CUresult result = query();
    if (result != CUDA_ERROR_NOT_READY)
      return checked(result, call);
    if (turn < 1000)
      continue;
    bool isLate = context->isStuck() || secondsSince(start) > hooks.deadline;
    // Others may have failed, so that what is waited for does not come.
    if (hooks.watch && (isLate || turn % 64 == 0))
      if (Status status = hooks.watch(isLate)) {
        abandon(query);
        return status;
      }
    if (isLate) {
      abandon(query);
      return Status(TPC_RT_TIMEOUT,
                    text("rank ", rankIndex, ": ", context->str(),
                         " has not finished within ", hooks.deadline,
                         " seconds", lastWork()),
                    rankIndex);
    }
    if (turn < 10000)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Status CudaDevice::synchronize(CUstream stream) const {
  return poll([&] { return driver().cuStreamQuery(stream); }, "cuStreamQuery");
}

Status CudaDevice::waitOnHost(CUevent event) const {
  return poll([&] { return driver().cuEventQuery(event); }, "cuEventQuery");
}

Status CudaDevice::prepare(const std::shared_ptr<Module> &module,
                           const Function &function,
                           std::unique_ptr<DeviceCall> &call) {
  auto fresh = std::make_unique<CudaCall>(context, graphs);
  if (Status status = context->load(module, fresh->code))
    return status;
  for (int32_t i = 0; i < function.events; ++i) {
    CUevent event = nullptr;
    if (Status status = createEvent(event))
      return status;
    fresh->events.push_back(event);
  }
  // Now, and not in the middle of the first step.
  if (function.hasAttention)
    if (Status status = attentions->open())
      return status;
  call = std::move(fresh);
  return {};
}

Status CudaDevice::matmul(const tpc_rt_matmul_t &desc, const void *a,
                          const void *b, void *c, void *bias, void *aux,
                          void *workspace) {
  std::unique_lock<std::mutex> lock;
  if (Status status = enter(lock))
    return status;
  notedProduct = {desc.m, desc.n, desc.k};
  hasNotedProduct = true;
  return matmuls->run(desc, a, b, c, bias, aux, workspace);
}

Status CudaDevice::attention(const tpc_rt_attention_t &desc,
                             const void *const *inputs, void *const *outputs) {
  static const std::string label = "attention";
  std::unique_lock<std::mutex> lock;
  if (Status status = enter(lock))
    return status;
  note("call", label);
  if (Status status = attentions->open())
    return status;
  return attentions->run(desc, inputs, outputs);
}

Status CudaDevice::launch(tpc_rt_kernel_t, int64_t, int64_t, void *const *) {
  return fail(TPC_RT_UNSUPPORTED,
              "kernels of the cpu on a GPU: compile for --target cuda");
}

Status CudaDevice::record(int32_t event, int32_t stream) {
  std::unique_lock<std::mutex> lock;
  if (Status status = enter(lock))
    return status;
  TPC_CUDA_CHECKED(*this, cuEventRecord, current->events[event],
                   streams[stream]);
  return {};
}

Status CudaDevice::wait(int32_t stream, int32_t event) {
  std::unique_lock<std::mutex> lock;
  if (Status status = enter(lock))
    return status;
  TPC_CUDA_CHECKED(*this, cuStreamWaitEvent, streams[stream],
                   current->events[event], 0);
  return {};
}

Status CudaDevice::kernel(int32_t index, const int64_t *args) {
  std::unique_lock<std::mutex> lock;
  if (Status status = enter(lock))
    return status;
  const auto &kernels = current->code->module->manifest.kernels;
  if (index < 0 || index >= static_cast<int32_t>(kernels.size()))
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a kernel below ",
                kernels.size(), ", got ", index);
  const DeviceKernel &kernel = kernels[index];
  params.clear();
  for (int32_t i = 0; i < kernel.parameters; ++i)
    params.push_back(const_cast<int64_t *>(args + i));
  note("kernel", kernel.label);
  CUresult result = driver().cuLaunchKernel(
      current->code->kernels[index], kernel.grid[0], kernel.grid[1],
      kernel.grid[2], kernel.block[0], kernel.block[1], kernel.block[2],
      kernel.sharedBytes, streams[TPC_RT_COMPUTE], params.data(), nullptr);
  if (result != CUDA_SUCCESS && !isSticky(result))
    return fail(TPC_RT_RANK_FAILED, "rank ", rankIndex, ": kernel ",
                kernel.label, ": ",
                check(driver(), result, "cuLaunchKernel").message());
  return checked(result, "cuLaunchKernel");
}

void *CudaDevice::constant(int32_t index) {
  const auto &constants = current->code->constants;
  bool exists = index >= 0 && index < static_cast<int32_t>(constants.size());
  return exists ? reinterpret_cast<void *>(constants[index]) : nullptr;
}

Status CudaDevice::read(const void *source, void *target, int64_t bytes) {
  return bytes > 0 ? download(target, source, bytes) : Status();
}

} // namespace tpc::rt::cuda
