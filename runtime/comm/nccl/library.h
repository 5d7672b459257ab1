// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL, opened when a world asks for it: an installation without it runs
// everything else.
#ifndef TPC_RT_COMM_NCCL_LIBRARY_H
#define TPC_RT_COMM_NCCL_LIBRARY_H

#include "status.h"
#include <nccl.h>

namespace tpc::rt::nccl {

/// The entry points that are called.
#define TPC_RT_NCCL_CALLS(CALL)                                                \
  CALL(ncclGetVersion)                                                         \
  CALL(ncclGetErrorString)                                                     \
  CALL(ncclGetLastError)                                                       \
  CALL(ncclGetUniqueId)                                                        \
  CALL(ncclCommInitRankConfig)                                                 \
  CALL(ncclCommSplit)                                                          \
  CALL(ncclCommFinalize)                                                       \
  CALL(ncclCommDestroy)                                                        \
  CALL(ncclCommAbort)                                                          \
  CALL(ncclCommGetAsyncError)                                                  \
  CALL(ncclCommRegister)                                                       \
  CALL(ncclCommDeregister)                                                     \
  CALL(ncclMemAlloc)                                                           \
  CALL(ncclMemFree)                                                            \
  CALL(ncclGroupStart)                                                         \
  CALL(ncclGroupEnd)                                                           \
  CALL(ncclAllReduce)                                                          \
  CALL(ncclAllGather)                                                          \
  CALL(ncclReduceScatter)                                                      \
  CALL(ncclSend)                                                               \
  CALL(ncclRecv)

struct Library {
#define TPC_RT_NCCL_CALL(name) decltype(&::name) name = nullptr;
  TPC_RT_NCCL_CALLS(TPC_RT_NCCL_CALL)
#undef TPC_RT_NCCL_CALL

  /// Null before NCCL 2.27. Declared here, for headers that do not know them.
  ncclResult_t (*ncclCommWindowRegister)(ncclComm_t comm, void *data,
                                         size_t bytes, void **window,
                                         int flags) = nullptr;
  ncclResult_t (*ncclCommWindowDeregister)(ncclComm_t comm,
                                           void *window) = nullptr;
  bool hasWindows() const {
    return ncclCommWindowRegister && ncclCommWindowDeregister;
  }

  /// As in 2.28.9.
  std::string version;

  /// A status for what a call returned, with NCCL's own words.
  Status check(ncclResult_t result, const char *call, ncclComm_t comm) const;
};

/// NCCL_WIN_COLL_SYMMETRIC of nccl.h from 2.27 on.
constexpr int symmetricWindow = 1;

/// The library, once it has been found new enough. It stays open.
Status openLibrary(const Library *&library);

/// `2.28.9` of 22809.
std::string versionText(int version);

} // namespace tpc::rt::nccl

#endif // TPC_RT_COMM_NCCL_LIBRARY_H
