// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands attention to libtpc_rt_attention.so.

#include "attention.h"
#include <dlfcn.h>

namespace tpc::rt::cuda {

static const char *const libraryName = "libtpc_rt_attention.so";

static Status check(const char *message) {
  return message ? Status(TPC_RT_RANK_FAILED, message) : Status();
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
}

Status Attentions::run(const tpc_rt_attention_t &desc,
                       const void *const *inputs, void *const *outputs) {
  std::string key(reinterpret_cast<const char *>(&desc), sizeof(desc));
  if (!prepared.count(key)) {
    int64_t bytes = 0;
    if (Status status = check(library->prepare(handle, &desc, &bytes)))
      return status;
    if (bytes > workspaceBytes) {
      std::shared_ptr<void> larger;
      if (Status status = device.allocate(bytes, larger))
        return status;
      workspaces.push_back(std::move(larger));
      workspaceBytes = bytes;
    }
    prepared.insert(std::move(key));
  }
  return check(
      library->run(handle, &desc, inputs, outputs,
                   workspaces.empty() ? nullptr : workspaces.back().get(),
                   device.stream(TPC_RT_COMPUTE)));
}

} // namespace tpc::rt::cuda
