// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of any type as numbers to print and compare.
#ifndef TPC_RUN_VALUES_H
#define TPC_RUN_VALUES_H

#include "tpc_rt/rt.h"
#include <cmath>
#include <cstring>

namespace tpc::run {

inline double halfToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  int mantissa = bits & 0x3ff;
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

/// Element `index` of a tensor. An i64 beyond 2^53 loses its last bits.
inline double elementOf(tpc_rt_tensor_t *tensor, int64_t index) {
  const char *data = static_cast<const char *>(tpc_rt_tensor_data(tensor));
  auto load = [&](auto value) {
    std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(value)),
                sizeof(value));
    return value;
  };
  switch (tpc_rt_tensor_dtype(tensor)) {
  case TPC_RT_F32:
    return load(float{});
  case TPC_RT_F64:
    return load(double{});
  case TPC_RT_F16:
    return halfToDouble(load(uint16_t{}));
  case TPC_RT_BF16: {
    uint32_t word = static_cast<uint32_t>(load(uint16_t{})) << 16;
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }
  case TPC_RT_I16:
    return load(int16_t{});
  case TPC_RT_I32:
    return load(int32_t{});
  case TPC_RT_I64:
    return static_cast<double>(load(int64_t{}));
  default:
    return load(int8_t{});
  }
}

} // namespace tpc::run

#endif // TPC_RUN_VALUES_H
