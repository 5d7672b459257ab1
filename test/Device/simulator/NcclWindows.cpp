// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of NCCL's: memory of all ranks that its kernels reach at equal
// offsets.
#include "Nccl.h"
#include <cstdlib>
#include <unistd.h>

namespace tpc::sim {

std::string registrationOf(const void *data) {
  for (const auto &[handle, comm] : allComms()) {
    for (const auto &[registered, buffer] : comm->registered)
      if (buffer.first == data)
        return comm->text();
    for (const auto &[window, made] : comm->windows)
      if (made.data == data)
        return comm->text();
  }
  return "";
}

} // namespace tpc::sim

using namespace tpc::sim;

int64_t ncclComm::offsetInWindow(const void *address) const {
  const char *at = static_cast<const char *>(address);
  for (const auto &[handle, made] : windows)
    if (made.isSymmetric && at >= made.data && at < made.data + made.bytes)
      return at - made.data;
  return -1;
}

/// Goes on as far as the other ranks are.
ncclResult_t ncclComm::pollWindow() {
  RankBlock &mine = meeting->rank(rank);
  if (window->isFaulty) {
    window.reset();
    lastNcclError = "no room for the window";
    return error = ncclSystemError;
  }
  if (!window->isPosted) {
    if (!haveAll(&RankBlock::windowRead, window->number - 1))
      return ncclInProgress;
    mine.window = window->part;
    mine.windowPosted.store(window->number);
    window->isPosted = true;
  }
  if (!haveAll(&RankBlock::windowPosted, window->number))
    return ncclInProgress;
  for (int32_t r = 0; r < ranks; ++r) {
    const WindowPart &other = meeting->rank(r).window, &own = window->part;
    auto describe = [](const WindowPart &part) {
      return std::to_string(part.bytes) + " bytes at " +
             std::to_string(part.offset) + " of " +
             std::to_string(part.allocation) + ", flags " +
             std::to_string(part.flags);
    };
    if (describe(other) == describe(own))
      continue;
    Simulator::get().findings.add(
        window->text + " of " + text() + " has " + describe(own) +
        ", while rank " + std::to_string(r) + " has " + describe(other));
    error = ncclInvalidUsage;
  }
  mine.windowRead.store(window->number);
  if (error == ncclSuccess) {
    auto handle = newHandle<ncclWindow_t>(Simulator::get());
    windows[handle] = window->made;
    *window->result = handle;
  }
  window.reset();
  return error;
}

extern "C" {

ncclResult_t ncclCommWindowRegister(ncclComm_t handle, void *data, size_t bytes,
                                    ncclWindow_t *result, int flags) {
  Call call("ncclCommWindowRegister");
  *result = nullptr;
  std::shared_ptr<ncclComm> comm = findComm(handle);
  Allocation *allocation = call.sim.memory.find(data);
  if (!comm || comm->poll() != ncclSuccess)
    return ncclInvalidUsage;
  call.with("comm", comm->name).with("rank", int64_t(comm->rank));
  if (call.breaksCapture())
    return ncclInvalidUsage;
  // As NCCL has it for ranks that do not reach each other's memory.
  const char *enabled = getenv("NCCL_WIN_ENABLE");
  if (enabled && *enabled == '0')
    return ncclSuccess;
  if (!allocation || allocation->freed || !allocation->shareable) {
    call.found("makes a window of memory that is not of ncclMemAlloc");
    return ncclInvalidArgument;
  }
  auto *from = static_cast<char *>(data);
  int64_t offset = from - allocation->data;
  if (offset + static_cast<int64_t>(bytes) > allocation->bytes)
    call.found("makes a window of more than " + Memory::describe(*allocation));
  if (offset % NCCL_WIN_REQUIRED_ALIGNMENT)
    return ncclInvalidArgument;
  auto window = std::make_unique<WindowInTheMaking>();
  window->number = ++comm->numWindows;
  window->part = {static_cast<int64_t>(bytes), offset, allocation->bytes,
                  flags};
  window->made = {from, static_cast<int64_t>(bytes),
                  (flags & NCCL_WIN_COLL_SYMMETRIC) != 0};
  window->result = result;
  window->text = call.text();
  window->isFaulty = call.sim.strikes("no-window", comm->rank);
  comm->window = std::move(window);
  ncclResult_t state = comm->poll();
  while (comm->blocking && state == ncclInProgress && !comm->aborted) {
    call.lock.unlock();
    usleep(200);
    call.lock.lock();
    state = comm->poll();
  }
  return state;
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t handle, ncclWindow_t window) {
  Call call("ncclCommWindowDeregister");
  std::shared_ptr<ncclComm> comm = findComm(handle);
  return comm && comm->windows.erase(window) ? ncclSuccess
                                             : ncclInvalidArgument;
}

ncclResult_t ncclMemAlloc(void **data, size_t bytes) {
  CUdeviceptr address = 0;
  CUresult result = cuMemAlloc(&address, bytes);
  *data = reinterpret_cast<void *>(address);
  if (result != CUDA_SUCCESS)
    return ncclUnhandledCudaError;
  Call call("ncclMemAlloc");
  call.sim.memory.find(*data)->shareable = true;
  return ncclSuccess;
}

ncclResult_t ncclMemFree(void *data) {
  {
    Call call("ncclMemFree");
    Allocation *allocation = call.sim.memory.find(data);
    if (!allocation || !allocation->shareable)
      call.found("frees what is not of ncclMemAlloc");
  }
  return cuMemFree(reinterpret_cast<CUdeviceptr>(data)) == CUDA_SUCCESS
             ? ncclSuccess
             : ncclUnhandledCudaError;
}

} // extern "C"
