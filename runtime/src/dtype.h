// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types: names, sizes, and the two 16-bit floats as numbers.
#ifndef TPC_RT_SRC_DTYPE_H
#define TPC_RT_SRC_DTYPE_H

#include "tpc_rt/abi.h"
#include <cstring>
#include <optional>
#include <string>

/// On functions that kernels of GPUs use too.
#ifdef __CUDACC__
#define TPC_RT_HOST_DEVICE __host__ __device__
#else
#define TPC_RT_HOST_DEVICE
#endif

namespace tpc::rt {

enum class DType : int32_t { F32, F64, F16, BF16, I1, I8, I16, I32, I64 };
constexpr int32_t numDTypes = 9;

inline bool isDType(int32_t number) {
  return number >= 0 && number < numDTypes;
}

inline const char *dtypeName(DType dtype) {
  static const char *const names[] = {"f32", "f64", "f16", "bf16", "i1",
                                      "i8",  "i16", "i32", "i64"};
  return names[static_cast<int32_t>(dtype)];
}

inline int64_t dtypeSize(DType dtype) {
  static const int64_t sizes[] = {4, 8, 2, 2, 1, 1, 2, 4, 8};
  return sizes[static_cast<int32_t>(dtype)];
}

inline bool isFloat(DType dtype) {
  return static_cast<int32_t>(dtype) <= static_cast<int32_t>(DType::BF16);
}

inline std::optional<DType> parseDType(const std::string &name) {
  for (int32_t number = 0; number < numDTypes; ++number)
    if (name == dtypeName(static_cast<DType>(number)))
      return static_cast<DType>(number);
  return std::nullopt;
}

/// A bfloat16 as stored. Arithmetic goes through float; conversion back
/// rounds to nearest, ties to even.
struct BF16 {
  uint16_t bits;
  BF16() = default;
  TPC_RT_HOST_DEVICE explicit BF16(float value) {
    uint32_t word;
    std::memcpy(&word, &value, 4);
    uint32_t rounded = (word + 0x7fff + ((word >> 16) & 1)) >> 16;
    // A NaN must not be rounded into an infinity.
    bool isNaN = (word & 0x7fffffff) > 0x7f800000;
    bits = static_cast<uint16_t>(isNaN ? (word >> 16) | 0x40 : rounded);
  }
  TPC_RT_HOST_DEVICE explicit operator float() const {
    uint32_t word = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }
};

/// An IEEE half as stored, with conversions in plain integer and float
/// arithmetic: the compiler vectorises them for any x86, where a conversion
/// instruction would need F16C.
struct F16 {
  uint16_t bits;
  F16() = default;
  TPC_RT_HOST_DEVICE explicit F16(float value) {
    uint32_t word;
    std::memcpy(&word, &value, 4);
    uint32_t sign = (word >> 16) & 0x8000;
    word &= 0x7fffffff;
    // Normal halves: round the 13 dropped bits to nearest even.
    uint32_t normal = (word - 0x38000000 + 0xfff + ((word >> 13) & 1)) >> 13;
    // Subnormal halves and zero: let a float addition do the rounding.
    float magic;
    float magnitude;
    uint32_t magicWord = 0x3f000000;
    std::memcpy(&magic, &magicWord, 4);
    std::memcpy(&magnitude, &word, 4);
    magnitude += magic;
    uint32_t subnormal;
    std::memcpy(&subnormal, &magnitude, 4);
    subnormal -= magicWord;
    uint32_t finite = word < 0x38800000 ? subnormal : normal;
    uint32_t special = word > 0x7f800000 ? 0x7e00 : 0x7c00;
    // From 65520 on the nearest half is infinity.
    bits =
        static_cast<uint16_t>(sign | (word >= 0x477ff000 ? special : finite));
  }
  TPC_RT_HOST_DEVICE explicit operator float() const {
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
    uint32_t rest = static_cast<uint32_t>(bits & 0x7fff) << 13;
    // Scaling by 2^112 moves the exponent and normalises subnormals.
    float value;
    std::memcpy(&value, &rest, 4);
    value *= 5.192296858534828e33f;
    uint32_t word;
    std::memcpy(&word, &value, 4);
    if ((bits & 0x7c00) == 0x7c00)
      word = rest | 0x7f800000;
    word |= sign;
    std::memcpy(&value, &word, 4);
    return value;
  }
};

} // namespace tpc::rt

#endif // TPC_RT_SRC_DTYPE_H
