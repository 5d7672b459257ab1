// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, fills and reductions on the CPU. Reductions go block by block, so
// that with many sources the running value stays in the first-level cache.

#include "kernels.h"
#include "arithmetic.h"
#include <algorithm>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tpc::rt {

namespace {

constexpr int64_t blockElements = 2048;

#ifdef __SSE2__
/// Results from this size on are written past the caches: they would not stay
/// there, and a plain store reads the line first.
constexpr int64_t streamBytes = int64_t(4) << 20;

/// Writes `bytes` of `block` to `dst`, both on a 16-byte boundary.
void streamBlock(char *dst, const char *block, int64_t bytes) {
  int64_t done = 0;
  for (; done + 16 <= bytes; done += 16)
    _mm_stream_si128(
        reinterpret_cast<__m128i *>(dst + done),
        _mm_load_si128(reinterpret_cast<const __m128i *>(block + done)));
  std::memcpy(dst + done, block + done, bytes - done);
}
#endif

template <Reduction R, typename T>
void reduceTyped(T *__restrict dst, const void *const *sources,
                 size_t numSources, int64_t count) {
  using Acc = typename Accumulator<T>::type;
#ifdef __SSE2__
  if (numSources == 2 && count * int64_t(sizeof(T)) >= streamBytes &&
      reinterpret_cast<uintptr_t>(dst) % 16 == 0) {
    alignas(64) T block[blockElements];
    for (int64_t begin = 0; begin < count; begin += blockElements) {
      int64_t length = std::min(blockElements, count - begin);
      const T *__restrict a = static_cast<const T *>(sources[0]) + begin;
      const T *__restrict b = static_cast<const T *>(sources[1]) + begin;
      for (int64_t i = 0; i < length; ++i)
        block[i] = static_cast<T>(
            combine<R, Acc>(static_cast<Acc>(a[i]), static_cast<Acc>(b[i])));
      streamBlock(reinterpret_cast<char *>(dst + begin),
                  reinterpret_cast<const char *>(block),
                  length * int64_t(sizeof(T)));
    }
    _mm_sfence();
    return;
  }
#endif
  if (numSources == 2) {
    const T *__restrict a = static_cast<const T *>(sources[0]);
    const T *__restrict b = static_cast<const T *>(sources[1]);
    for (int64_t i = 0; i < count; ++i)
      dst[i] = static_cast<T>(
          combine<R, Acc>(static_cast<Acc>(a[i]), static_cast<Acc>(b[i])));
    return;
  }
  Acc block[blockElements];
  for (int64_t begin = 0; begin < count; begin += blockElements) {
    int64_t length = std::min(blockElements, count - begin);
    const T *__restrict a = static_cast<const T *>(sources[0]) + begin;
    for (int64_t i = 0; i < length; ++i)
      block[i] = static_cast<Acc>(a[i]);
    for (size_t source = 1; source + 1 < numSources; ++source) {
      const T *__restrict b = static_cast<const T *>(sources[source]) + begin;
      for (int64_t i = 0; i < length; ++i)
        block[i] = combine<R, Acc>(block[i], static_cast<Acc>(b[i]));
    }
    const T *__restrict b =
        static_cast<const T *>(sources[numSources - 1]) + begin;
    for (int64_t i = 0; i < length; ++i)
      dst[begin + i] =
          static_cast<T>(combine<R, Acc>(block[i], static_cast<Acc>(b[i])));
  }
}

/// Calls `body` with a value of the C++ type of `dtype`.
template <typename Body> void withType(DType dtype, Body &&body) {
  switch (dtype) {
  case DType::F32:
    return body(float{});
  case DType::F64:
    return body(double{});
  case DType::F16:
    return body(F16{});
  case DType::BF16:
    return body(BF16{});
  case DType::I1:
    return body(Bool{});
  case DType::I8:
    return body(int8_t{});
  case DType::I16:
    return body(int16_t{});
  case DType::I32:
    return body(int32_t{});
  case DType::I64:
    return body(int64_t{});
  }
}

/// Calls `body` with the reduction as a constant; `and` and `or` do not exist
/// for floats (checkPart refuses them).
template <typename T, typename Body>
void withReduction(Reduction reduction, Body &&body) {
  constexpr bool hasBits = std::is_integral_v<T> || std::is_same_v<T, Bool>;
  switch (reduction) {
  case Reduction::Sum:
    return body(std::integral_constant<Reduction, Reduction::Sum>{});
  case Reduction::Max:
    return body(std::integral_constant<Reduction, Reduction::Max>{});
  case Reduction::Min:
    return body(std::integral_constant<Reduction, Reduction::Min>{});
  case Reduction::Prod:
    return body(std::integral_constant<Reduction, Reduction::Prod>{});
  case Reduction::And:
    if constexpr (hasBits)
      return body(std::integral_constant<Reduction, Reduction::And>{});
    return;
  case Reduction::Or:
    if constexpr (hasBits)
      return body(std::integral_constant<Reduction, Reduction::Or>{});
    return;
  }
}

} // namespace

