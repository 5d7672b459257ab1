// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own kernels, as what one thread of many does: pieces of
// collectives, and products whose strides or types cuBLASLt does not take.
// Compiled for GPUs by own_kernels.cu; tests compile them for the host.
#ifndef TPC_RT_CUDA_OWN_KERNELS_H
#define TPC_RT_CUDA_OWN_KERNELS_H

#include "arithmetic.h"

namespace tpc::rt::cuda {

constexpr int32_t mostDims = 8;
constexpr int32_t mostSources = 64;
constexpr int32_t ownBlock = 256;

/// One rectangular piece: sources are combined in their order, none gives the
/// neutral element. All strides in elements, the last dim fastest.
struct MoveArgs {
  int64_t numThreads;
  void *target;
  const void *sources[mostSources];
  int32_t numSources;
  int32_t numDims;
  int64_t volume;
  int64_t extent[mostDims];
  int64_t targetStride[mostDims];
  int64_t sourceStride[mostDims];
};

/// c = a * b or c += a * b, as Product has it.
struct ProductArgs {
  int64_t numThreads;
  const void *a;
  const void *b;
  void *c;
  int64_t batch, m, n, k;
  int64_t aStride[3], bStride[3], cStride[3];
  int64_t accumulate;
};

/// `memory` loads and stores elements; tests watch it.
template <typename T, Reduction R, typename Memory>
TPC_RT_HOST_DEVICE void moveThread(const MoveArgs &args, int64_t thread,
                                   Memory &&memory) {
  using Acc = typename Accumulator<T>::type;
  for (int64_t element = thread; element < args.volume;
       element += args.numThreads) {
    int64_t rest = element;
    int64_t to = 0, from = 0;
    // Unrolled, its divisions would be most of the library.
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (int32_t dim = args.numDims - 1; dim > 0; --dim) {
      int64_t index = rest % args.extent[dim];
      rest /= args.extent[dim];
      to += index * args.targetStride[dim];
      from += index * args.sourceStride[dim];
    }
    to += rest * args.targetStride[0];
    from += rest * args.sourceStride[0];
    T *target = static_cast<T *>(args.target) + to;
    if (args.numSources == 0) {
      memory.store(target, neutral<R, T>());
      continue;
    }
    T first = memory.load(static_cast<const T *>(args.sources[0]) + from);
    if (args.numSources == 1) {
      // Not through the accumulator, which would touch the bits of a NaN.
      memory.store(target, first);
      continue;
    }
    Acc sum = static_cast<Acc>(first);
    for (int32_t i = 1; i < args.numSources; ++i)
      sum = combine<R, Acc>(
          sum, static_cast<Acc>(memory.load(
                   static_cast<const T *>(args.sources[i]) + from)));
    memory.store(target, static_cast<T>(sum));
  }
}

template <typename T, typename C, typename Memory>
TPC_RT_HOST_DEVICE void productThread(const ProductArgs &args, int64_t thread,
                                      Memory &&memory) {
  using Acc = typename Accumulator<T>::type;
  for (int64_t element = thread; element < args.batch * args.m * args.n;
       element += args.numThreads) {
    int64_t col = element % args.n;
    int64_t row = element / args.n % args.m;
    int64_t batch = element / args.n / args.m;
    const T *a = static_cast<const T *>(args.a) + batch * args.aStride[0] +
                 row * args.aStride[1];
    const T *b = static_cast<const T *>(args.b) + batch * args.bStride[0] +
                 col * args.bStride[2];
    C *c = static_cast<C *>(args.c) + batch * args.cStride[0] +
           row * args.cStride[1] + col * args.cStride[2];
    Acc sum = Acc(0);
    for (int64_t i = 0; i < args.k; ++i)
      sum = combine<Reduction::Sum, Acc>(
          sum, combine<Reduction::Prod, Acc>(
                   static_cast<Acc>(memory.load(a + i * args.aStride[2])),
                   static_cast<Acc>(memory.load(b + i * args.bStride[1]))));
    if (args.accumulate)
      sum = combine<Reduction::Sum, Acc>(static_cast<Acc>(memory.load(c)), sum);
    memory.store(c, static_cast<C>(sum));
  }
}

/// Every kernel: MOVE(name of the element type, C++ type, reduction) for
/// "tpc_move_f32_Sum", PRODUCT(type, C++ type, type of c, its C++ type) for
/// "tpc_product_f16_f32".
#define TPC_RT_MOVES_OF_ALL(MOVE, dtype, type)                                 \
  MOVE(dtype, type, Sum)                                                       \
  MOVE(dtype, type, Max)                                                       \
  MOVE(dtype, type, Min)                                                       \
  MOVE(dtype, type, Prod)
#define TPC_RT_MOVES_OF_BITS(MOVE, dtype, type)                                \
  TPC_RT_MOVES_OF_ALL(MOVE, dtype, type)                                       \
  MOVE(dtype, type, And)                                                       \
  MOVE(dtype, type, Or)
#define TPC_RT_OWN_KERNELS(MOVE, PRODUCT)                                      \
  TPC_RT_MOVES_OF_ALL(MOVE, f32, float)                                        \
  TPC_RT_MOVES_OF_ALL(MOVE, f64, double)                                       \
  TPC_RT_MOVES_OF_ALL(MOVE, f16, F16)                                          \
  TPC_RT_MOVES_OF_ALL(MOVE, bf16, BF16)                                        \
  TPC_RT_MOVES_OF_BITS(MOVE, i1, Bool)                                         \
  TPC_RT_MOVES_OF_BITS(MOVE, i8, int8_t)                                       \
  TPC_RT_MOVES_OF_BITS(MOVE, i16, int16_t)                                     \
  TPC_RT_MOVES_OF_BITS(MOVE, i32, int32_t)                                     \
  TPC_RT_MOVES_OF_BITS(MOVE, i64, int64_t)                                     \
  PRODUCT(f32, float, f32, float)                                              \
  PRODUCT(f64, double, f64, double)                                            \
  PRODUCT(f16, F16, f16, F16)                                                  \
  PRODUCT(f16, F16, f32, float)                                                \
  PRODUCT(bf16, BF16, bf16, BF16)                                              \
  PRODUCT(bf16, BF16, f32, float)                                              \
  PRODUCT(i8, int8_t, i8, int8_t)                                              \
  PRODUCT(i16, int16_t, i16, int16_t)                                          \
  PRODUCT(i32, int32_t, i32, int32_t)                                          \
  PRODUCT(i64, int64_t, i64, int64_t)

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_OWN_KERNELS_H
