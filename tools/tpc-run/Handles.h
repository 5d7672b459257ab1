// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's handles as owning C++ pointers, and its statuses as errors.
#ifndef TPC_RUN_HANDLES_H
#define TPC_RUN_HANDLES_H

#include "tpc_rt/rt.h"
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tpc::run {

struct Release {
  void operator()(tpc_rt_tensor_t *h) const { tpc_rt_tensor_release(h); }
  void operator()(tpc_rt_file_t *h) const { tpc_rt_file_release(h); }
  void operator()(tpc_rt_module_t *h) const { tpc_rt_module_release(h); }
  void operator()(tpc_rt_world_t *h) const { tpc_rt_world_release(h); }
  void operator()(tpc_rt_call_t *h) const { tpc_rt_call_release(h); }
};

using Tensor = std::unique_ptr<tpc_rt_tensor_t, Release>;
using File = std::unique_ptr<tpc_rt_file_t, Release>;
using Module = std::unique_ptr<tpc_rt_module_t, Release>;
using World = std::unique_ptr<tpc_rt_world_t, Release>;
using Call = std::unique_ptr<tpc_rt_call_t, Release>;

/// What ends the tool, with the exit status.
struct Error : std::runtime_error {
  Error(int exitStatus, const std::string &message)
      : std::runtime_error(message), exitStatus(exitStatus) {}
  int exitStatus;
};

inline Error failure(const std::string &message) { return Error(1, message); }
inline Error usageError(const std::string &message) {
  return Error(2, message);
}

/// Throws what a status says.
inline void check(tpc_rt_status_t *status) {
  if (!status)
    return;
  std::string message = tpc_rt_status_message(status);
  tpc_rt_status_release(status);
  throw failure(message);
}

/// `[2, 3]`
inline std::string shapeText(int32_t rank, const int64_t *shape) {
  std::string text = "[";
  for (int32_t dim = 0; dim < rank; ++dim)
    text += (dim ? ", " : "") + std::to_string(shape[dim]);
  return text + "]";
}

} // namespace tpc::run

#endif // TPC_RUN_HANDLES_H
