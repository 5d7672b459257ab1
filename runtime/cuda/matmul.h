// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products on a GPU, for one rank.
#ifndef TPC_RT_CUDA_MATMUL_H
#define TPC_RT_CUDA_MATMUL_H

#include "device.h"
#include "product.h"
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
             void *bias, void *aux);

private:
  Status open();
  /// What cuBLASLt was told of a product, and how it does it.
  struct Plan;
  /// Shape, strides, types, epilogue and alignments.
  using Key = std::array<int64_t, 20>;
  struct Epilogue {
    int32_t flags = 0;
    int64_t auxStride = 0;
    void *bias = nullptr;
    void *aux = nullptr;
  };

  Status findPlan(const ProductAt &at, const Epilogue &epilogue, Plan *&plan);
  Status makePlan(const ProductAt &at, const Epilogue &epilogue, Plan &plan);
  Status runPlan(const ProductAt &at, const Epilogue &epilogue, Plan &plan);
  Status runOwnKernel(const ProductAt &at);

  CudaDevice &device;
  cublasLtHandle_t handle = nullptr;
  CUdeviceptr workspace = 0;
  std::map<Key, std::unique_ptr<Plan>> plans;
};

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_MATMUL_H
