// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's entry points for devices, contexts and errors.
#include "Simulator.h"
#include <cstring>

using namespace tpc::sim;

namespace {

struct ErrorText {
  CUresult code;
  const char *name;
  const char *text;
};

#define TPC_SIM_ERROR(code, text)                                              \
  { code, #code, text }
const ErrorText kErrors[] = {
    TPC_SIM_ERROR(CUDA_SUCCESS, "no error"),
    TPC_SIM_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    TPC_SIM_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    TPC_SIM_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    TPC_SIM_ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    TPC_SIM_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    TPC_SIM_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    TPC_SIM_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    TPC_SIM_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU,
                  "no kernel image is available for execution on the device"),
    TPC_SIM_ERROR(CUDA_ERROR_ECC_UNCORRECTABLE,
                  "uncorrectable ECC error encountered"),
    TPC_SIM_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
                  "peer access is already enabled"),
    TPC_SIM_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    TPC_SIM_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    TPC_SIM_ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
    TPC_SIM_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS,
                  "an illegal memory access was encountered"),
    TPC_SIM_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                  "too many resources requested for launch"),
    TPC_SIM_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    TPC_SIM_ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    TPC_SIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                  "operation not permitted when stream is capturing"),
    TPC_SIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                  "operation failed due to a previous error during capture"),
    TPC_SIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                  "capturing stream has unjoined work"),
    TPC_SIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                  "dependency created on uncaptured work in another stream"),
    TPC_SIM_ERROR(CUDA_ERROR_CAPTURED_EVENT,
                  "operation not permitted on an event last recorded in a "
                  "capturing stream"),
};
#undef TPC_SIM_ERROR

const ErrorText *findError(CUresult code) {
  for (const ErrorText &error : kErrors)
    if (error.code == code)
      return &error;
  return nullptr;
}

CUcontext contextOf(CUdevice device) {
  return reinterpret_cast<CUcontext>(uintptr_t(0x5200000000) + 16 * device);
}

CUdevice deviceOf(CUcontext context) {
  return static_cast<CUdevice>(
      (reinterpret_cast<uintptr_t>(context) - uintptr_t(0x5200000000)) / 16);
}

bool exists(Simulator &sim, CUdevice device) {
  return device >= 0 && device < sim.options.devices;
}

} // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char **text) {
  const ErrorText *found = findError(error);
  *text = found ? found->name : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const ErrorText *found = findError(error);
  *text = found ? found->text : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned flags) {
  Call call("cuInit");
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (call.sim.options.devices == 0)
    return CUDA_ERROR_NO_DEVICE;
  call.sim.initialized = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  *version = static_cast<int>(Simulator::get().options.driverVersion);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  Call call("cuDeviceGetCount");
  *count = static_cast<int>(call.sim.options.devices);
  return call.sim.initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  Call call("cuDeviceGet");
  if (!exists(call.sim, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  Call call("cuDeviceGetName");
  if (!exists(call.sim, device))
    return CUDA_ERROR_INVALID_DEVICE;
  snprintf(name, length, "simulated device %d", device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  Call call("cuDeviceGetUuid");
  if (!exists(call.sim, device))
    return CUDA_ERROR_INVALID_DEVICE;
  memset(uuid, 0x51, sizeof *uuid);
  uuid->bytes[15] = static_cast<char>(device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
  Call call("cuDeviceGetPCIBusId");
  if (!exists(call.sim, device))
    return CUDA_ERROR_INVALID_DEVICE;
  snprintf(text, length, "0000:%02x:00.0", device + 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  Call call("cuDeviceTotalMem");
  if (!exists(call.sim, device))
    return CUDA_ERROR_INVALID_DEVICE;
  *bytes = call.sim.options.memory;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  Call call("cuDeviceGetAttribute");
  if (!exists(call.sim, device))
    return CUDA_ERROR_INVALID_DEVICE;
  switch (attribute) {
  // 0 unless a test asks for what a device refuses: of no device there is, so
  // that the images of arch "host" are for it, and no other.
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = static_cast<int>(call.sim.options.capability / 10);
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = static_cast<int>(call.sim.options.capability % 10);
    break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 4;
    break;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    *value = 32;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    *value = 1024;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    *value = 0x7fffffff;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    *value = 48 * 1024;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = static_cast<int>(call.sim.options.shared);
    break;
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    *value = 1;
    break;
  default:
    *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  Call call("cuDeviceCanAccessPeer");
  if (!exists(call.sim, device) || !exists(call.sim, peer))
    return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer && call.sim.options.peers;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  Call call("cuDevicePrimaryCtxRetain");
  if (!call.sim.initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!exists(call.sim, device))
    return CUDA_ERROR_INVALID_DEVICE;
  ++call.sim.retained[device];
  *context = contextOf(device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  Call call("cuDevicePrimaryCtxRelease");
  if (call.sim.retained[device] <= 0) {
    call.found("releases a context that nobody retained");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  --call.sim.retained[device];
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  Call call("cuCtxSetCurrent");
  if (!context) {
    currentDevice = -1;
    return CUDA_SUCCESS;
  }
  CUdevice device = deviceOf(context);
  if (!exists(call.sim, device) || call.sim.retained[device] == 0) {
    call.found("is given a context that nobody retained");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  currentDevice = device;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = currentDevice < 0 ? nullptr : contextOf(currentDevice);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  if (currentDevice < 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  *device = currentDevice;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  Call call("cuCtxSynchronize");
  if (CUresult error = call.refused())
    return error;
  if (call.breaksCapture())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  call.sim.engine.finishAll(call.lock, currentDevice);
  return call.refused();
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  Call call("cuCtxEnablePeerAccess");
  if (CUresult error = call.refused())
    return error;
  CUdevice device = deviceOf(peer);
  if (flags || !exists(call.sim, device) || device == currentDevice)
    return CUDA_ERROR_INVALID_VALUE;
  return call.sim.peers.insert({currentDevice, device}).second
             ? CUDA_SUCCESS
             : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

} // extern "C"
