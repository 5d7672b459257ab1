// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands attention to libtpc_rt_attention.so.

#include "attention.h"
#include <dlfcn.h>

namespace tpc::rt::cuda {

static const char *const libraryName = "libtpc_rt_attention.so";

Status Attentions::check(const char *message) const {
  if (!message)
    return {};
  return fail(TPC_RT_RANK_FAILED, message);
}

Status Attentions::open() {
  if (handle)
    return {};
  const char *otherwise = "; compile with --attention=unfused to do without";
  // Stays open: its code may be in use until the process ends.
  void *opened = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!opened)
    return fail(TPC_RT_NOT_FOUND,
                "attention in one call needs cuDNN: ", dlerror(), otherwise);
  auto entry = reinterpret_cast<const tpc_rt_attention_library_t *(*)()>(
      dlsym(opened, "tpc_rt_attention_library"));
  if (!entry || entry()->version != TPC_RT_ATTENTION_VERSION)
    return fail(TPC_RT_VERSION, libraryName, " is of another version of tpc",
                otherwise);
  library = entry();
  if (const char *message = library->create(&handle))
    return fail(TPC_RT_UNSUPPORTED,
                "attention in one call needs cuDNN: ", message, otherwise);
  return {};
}

Attentions::~Attentions() {
  // What frees waits for the GPU.
  if (device.gpu()->isStuck())
    return;
  if (handle)
    library->destroy(handle);
  for (auto &[key, workspace] : workspaces)
    if (workspace)
      device.driver().cuMemFree(workspace);
}

Status Attentions::run(const tpc_rt_attention_t &desc,
                       const void *const *inputs, void *const *outputs) {
  std::string key(reinterpret_cast<const char *>(&desc), sizeof(desc));
  auto known = workspaces.find(key);
  if (known == workspaces.end()) {
    int64_t bytes = 0;
    if (Status status = check(library->prepare(handle, &desc, &bytes)))
      return status;
    CUdeviceptr workspace = 0;
    if (bytes > 0)
      TPC_CUDA_CHECKED(device, cuMemAlloc, &workspace,
                       static_cast<size_t>(bytes));
    known = workspaces.emplace(std::move(key), workspace).first;
  }
  return check(library->run(handle, &desc, inputs, outputs,
                            reinterpret_cast<void *>(known->second),
                            device.stream(TPC_RT_COMPUTE)));
}

} // namespace tpc::rt::cuda
