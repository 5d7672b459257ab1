// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which of an artifact's images a GPU runs, and loads it.

#include "context.h"
#include "own_image.h"
#include <cstdlib>

namespace tpc::rt::cuda {

int capabilityOf(const Image &image) {
  return image.kind == Image::Kind::Host
             ? 0
             : std::atoi(image.arch.c_str() + std::string("sm_").size());
}

/// sm_90a and the like have instructions that later GPUs lack.
static bool isArchSpecific(const Image &image) {
  return image.arch.back() == 'a' || image.arch.back() == 'f';
}

static bool fits(const Image &image, int capability) {
  int made = capabilityOf(image);
  if (image.kind == Image::Kind::Host || capability == 0 ||
      isArchSpecific(image))
    return made == capability;
  if (image.kind == Image::Kind::Cubin)
    return made / 10 == capability / 10 && made <= capability;
  return made <= capability;
}

const Image *chooseImage(const Manifest &manifest, int capability) {
  const Image *best = nullptr;
  for (const Image &image : manifest.images) {
    if (!fits(image, capability))
      continue;
    // Machine code before PTX, which the driver would have to compile.
    auto worth = [](const Image &image) {
      return std::pair(image.kind != Image::Kind::Ptx, capabilityOf(image));
    };
    if (!best || worth(*best) < worth(image))
      best = &image;
  }
  return best;
}

static std::string imagesText(const Manifest &manifest) {
  std::vector<std::string> list;
  for (const Image &image : manifest.images)
    list.push_back(image.kind == Image::Kind::Ptx ? "PTX of " + image.arch
                                                  : image.arch);
  std::string result;
  for (size_t i = 0; i < list.size(); ++i)
    result += (i ? ", " : "") + list[i];
  return result;
}

/// Up to 48 KiB are there without asking.
Status Context::allowShared(const DeviceKernel &kernel, CUfunction function) {
  if (kernel.sharedBytes <= 48 * 1024)
    return {};
  int most = 0;
  TPC_CUDA(driver, cuDeviceGetAttribute, &most,
           CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
  if (kernel.sharedBytes > static_cast<uint32_t>(most))
    return fail(TPC_RT_UNSUPPORTED, "kernel ", kernel.label, " takes ",
                kernel.sharedBytes, " bytes of shared memory per block, ",
                str(), " has ", most, "; compile with --gpu-arch=",
                capability() ? text("sm_", capability()) : "host");
  TPC_CUDA(driver, cuFuncSetAttribute, function,
           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
           static_cast<int>(kernel.sharedBytes));
  return {};
}

Status Context::loadCode(const Module &module, LoadedModule &loaded) {
  const Manifest &manifest = module.manifest;
  if (manifest.kernels.empty())
    return {};
  const Image *image = chooseImage(manifest, capability());
  if (!image && capability() < ownLeastCapability)
    return fail(TPC_RT_UNSUPPORTED, str(), " has compute capability ", major,
                ".", minor, ": artifacts are for ", ownLeastCapability / 10,
                ".", ownLeastCapability % 10, " and above");
  if (!image)
    return fail(TPC_RT_UNSUPPORTED, "the artifact has code for ",
                imagesText(manifest), ", ", str(), " needs sm_", capability(),
                "; compile with --gpu-arch=sm_", capability());
  const void *data = module.data(image->data.symbol.c_str());
  if (!data)
    return fail(TPC_RT_MALFORMED, "the artifact has no symbol \"",
                image->data.symbol, "\" for its image of ", image->arch);
  char log[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  CUresult result =
      driver.cuModuleLoadDataEx(&loaded.code, data, 2, options, values);
  if (Status status = check(driver, result, "cuModuleLoadDataEx"))
    return fail(status.code(), "cannot load the artifact's image of ",
                image->arch, " on ", str(), ": ", status.message(),
                log[0] ? ": " : "", log);
  for (const DeviceKernel &kernel : manifest.kernels) {
    CUfunction function = nullptr;
    result =
        driver.cuModuleGetFunction(&function, loaded.code, kernel.name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
      return fail(TPC_RT_MALFORMED, "the artifact's image of ", image->arch,
                  " has no kernel \"", kernel.name, "\"");
    if (Status status = check(driver, result, "cuModuleGetFunction"))
      return status;
    if (Status status = allowShared(kernel, function))
      return status;
    loaded.kernels.push_back(function);
  }
  return {};
}

/// Through pageable memory, once per load; returns when they are there.
static Status loadConstants(const Driver &driver, const Module &module,
                            LoadedModule &loaded) {
  for (const DataSymbol &constant : module.manifest.constants) {
    const void *data = module.data(constant.symbol.c_str());
    if (!data)
      return fail(TPC_RT_MALFORMED, "the artifact has no symbol \"",
                  constant.symbol, "\" for a constant");
    CUdeviceptr memory = 0;
    TPC_CUDA(driver, cuMemAlloc, &memory, static_cast<size_t>(constant.bytes));
    loaded.constants.push_back(memory);
    TPC_CUDA(driver, cuMemcpyHtoD, memory, data,
             static_cast<size_t>(constant.bytes));
  }
  // Such a copy returns once the data is staged, and the ranks' streams do not
  // wait for the default stream, which it is in.
  CUresult result = CUDA_ERROR_NOT_READY;
  while (result == CUDA_ERROR_NOT_READY)
    result = driver.cuStreamQuery(nullptr);
  return check(driver, result, "cuStreamQuery");
}

Status Context::load(const std::shared_ptr<Module> &module,
                     std::shared_ptr<LoadedModule> &loaded) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Status status = makeCurrent())
    return status;
  std::weak_ptr<LoadedModule> &kept = modules[module.get()];
  loaded = kept.lock();
  if (loaded)
    return {};
  auto fresh = std::make_shared<LoadedModule>();
  fresh->context = shared_from_this();
  fresh->module = module;
  if (Status status = loadCode(*module, *fresh))
    return status;
  if (Status status = loadConstants(driver, *module, *fresh))
    return status;
  loaded = fresh;
  kept = fresh;
  return {};
}

LoadedModule::~LoadedModule() {
  if (!context || !context->makeCurrent().ok())
    return;
  for (CUdeviceptr memory : constants)
    context->driver.cuMemFree(memory);
  if (code)
    context->driver.cuModuleUnload(code);
}

} // namespace tpc::rt::cuda
