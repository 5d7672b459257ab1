// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product as a blocked loop, for types and strides oneDNN does not take:
// panels of a and b are packed into the accumulation type, a small kernel works
// on registers. Sums over k go in ascending blocks, so that the same product
// gives the same bits on every run.

#include "matmul.h"
#include <algorithm>

namespace tpc::rt {

namespace {

constexpr int64_t rowsPerTile = 4;
constexpr int64_t colsPerTile = 16;
constexpr int64_t rowsPerBlock = 64;
constexpr int64_t colsPerBlock = 128;
constexpr int64_t depthPerBlock = 256;

// Inlined into one function per instruction set below.
template <typename Acc>
[[gnu::always_inline]] inline void tile(const Acc *__restrict a,
                                        const Acc *__restrict b, int64_t depth,
                                        Acc *__restrict c) {
  Acc sums[rowsPerTile][colsPerTile];
  for (int64_t i = 0; i < rowsPerTile; ++i)
    for (int64_t j = 0; j < colsPerTile; ++j)
      sums[i][j] = c[i * colsPerBlock + j];
  for (int64_t p = 0; p < depth; ++p)
    for (int64_t i = 0; i < rowsPerTile; ++i)
      for (int64_t j = 0; j < colsPerTile; ++j)
        sums[i][j] += a[p * rowsPerTile + i] * b[p * colsPerTile + j];
  for (int64_t i = 0; i < rowsPerTile; ++i)
    for (int64_t j = 0; j < colsPerTile; ++j)
      c[i * colsPerBlock + j] = sums[i][j];
}

template <typename Acc>
using TileFn = void (*)(const Acc *, const Acc *, int64_t, Acc *);

template <typename Acc>
void tileAnywhere(const Acc *a, const Acc *b, int64_t depth, Acc *c) {
  tile(a, b, depth, c);
}

template <typename Acc> TileFn<Acc> chooseTile() { return tileAnywhere<Acc>; }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void tileAvx2(const float *a, const float *b,
                                          int64_t depth, float *c) {
  tile(a, b, depth, c);
}
[[gnu::target("avx2,fma")]] void tileAvx2(const double *a, const double *b,
                                          int64_t depth, double *c) {
  tile(a, b, depth, c);
}
[[gnu::target("avx512f"), clang::min_vector_width(512)]] void
tileAvx512(const float *a, const float *b, int64_t depth, float *c) {
  tile(a, b, depth, c);
}
[[gnu::target("avx512f"), clang::min_vector_width(512)]] void
tileAvx512(const double *a, const double *b, int64_t depth, double *c) {
  tile(a, b, depth, c);
}

template <typename Acc> TileFn<Acc> chooseFloatTile() {
  if (__builtin_cpu_supports("avx512f"))
    return tileAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return tileAvx2;
  return tileAnywhere<Acc>;
}
template <> TileFn<float> chooseTile<float>() {
  return chooseFloatTile<float>();
}
template <> TileFn<double> chooseTile<double>() {
  return chooseFloatTile<double>();
}
#endif

/// Packs a block into strips of `width`, zeros behind the last element, one
/// strip after the other and within a strip along the depth.
template <typename T, typename Acc>
void pack(const T *source, int64_t count, int64_t step, int64_t depth,
          int64_t depthStep, int64_t width, Acc *out) {
  for (int64_t begin = 0; begin < count; begin += width) {
    int64_t valid = std::min(width, count - begin);
    for (int64_t p = 0; p < depth; ++p) {
      const T *from = source + begin * step + p * depthStep;
      for (int64_t i = 0; i < valid; ++i)
        *out++ = static_cast<Acc>(from[i * step]);
      for (int64_t i = valid; i < width; ++i)
        *out++ = Acc(0);
    }
  }
}

template <typename T, typename Acc> struct Blocks {
  Acc a[rowsPerBlock * depthPerBlock];
  Acc b[colsPerBlock * depthPerBlock];
  Acc c[rowsPerBlock * colsPerBlock];
};

template <typename T, typename Acc>
void multiplyOne(const Product &p, const T *a, const T *b, T *c,
                 Blocks<T, Acc> &blocks, TileFn<Acc> tileFn) {
  for (int64_t col = 0; col < p.n; col += colsPerBlock) {
    int64_t cols = std::min(colsPerBlock, p.n - col);
    for (int64_t row = 0; row < p.m; row += rowsPerBlock) {
      int64_t rows = std::min(rowsPerBlock, p.m - row);
      std::fill_n(blocks.c,
                  (rows + rowsPerTile - 1) / rowsPerTile * rowsPerTile *
                      colsPerBlock,
                  Acc(0));
      for (int64_t k = 0; k < p.k; k += depthPerBlock) {
        int64_t depth = std::min(depthPerBlock, p.k - k);
        pack(a + row * p.a.row + k * p.a.col, rows, p.a.row, depth, p.a.col,
             rowsPerTile, blocks.a);
        pack(b + k * p.b.row + col * p.b.col, cols, p.b.col, depth, p.b.row,
             colsPerTile, blocks.b);
        for (int64_t j = 0; j < cols; j += colsPerTile)
          for (int64_t i = 0; i < rows; i += rowsPerTile)
            tileFn(blocks.a + i * depth, blocks.b + j * depth, depth,
                   blocks.c + i * colsPerBlock + j);
      }
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j) {
          T &out = c[(row + i) * p.c.row + (col + j) * p.c.col];
          Acc sum = blocks.c[i * colsPerBlock + j];
          if (p.accumulate)
            sum = static_cast<Acc>(static_cast<Acc>(out) + sum);
          out = static_cast<T>(sum);
        }
    }
  }
}

template <typename T, typename Acc> void multiply(const ProductAt &call) {
  static const TileFn<Acc> tileFn = chooseTile<Acc>();
  const Product &p = call.product;
  // Not zeroed: what is used is written first.
  std::unique_ptr<Blocks<T, Acc>> blocks(new Blocks<T, Acc>);
  for (int64_t batch = 0; batch < p.batch; ++batch)
    multiplyOne<T, Acc>(
        p, reinterpret_cast<const T *>(call.a) + batch * p.a.batch,
        reinterpret_cast<const T *>(call.b) + batch * p.b.batch,
        reinterpret_cast<T *>(call.c) + batch * p.c.batch, *blocks, tileFn);
}

} // namespace

void runMatmulLoop(const ProductAt &call) {
  // Integers wrap: their unsigned types do so by definition, and 32 bits keep
  // narrow products from being promoted to int.
  switch (call.product.dtype) {
  case DType::F32:
    return multiply<float, float>(call);
  case DType::F64:
    return multiply<double, double>(call);
  case DType::F16:
    return multiply<F16, float>(call);
  case DType::BF16:
    return multiply<BF16, float>(call);
  case DType::I8:
    return multiply<int8_t, uint32_t>(call);
  case DType::I16:
    return multiply<int16_t, uint32_t>(call);
  case DType::I32:
    return multiply<int32_t, uint32_t>(call);
  case DType::I64:
    return multiply<int64_t, uint64_t>(call);
  case DType::I1:
    return;
  }
}

} // namespace tpc::rt
