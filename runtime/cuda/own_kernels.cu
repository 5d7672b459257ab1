// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own kernels for GPUs: one thread per element, in strides of the
// grid.

#include "own_kernels.h"

namespace tpc::rt::cuda {

namespace {

struct DeviceMemory {
  template <typename T> __device__ T load(const T *pointer) const {
    return *pointer;
  }
  template <typename T> __device__ void store(T *pointer, T value) const {
    *pointer = value;
  }
};

__device__ int64_t thisThread() {
  return int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}

} // namespace

#define TPC_RT_MOVE(dtype, type, reduction)                                    \
  extern "C" __global__ void __launch_bounds__(ownBlock)                       \
      tpc_move_##dtype##_##reduction(const __grid_constant__ MoveArgs args) {  \
    moveThread<type, Reduction::reduction>(args, thisThread(),                 \
                                           DeviceMemory());                    \
  }
#define TPC_RT_PRODUCT(dtype, type, cDtype, cType)                             \
  extern "C" __global__ void __launch_bounds__(ownBlock)                       \
      tpc_product_##dtype##_##cDtype(                                          \
          const __grid_constant__ ProductArgs args) {                          \
    productThread<type, cType>(args, thisThread(), DeviceMemory());            \
  }
#define TPC_RT_SUM(dtype, type, cDtype, cType)                                 \
  extern "C" __global__ void __launch_bounds__(ownBlock)                       \
      tpc_sum_##dtype##_##cDtype(const __grid_constant__ SumArgs args) {       \
    sumThread<type, cType>(args, thisThread(), DeviceMemory());                \
  }
#define TPC_RT_EPILOGUE(dtype, type)                                           \
  extern "C" __global__ void __launch_bounds__(ownBlock)                       \
      tpc_epilogue_##dtype(const __grid_constant__ EpilogueArgs args) {        \
    epilogueThread<type>(args, thisThread(), DeviceMemory());                  \
  }
TPC_RT_OWN_KERNELS(TPC_RT_MOVE, TPC_RT_PRODUCT, TPC_RT_SUM, TPC_RT_EPILOGUE)

} // namespace tpc::rt::cuda
