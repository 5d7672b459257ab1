// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a product does besides, by kernels of our own.
#ifndef TPC_RT_CUDA_EPILOGUE_H
#define TPC_RT_CUDA_EPILOGUE_H

#include "device.h"
#include "product.h"

namespace tpc::rt::cuda {

/// What comes with a product; see tpc_rt_matmul_t.
struct Epilogue {
  int32_t flags = 0;
  int64_t auxStride = 0;
  void *bias = nullptr;
  void *aux = nullptr;
  void *workspace = nullptr;
  int64_t workspaceBytes = 0;

  bool isNone() const { return (flags & ~TPC_RT_TF32) == 0; }
};

/// Refuses flags that do not go together or miss a pointer.
Status checkEpilogue(const Epilogue &epilogue);

/// True when it changes the result, and does not only add up an operand.
bool isElementwise(const Epilogue &epilogue);

/// Enqueues what makes rows `begin` to `end` of c of f32 sums, which lie
/// `stride` elements from each other. They may lie in c.
Status enqueueRows(CudaDevice &device, const ProductAt &at,
                   const Epilogue &epilogue, float *sums, int64_t stride,
                   int64_t begin, int64_t end);

/// Enqueues the addition of `count` rows of sums, which lie dense, to `length`
/// totals; the first begin them.
Status enqueueTotals(CudaDevice &device, const float *sums, int64_t count,
                     int64_t length, bool isFirst, float *totals);

/// Enqueues the sums that the epilogue gives, behind all rows of c. `totals`:
/// those of the result where they were made already, or null.
Status enqueueSums(CudaDevice &device, const ProductAt &at,
                   const Epilogue &epilogue, const float *totals);

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_EPILOGUE_H
