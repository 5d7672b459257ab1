// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads libcuda.so.1 and tells what stands between this process and a device.

#include "driver.h"
#include <dlfcn.h>

namespace tpc::rt::cuda {

namespace {

#define TPC_CUDA_TEXT(name) TPC_CUDA_TEXT_OF(name)
#define TPC_CUDA_TEXT_OF(name) #name

/// Within one major version a driver runs what any toolkit made.
constexpr int leastVersion = CUDA_VERSION / 1000 * 1000;

template <typename... Pieces> Status absent(const Pieces &...pieces) {
  return fail(TPC_RT_UNSUPPORTED, "no CUDA device is present: ", pieces...);
}

Status loadDriver(Driver &driver) {
  driver.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver.library)
    return absent("there is no driver library (", dlerror(), ")");
  // The one entry point whose absence would hide all others' reason.
  driver.cuDriverGetVersion = reinterpret_cast<decltype(&::cuDriverGetVersion)>(
      dlsym(driver.library, TPC_CUDA_TEXT(cuDriverGetVersion)));
  int version = 0;
  if (driver.cuDriverGetVersion)
    driver.cuDriverGetVersion(&version);
  if (version < leastVersion)
    return absent("the driver is too old, it supports CUDA ",
                  versionText(version), ", and tpc, built with CUDA ",
                  versionText(CUDA_VERSION), ", needs ",
                  versionText(leastVersion), " or newer");
#define TPC_CUDA_LOAD(name)                                                    \
  driver.name = reinterpret_cast<decltype(&::name)>(                           \
      dlsym(driver.library, TPC_CUDA_TEXT(name)));                             \
  if (!driver.name)                                                            \
    return absent("the driver library has no entry point ",                    \
                  TPC_CUDA_TEXT(name));
  TPC_CUDA_ENTRIES(TPC_CUDA_LOAD)
#undef TPC_CUDA_LOAD
  CUresult result = driver.cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE)
    return absent("the driver finds no device");
  if (Status status = check(driver, result, "cuInit"))
    return absent(status.message());
  TPC_CUDA(driver, cuDeviceGetCount, &driver.numDevices);
  if (driver.numDevices == 0)
    return absent("the driver finds no device");
  return {};
}

} // namespace

std::string versionText(int version) {
  return text(version / 1000, ".", version % 1000 / 10);
}

Status openDriver(const Driver *&driver) {
  static Driver table;
  static const Status failure = loadDriver(table);
  driver = &table;
  return failure ? Status(failure.code(), failure.message()) : Status();
}

Status check(const Driver &driver, CUresult result, const char *call) {
  if (result == CUDA_SUCCESS)
    return {};
  const char *name = nullptr;
  const char *sentence = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &sentence);
  tpc_rt_code_t code = result == CUDA_ERROR_OUT_OF_MEMORY ? TPC_RT_OUT_OF_MEMORY
                                                          : TPC_RT_RANK_FAILED;
  return fail(code, call, ": ",
              name ? std::string(name) : text("error ", int(result)), " (",
              sentence ? sentence : "no text", ")");
}

} // namespace tpc::rt::cuda
