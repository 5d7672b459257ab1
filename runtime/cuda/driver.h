// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver as a table of entry points that is filled when the first
// device is opened: nothing links the driver, so that everything loads, and
// says what is missing, on machines without one.
#ifndef TPC_RT_CUDA_DRIVER_H
#define TPC_RT_CUDA_DRIVER_H

#include "status.h"
#include <cuda.h>

/// Every entry point in use, by the name cuda.h knows it by: a macro of that
/// header turns it into the name of the version that the header declares.
#define TPC_CUDA_ENTRIES(ENTRY)                                                \
  ENTRY(cuGetErrorName)                                                        \
  ENTRY(cuGetErrorString)                                                      \
  ENTRY(cuInit)                                                                \
  ENTRY(cuDriverGetVersion)                                                    \
  ENTRY(cuDeviceGetCount)                                                      \
  ENTRY(cuDeviceGet)                                                           \
  ENTRY(cuDeviceGetName)                                                       \
  ENTRY(cuDeviceGetUuid)                                                       \
  ENTRY(cuDeviceGetAttribute)                                                  \
  ENTRY(cuDeviceCanAccessPeer)                                                 \
  ENTRY(cuDevicePrimaryCtxRetain)                                              \
  ENTRY(cuDevicePrimaryCtxRelease)                                             \
  ENTRY(cuCtxSetCurrent)                                                       \
  ENTRY(cuCtxEnablePeerAccess)                                                 \
  ENTRY(cuCtxGetStreamPriorityRange)                                           \
  ENTRY(cuMemGetInfo)                                                          \
  ENTRY(cuMemAlloc)                                                            \
  ENTRY(cuMemFree)                                                             \
  ENTRY(cuMemHostAlloc)                                                        \
  ENTRY(cuMemFreeHost)                                                         \
  ENTRY(cuMemcpyHtoD)                                                          \
  ENTRY(cuMemcpyAsync)                                                         \
  ENTRY(cuMemcpyHtoDAsync)                                                     \
  ENTRY(cuMemcpyDtoHAsync)                                                     \
  ENTRY(cuMemsetD8Async)                                                       \
  ENTRY(cuStreamCreateWithPriority)                                            \
  ENTRY(cuStreamDestroy)                                                       \
  ENTRY(cuStreamQuery)                                                         \
  ENTRY(cuStreamWaitEvent)                                                     \
  ENTRY(cuStreamBeginCapture)                                                  \
  ENTRY(cuStreamEndCapture)                                                    \
  ENTRY(cuGraphInstantiate)                                                    \
  ENTRY(cuGraphLaunch)                                                         \
  ENTRY(cuGraphDestroy)                                                        \
  ENTRY(cuGraphExecDestroy)                                                    \
  ENTRY(cuEventCreate)                                                         \
  ENTRY(cuEventDestroy)                                                        \
  ENTRY(cuEventQuery)                                                          \
  ENTRY(cuEventRecord)                                                         \
  ENTRY(cuModuleLoadDataEx)                                                    \
  ENTRY(cuModuleUnload)                                                        \
  ENTRY(cuModuleGetFunction)                                                   \
  ENTRY(cuFuncSetAttribute)                                                    \
  ENTRY(cuLaunchKernel)

namespace tpc::rt::cuda {

struct Driver {
#define TPC_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
  TPC_CUDA_ENTRIES(TPC_CUDA_MEMBER)
#undef TPC_CUDA_MEMBER
  /// From dlopen.
  void *library = nullptr;
  int numDevices = 0;
};

/// Loads and initialises the driver, once per process; on failure the sentence
/// begins with "no CUDA device is present".
Status openDriver(const Driver *&driver);

/// `version` as the driver gives it: 13.0.
std::string versionText(int version);

/// A status unless `result` is CUDA_SUCCESS: `cuMemAlloc: CUDA_ERROR_...
/// (...)`.
Status check(const Driver &driver, CUresult result, const char *call);

/// Calls an entry point and hands its failure on.
#define TPC_CUDA(driver, name, ...)                                            \
  if (::tpc::rt::Status cudaStatus =                                           \
          ::tpc::rt::cuda::check((driver), (driver).name(__VA_ARGS__), #name)) \
  return cudaStatus

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_DRIVER_H