void reduceRun(DType dtype, Reduction reduction, void *dst,
               const void *const *sources, size_t numSources, int64_t count) {
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    withReduction<T>(reduction, [&](auto kind) {
      reduceTyped<decltype(kind)::value, T>(static_cast<T *>(dst), sources,
                                            numSources, count);
    });
  });
}

void fillNeutral(DType dtype, Reduction reduction, void *dst, int64_t count) {
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    withReduction<T>(reduction, [&](auto kind) {
      std::fill_n(static_cast<T *>(dst), count,
                  neutral<decltype(kind)::value, T>());
    });
  });
}

/// Copies runs of a fixed size, without a call per run.
template <typename Word>
static void copyWords(const Transfer &transfer, int64_t size, char *dst,
                      const char *src, int64_t share, int64_t shares) {
  forEachRun(transfer, share, shares, [&](int64_t to, int64_t from, int64_t) {
    std::memcpy(dst + to * size, src + from * size, sizeof(Word));
  });
}

static void copyPiece(DType dtype, const Transfer &transfer, char *dst,
                      const char *src, int64_t share, int64_t shares) {
  struct Words {
    uint64_t low, high;
  };
  int64_t size = dtypeSize(dtype);
  if (transfer.extent.size() > 1) {
    switch (transfer.extent.back() * size) {
    case 1:
      return copyWords<uint8_t>(transfer, size, dst, src, share, shares);
    case 2:
      return copyWords<uint16_t>(transfer, size, dst, src, share, shares);
    case 4:
      return copyWords<uint32_t>(transfer, size, dst, src, share, shares);
    case 8:
      return copyWords<uint64_t>(transfer, size, dst, src, share, shares);
    case 16:
      return copyWords<Words>(transfer, size, dst, src, share, shares);
    }
  }
  forEachRun(transfer, share, shares,
             [&](int64_t to, int64_t from, int64_t count) {
               std::memcpy(dst + to * size, src + from * size, count * size);
             });
}

void runTransfer(DType dtype, Reduction reduction, const Transfer &transfer,
                 void *dst, const void *const *buffers, int64_t share,
                 int64_t shares) {
  char *bytes = static_cast<char *>(dst);
  size_t numSources = transfer.sources.size();
  if (numSources == 1) {
    copyPiece(dtype, transfer, bytes,
              static_cast<const char *>(buffers[transfer.sources[0]]), share,
              shares);
    return;
  }
  int64_t size = dtypeSize(dtype);
  std::vector<const void *> runs(numSources);
  forEachRun(
      transfer, share, shares, [&](int64_t to, int64_t from, int64_t count) {
        for (size_t i = 0; i < numSources; ++i)
          runs[i] = static_cast<const char *>(buffers[transfer.sources[i]]) +
                    from * size;
        reduceRun(dtype, reduction, bytes + to * size, runs.data(), numSources,
                  count);
      });
}

void runFill(DType dtype, Reduction reduction, const Transfer &transfer,
             void *dst) {
  int64_t size = dtypeSize(dtype);
  forEachRun(transfer, 0, 1, [&](int64_t to, int64_t, int64_t count) {
    fillNeutral(dtype, reduction, static_cast<char *>(dst) + to * size, count);
  });
}

} // namespace tpc::rt
