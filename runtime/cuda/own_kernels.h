// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own kernels, as what one thread of many does: pieces of
// collectives, and products whose strides or types cuBLASLt does not take.
// Compiled for GPUs by own_kernels.cu; tests compile them for the host.
#ifndef TPC_RT_CUDA_OWN_KERNELS_H
#define TPC_RT_CUDA_OWN_KERNELS_H

#include "arithmetic.h"
#include "tpc_rt/abi.h"
#include <cmath>

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

/// What a product of `outer` rows of `inner` sums does to c: bits of
/// tpc_rt_matmul_t.flags. The sums may be c. Those of a 16-bit c whose result
/// is added up become the result before it is rounded.
struct EpilogueArgs {
  int64_t numThreads;
  float *sums;
  void *c;
  const void *bias;
  void *aux;
  int64_t outer, inner, sumStride, cStride, auxStride;
  int64_t flags;
};

/// Sums of columns of a matrix of `count` rows, which lie `stride` elements
/// from each other, in parts of `chunk` rows; per part `length` sums.
/// `accumulate`: they are added to what is there.
struct SumArgs {
  int64_t numThreads;
  const void *matrix;
  void *sums;
  int64_t count, length, stride, chunk;
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

TPC_RT_HOST_DEVICE inline float tanhOfGelu(float x) {
  return tanhf(0.79788456f * (x + 0.044715f * x * x * x));
}

template <typename C, typename Memory>
TPC_RT_HOST_DEVICE void epilogueThread(const EpilogueArgs &args, int64_t thread,
                                       Memory &&memory) {
  for (int64_t element = thread; element < args.outer * args.inner;
       element += args.numThreads) {
    int64_t row = element / args.inner, column = element % args.inner;
    C *c = static_cast<C *>(args.c) + row * args.cStride + column;
    float *sum = args.sums + row * args.sumStride + column;
    float x = memory.load(sum);
    if (args.flags & TPC_RT_ADD_BIAS)
      x += static_cast<float>(
          memory.load(static_cast<const C *>(args.bias) + column));
    int64_t place = row * args.auxStride + column;
    if (args.flags & TPC_RT_WRITE_AUX)
      memory.store(static_cast<C *>(args.aux) + place, static_cast<C>(x));
    // Keeps a NaN.
    if (args.flags & TPC_RT_RELU)
      x = x <= 0 ? 0 : x;
    if (args.flags & TPC_RT_GELU)
      x = x / 2 * (1 + tanhOfGelu(x));
    if (args.flags & TPC_RT_RELU_GRADIENT) {
      uint8_t bits =
          memory.load(static_cast<const uint8_t *>(args.aux) + place / 8);
      x = bits >> (place % 8) & 1 ? x : 0;
    }
    if (args.flags & TPC_RT_GELU_GRADIENT) {
      auto argument = static_cast<float>(
          memory.load(static_cast<const C *>(args.aux) + place));
      float t = tanhOfGelu(argument);
      x *= (1 + t) / 2 + argument / 2 * (1 - t * t) * 0.79788456f *
                             (1 + 0.134145f * argument * argument);
    }
    if (sizeof(C) < sizeof(float) && args.flags & TPC_RT_SUM_RESULT)
      memory.store(sum, x);
    memory.store(c, static_cast<C>(x));
  }
}

template <typename T, typename C, typename Memory>
TPC_RT_HOST_DEVICE void sumThread(const SumArgs &args, int64_t thread,
                                  Memory &&memory) {
  int64_t parts =
      args.count > 0 ? (args.count + args.chunk - 1) / args.chunk : 1;
  for (int64_t element = thread; element < parts * args.length;
       element += args.numThreads) {
    int64_t first = element / args.length * args.chunk;
    int64_t end =
        first + args.chunk < args.count ? first + args.chunk : args.count;
    const T *column =
        static_cast<const T *>(args.matrix) + element % args.length;
    C *result = static_cast<C *>(args.sums) + element;
    float sum = args.accumulate ? static_cast<float>(memory.load(result)) : 0;
    for (int64_t row = first; row < end; ++row)
      sum += static_cast<float>(memory.load(column + row * args.stride));
    memory.store(result, static_cast<C>(sum));
  }
}

/// Every kernel: MOVE(name of the element type, C++ type, reduction) for
/// "tpc_move_f32_Sum", PRODUCT(type, C++ type, type of c, its C++ type) for
/// "tpc_product_f16_f32", SUM of the same for "tpc_sum_f16_f32", and
/// EPILOGUE(type of c, C++ type) for "tpc_epilogue_f16".
#define TPC_RT_MOVES_OF_ALL(MOVE, dtype, type)                                 \
  MOVE(dtype, type, Sum)                                                       \
  MOVE(dtype, type, Max)                                                       \
  MOVE(dtype, type, Min)                                                       \
  MOVE(dtype, type, Prod)
#define TPC_RT_MOVES_OF_BITS(MOVE, dtype, type)                                \
  TPC_RT_MOVES_OF_ALL(MOVE, dtype, type)                                       \
  MOVE(dtype, type, And)                                                       \
  MOVE(dtype, type, Or)
#define TPC_RT_OWN_KERNELS(MOVE, PRODUCT, SUM, EPILOGUE)                       \
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
  PRODUCT(i64, int64_t, i64, int64_t)                                          \
  SUM(f32, float, f32, float)                                                  \
  SUM(f32, float, f16, F16)                                                    \
  SUM(f32, float, bf16, BF16)                                                  \
  SUM(f16, F16, f32, float)                                                    \
  SUM(f16, F16, f16, F16)                                                      \
  SUM(bf16, BF16, f32, float)                                                  \
  SUM(bf16, BF16, bf16, BF16)                                                  \
  EPILOGUE(f32, float)                                                         \
  EPILOGUE(f16, F16)                                                           \
  EPILOGUE(bf16, BF16)

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_OWN_KERNELS_H
