// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention on a GPU, for one rank, through a library that is opened when a
// function needs it.
#ifndef TPC_RT_CUDA_ATTENTION_H
#define TPC_RT_CUDA_ATTENTION_H

#include "attention_library.h"
#include "device.h"

namespace tpc::rt::cuda {

class Attentions {
public:
  explicit Attentions(CudaDevice &device) : device(device) {}
  Attentions(const Attentions &) = delete;
  Attentions &operator=(const Attentions &) = delete;
  ~Attentions();

  /// Opens the library, once.
  Status open();
  /// Enqueues on the compute stream.
  Status run(const tpc_rt_attention_t &desc, const void *const *inputs,
             void *const *outputs);

private:
  CudaDevice &device;
  const tpc_rt_attention_library_t *library = nullptr;
  void *handle = nullptr;
  /// The descriptions that were prepared.
  std::set<std::string> prepared;
  /// What one call after the other uses is the last. None is given back before
  /// the end: recorded graphs have their addresses.
  std::vector<std::shared_ptr<void>> workspaces;
  int64_t workspaceBytes = 0;
};

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_ATTENTION_H
