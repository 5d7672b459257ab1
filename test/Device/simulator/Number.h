// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing the element types of matrices and collectives.
#ifndef TPC_TEST_DEVICE_SIMULATOR_NUMBER_H
#define TPC_TEST_DEVICE_SIMULATOR_NUMBER_H

#include <cstdint>
#include <cstring>

namespace tpc::sim {

/// 16 bits with the exponent of an f32.
struct BFloat16 {
  uint16_t bits;

  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t wide;
    memcpy(&wide, &value, 4);
    if (value != value)
      bits = static_cast<uint16_t>(wide >> 16 | 0x40);
    else // to nearest, ties to even
      bits = static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  operator float() const {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    memcpy(&value, &wide, 4);
    return value;
  }
};

/// An f16, through the compiler's own type.
struct Float16 {
  _Float16 value;

  Float16() = default;
  explicit Float16(float from) : value(static_cast<_Float16>(from)) {}
  operator float() const { return static_cast<float>(value); }
};

/// An f32 as tensor cores take it: 10 bits of mantissa.
inline float roundToTf32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (value == value)
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~uint32_t(0x1fff);
  memcpy(&value, &bits, 4);
  return value;
}

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_NUMBER_H
