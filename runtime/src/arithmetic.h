// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reductions do with two elements, on any device.
#ifndef TPC_RT_SRC_ARITHMETIC_H
#define TPC_RT_SRC_ARITHMETIC_H

#include "mesh.h"
#include <limits>
#include <type_traits>

namespace tpc::rt {

/// A boolean as stored, for its own arithmetic.
struct Bool {
  uint8_t bits;
};

template <typename T> struct Accumulator { using type = T; };
template <> struct Accumulator<F16> { using type = float; };
template <> struct Accumulator<BF16> { using type = float; };
// Signed overflow wraps.
template <> struct Accumulator<int8_t> { using type = uint8_t; };
template <> struct Accumulator<int16_t> { using type = uint16_t; };
template <> struct Accumulator<int32_t> { using type = uint32_t; };
template <> struct Accumulator<int64_t> { using type = uint64_t; };

template <Reduction R, typename T>
TPC_RT_HOST_DEVICE inline T combine(T a, T b) {
  if constexpr (std::is_same_v<T, Bool>) {
    if constexpr (R == Reduction::Sum)
      return {static_cast<uint8_t>(a.bits ^ b.bits)};
    else if constexpr (R == Reduction::Max || R == Reduction::Or)
      return {static_cast<uint8_t>(a.bits | b.bits)};
    else
      return {static_cast<uint8_t>(a.bits & b.bits)};
  } else if constexpr (R == Reduction::Sum) {
    return a + b;
  } else if constexpr (R == Reduction::Prod) {
    // uint16_t would be promoted to int, whose overflow is undefined.
    if constexpr (std::is_same_v<T, uint16_t>)
      return static_cast<T>(static_cast<uint32_t>(a) * b);
    else
      return static_cast<T>(a * b);
  } else if constexpr (std::is_floating_point_v<T>) {
    // A NaN on either side wins: `a != a` for a, the comparison for b.
    if constexpr (R == Reduction::Max)
      return (a > b || a != a) ? a : b;
    else
      return (a < b || a != a) ? a : b;
  } else {
    using Signed = std::make_signed_t<T>;
    if constexpr (R == Reduction::Max)
      return static_cast<Signed>(a) > static_cast<Signed>(b) ? a : b;
    else if constexpr (R == Reduction::Min)
      return static_cast<Signed>(a) < static_cast<Signed>(b) ? a : b;
    else if constexpr (R == Reduction::And)
      return a & b;
    else
      return a | b;
  }
}

template <Reduction R, typename T> TPC_RT_HOST_DEVICE T neutral() {
  if constexpr (std::is_same_v<T, Bool>) {
    bool isOne =
        R == Reduction::Prod || R == Reduction::Min || R == Reduction::And;
    return {static_cast<uint8_t>(isOne)};
  } else if constexpr (R == Reduction::Sum || R == Reduction::Or) {
    return T(0);
  } else if constexpr (R == Reduction::Prod) {
    return T(1);
  } else if constexpr (R == Reduction::And) {
    return T(-1);
  } else if constexpr (std::is_integral_v<T>) {
    return R == Reduction::Max ? std::numeric_limits<T>::min()
                               : std::numeric_limits<T>::max();
  } else {
    using Acc = typename Accumulator<T>::type;
    Acc infinity = std::numeric_limits<Acc>::infinity();
    return T(R == Reduction::Max ? -infinity : infinity);
  }
}

} // namespace tpc::rt

#endif // TPC_RT_SRC_ARITHMETIC_H
