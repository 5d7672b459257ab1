// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a GPU's primary context, and its ways to other GPUs.

#include "context.h"
#include "own_image.h"
#include <algorithm>

namespace tpc::rt::cuda {

Status Context::open() {
  TPC_CUDA(driver, cuDeviceGet, &device, ordinal);
  char text[256] = "";
  TPC_CUDA(driver, cuDeviceGetName, text, sizeof(text), device);
  name = text;
  TPC_CUDA(driver, cuDeviceGetAttribute, &major,
           CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  TPC_CUDA(driver, cuDeviceGetAttribute, &minor,
           CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  TPC_CUDA(driver, cuDevicePrimaryCtxRetain, &context, device);
  return {};
}

Context::~Context() {
  if (!context || isStuck())
    return;
  if (own && makeCurrent().ok())
    driver.cuModuleUnload(own);
  driver.cuDevicePrimaryCtxRelease(device);
}

Status Context::makeCurrent() const {
  if (isStuck())
    return fail(TPC_RT_RANK_FAILED, str(),
                " is still at work that did not end in time");
  TPC_CUDA(driver, cuCtxSetCurrent, context);
  return {};
}

std::string Context::str() const {
  return text("device ", ordinal, " (", name, ")");
}

Status Context::ownKernel(const std::string &kernel, CUfunction &function) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!own) {
    const void *image = ownImage(driver, capability());
    if (!image)
      return fail(TPC_RT_UNSUPPORTED, str(),
                  " is none that this runtime has kernels for: expected "
                  "compute capability ",
                  ownLeastCapability / 10, ".", ownLeastCapability % 10,
                  " or above, got ", major, ".", minor);
    TPC_CUDA(driver, cuModuleLoadDataEx, &own, image, 0, nullptr, nullptr);
  }
  CUfunction &kept = ownKernels[kernel];
  if (!kept)
    TPC_CUDA(driver, cuModuleGetFunction, &kept, own, kernel.c_str());
  function = kept;
  return {};
}

Status Context::enablePeer(const Context &other) {
  std::lock_guard<std::mutex> lock(mutex);
  if (other.device == device ||
      std::find(peers.begin(), peers.end(), other.ordinal) != peers.end())
    return {};
  int isPossible = 0;
  TPC_CUDA(driver, cuDeviceCanAccessPeer, &isPossible, device, other.device);
  if (!isPossible)
    return fail(TPC_RT_UNSUPPORTED, str(), " cannot reach the memory of ",
                other.str(), ": communicator \"local\" needs that; use nccl");
  if (Status status = makeCurrent())
    return status;
  CUresult result = driver.cuCtxEnablePeerAccess(other.context, 0);
  if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    if (Status status = check(driver, result, "cuCtxEnablePeerAccess"))
      return status;
  peers.push_back(other.ordinal);
  return {};
}

} // namespace tpc::rt::cuda
