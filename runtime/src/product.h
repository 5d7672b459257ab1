// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contraction in the form in which devices do it.
#ifndef TPC_RT_SRC_PRODUCT_H
#define TPC_RT_SRC_PRODUCT_H

#include "dtype.h"
#include "status.h"
#include <vector>

namespace tpc::rt {

/// Where one operand lies, in elements.
struct MatrixStrides {
  int64_t batch = 0;
  int64_t row = 1;
  int64_t col = 1;
};

/// c[i] = a[i] * b[i], or c[i] += a[i] * b[i], for `batch` products of an m x k
/// and a k x n matrix. All extents but k are at least 1.
struct Product {
  DType dtype = DType::F32;
  DType resultType = DType::F32;
  bool accumulate = false;
  int64_t batch = 1;
  int64_t m = 1, n = 1, k = 1;
  MatrixStrides a, b, c;
};

/// A product and where its operands begin.
struct ProductAt {
  Product product;
  const char *a = nullptr;
  const char *b = nullptr;
  char *c = nullptr;
};

/// Turns what compiled code asked for into products with c row-major, fewest
/// first, and nothing empty but k. What the flags ask for is left to the
/// caller.
TPC_RT_SHARED Status normaliseMatmul(const tpc_rt_matmul_t &desc, const void *a,
                                     const void *b, void *c,
                                     std::vector<ProductAt> &products);

} // namespace tpc::rt

#endif // TPC_RT_SRC_PRODUCT_H
