// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products on a GPU, for one rank.
#ifndef TPC_RT_CUDA_MATMUL_H
#define TPC_RT_CUDA_MATMUL_H

#include "epilogue.h"
#include <cublasLt.h>

namespace tpc::rt::cuda {

class Matmuls {
public:
  explicit Matmuls(CudaDevice &device);
  Matmuls(const Matmuls &) = delete;
  Matmuls &operator=(const Matmuls &) = delete;
  ~Matmuls();

  /// Enqueues on the compute stream.
  Status run(const tpc_rt_matmul_t &desc, const void *a, const void *b, void *c,
             void *bias, void *aux, void *workspace);

private:
  Status open();
  /// What cuBLASLt was told of a product, and how it does it.
  struct Plan;
  /// Shape, strides, types, epilogue, workspace and alignments.
  using Key = std::array<int64_t, 24>;

  Status findPlan(const ProductAt &at, const Epilogue &epilogue, Plan *&plan);
  Status makePlan(const ProductAt &at, const Epilogue &epilogue, Plan &plan);
  Status runPlan(const ProductAt &at, const Epilogue &epilogue, Plan &plan);
  /// Without an epilogue, by cuBLASLt where it can.
  Status runBare(const ProductAt &at, const Epilogue &epilogue);
  /// The product, then kernels for its epilogue.
  Status runInParts(const ProductAt &at, const Epilogue &epilogue);
  Status runOwnKernel(const ProductAt &at);

  CudaDevice &device;
  cublasLtHandle_t handle = nullptr;
  std::map<Key, std::unique_ptr<Plan>> plans;
};

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_MATMUL_H
