// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds NCCL and its entry points. The version is looked at first, so that an
// old library is named as such and not by what it lacks.

#include "library.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace tpc::rt::nccl {

/// The first with ncclCommSplit that takes a configuration, and with
/// ncclCommRegister.
static constexpr int leastVersion = 21900;
/// The first with symmetric windows.
static constexpr int windowVersion = 22700;

std::string versionText(int version) {
  return text(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

Status Library::check(ncclResult_t result, const char *call,
                      ncclComm_t comm) const {
  if (result == ncclSuccess || result == ncclInProgress)
    return {};
  std::string last = ncclGetLastError(comm);
  while (!last.empty() && (last.back() == '\n' || last.back() == ' '))
    last.pop_back();
  return fail(TPC_RT_RANK_FAILED, call, ": ", ncclGetErrorString(result),
              last.empty() ? "" : ": " + last);
}

static Status load(Library &library) {
  // Communicators of several streams are in flight together: their kernels
  // start in the order of the calls, which is the same on all ranks, or two
  // GPUs with room for one kernel each could wait for each other. NCCL 2.26 and
  // newer.
  setenv("NCCL_LAUNCH_ORDER_IMPLICIT", "1", /*overwrite=*/0);
  void *handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status(TPC_RT_UNSUPPORTED,
                  text("communicator \"nccl\": cannot load NCCL: ", dlerror()));
  auto find = [&](auto &pointer, const char *name) {
    pointer =
        reinterpret_cast<std::decay_t<decltype(pointer)>>(dlsym(handle, name));
    return pointer != nullptr;
  };
  int version = 0;
  if (!find(library.ncclGetVersion, "ncclGetVersion") ||
      library.ncclGetVersion(&version) != ncclSuccess || version < leastVersion)
    return fail(TPC_RT_VERSION, "communicator \"nccl\": expected NCCL ",
                versionText(leastVersion), " or newer, got ",
                versionText(version));
  library.version = versionText(version);
#define TPC_RT_NCCL_CALL(name)                                                 \
  if (!find(library.name, #name))                                              \
    return fail(TPC_RT_VERSION, "NCCL ", library.version, " lacks " #name);
  TPC_RT_NCCL_CALLS(TPC_RT_NCCL_CALL)
#undef TPC_RT_NCCL_CALL
  if (version >= windowVersion) {
    find(library.ncclCommWindowRegister, "ncclCommWindowRegister");
    find(library.ncclCommWindowDeregister, "ncclCommWindowDeregister");
  }
  return {};
}

Status openLibrary(const Library *&library) {
  static std::mutex mutex;
  static Library loaded;
  std::lock_guard<std::mutex> lock(mutex);
  if (loaded.version.empty()) {
    Library fresh;
    if (Status status = load(fresh))
      return status;
    loaded = fresh;
  }
  library = &loaded;
  return {};
}

} // namespace tpc::rt::nccl
