// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers buffers and windows, and takes that back before their memory goes.

#include "registrations.h"
#include "device.h"

namespace tpc::rt::nccl {

/// Makes a window of the workspace. Null where NCCL has none for these ranks.
static Status addWindow(Connections &connections, int32_t rank, ncclComm_t comm,
                        Registrations::Buffer workspace,
                        const std::string &label, void *&window) {
  const Library &library = connections.nccl();
  ncclResult_t result = library.ncclCommWindowRegister(
      comm, const_cast<void *>(workspace.data),
      static_cast<size_t>(workspace.bytes), &window, symmetricWindow);
  // NCCL fills in the window when all ranks have come.
  Status status = connections.await(
      rank, comm, "the ranks of " + label + " to share their workspaces",
      result);
  if (status && status.code() == TPC_RT_RANK_FAILED && status.rank() >= 0)
    return Status(status.code(),
                  status.message() + "; NCCL_WIN_ENABLE=0 does without",
                  status.rank());
  return status;
}

Status Registrations::add(Connections &connections, int32_t rank,
                          ncclComm_t comm, Buffer workspace,
                          const std::vector<Buffer> &others,
                          const std::string &label) {
  if (generation != connections.generation()) {
    // Those of old communicators went with them.
    generation = connections.generation();
    known.clear();
    buffers.clear();
    windows.clear();
  }
  if (!known.insert(comm).second)
    return {};
  const Library &library = connections.nccl();
  // What NCCL refuses to register works all the same.
  auto addBuffer = [&](Buffer buffer) {
    void *handle = nullptr;
    if (buffer.data && buffer.bytes > 0 &&
        library.ncclCommRegister(comm, const_cast<void *>(buffer.data),
                                 static_cast<size_t>(buffer.bytes),
                                 &handle) == ncclSuccess &&
        handle)
      buffers.push_back({comm, handle});
  };
  void *window = nullptr;
  if (library.hasWindows() && workspace.bytes > 0)
    if (Status status =
            addWindow(connections, rank, comm, workspace, label, window))
      return status;
  if (window)
    windows.push_back({comm, window});
  else
    addBuffer(workspace);
  for (Buffer buffer : others)
    addBuffer(buffer);
  return {};
}

void Registrations::clear(Connections &connections, int32_t rank) {
  // Nothing can be asked of communicators that are gone or of a stuck GPU.
  auto areThere = [&] {
    return generation == connections.generation() &&
           !connections.isAborted(rank) && connections.makeCurrent(rank).ok();
  };
  const Library &library = connections.nccl();
  // Communicators do not block: memory goes when they have let go of it.
  for (auto &[comm, window] : windows)
    if (areThere())
      (void)connections.await(rank, comm, "the end of a window",
                              library.ncclCommWindowDeregister(comm, window));
  if (areThere())
    for (auto &[comm, handle] : buffers)
      library.ncclCommDeregister(comm, handle);
}

Status allocateForWindow(const Library &library, Device &device, int64_t bytes,
                         std::shared_ptr<void> &memory) {
  if (!library.hasWindows() || bytes == 0)
    return device.allocate(bytes, memory);
  auto &cudaDevice = static_cast<cuda::CudaDevice &>(device);
  std::shared_ptr<cuda::Context> gpu = cudaDevice.gpu();
  if (Status status = gpu->makeCurrent())
    return status;
  void *fresh = nullptr;
  ncclResult_t result =
      library.ncclMemAlloc(&fresh, static_cast<size_t>(bytes));
  if (result != ncclSuccess) {
    // NCCL does not say why; the device does.
    if (Status status = device.allocate(bytes, memory))
      return status;
    memory.reset();
    return library.check(result, "ncclMemAlloc", nullptr);
  }
  memory.reset(fresh, [gpu, &library](void *old) {
    if (gpu->makeCurrent().ok())
      library.ncclMemFree(old);
  });
  return cudaDevice.clear(fresh, bytes);
}

} // namespace tpc::rt::nccl
