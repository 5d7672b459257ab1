// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loaded artifact: its manifest and the addresses of its functions.
#ifndef TPC_RT_SRC_MODULE_H
#define TPC_RT_SRC_MODULE_H

#include "manifest.h"
#include <atomic>
#include <functional>

namespace tpc::rt {

struct Module {
  Manifest manifest;
  /// One per function of the manifest.
  std::vector<tpc_rt_function_t> entries;
  /// Finds data of the artifact; null if absent.
  std::function<const void *(const char *)> data;
  /// From dlopen; null for a module in memory.
  void *library = nullptr;

  Module() = default;
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module();
};

/// What every handle of the C API is: a count around a shared object.
template <typename T> struct Handle {
  std::atomic<int32_t> references{1};
  std::shared_ptr<T> object;

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  bool dropsLast() {
    return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
};

template <typename H> void retainHandle(H *handle) {
  if (handle)
    handle->retain();
}

template <typename H> void releaseHandle(H *handle) {
  if (handle && handle->dropsLast())
    delete handle;
}

template <typename H, typename T> H *makeHandle(std::shared_ptr<T> object) {
  H *handle = new H;
  handle->object = std::move(object);
  return handle;
}

} // namespace tpc::rt

struct tpc_rt_module_t : tpc::rt::Handle<tpc::rt::Module> {};

#endif // TPC_RT_SRC_MODULE_H
