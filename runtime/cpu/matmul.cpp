// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides a thread's share of a contraction, and does sums over nothing.

#include "matmul.h"
#include <algorithm>
#include <cstring>

namespace tpc::rt {

static void setToZero(const ProductAt &at) {
  const Product &p = at.product;
  int64_t size = dtypeSize(p.dtype);
  for (int64_t batch = 0; batch < p.batch; ++batch)
    for (int64_t row = 0; row < p.m; ++row)
      for (int64_t col = 0; col < p.n; ++col)
        std::memset(at.c + (batch * p.c.batch + row * p.c.row + col * p.c.col) *
                               size,
                    0, size);
}

Status prepareMatmul(const tpc_rt_matmul_t &desc, const void *a, const void *b,
                     void *c, std::vector<ProductAt> &products) {
  if (Status status = normaliseMatmul(desc, a, b, c, products))
    return status;
  if (desc.c_dtype != desc.dtype || (desc.flags & ~TPC_RT_TF32))
    return fail(TPC_RT_UNSUPPORTED, "a product of ",
                dtypeName(static_cast<DType>(desc.dtype)),
                " with a result of type ", desc.c_dtype, " and flags ",
                desc.flags, " is not done by the cpu");
  if (desc.k != 0)
    return {};
  for (const ProductAt &product : products)
    if (!product.product.accumulate)
      setToZero(product);
  products.clear();
  return {};
}

bool partOf(const ProductAt &whole, int64_t index, int64_t parts,
            ProductAt &part) {
  const Product &p = whole.product;
  int64_t size = dtypeSize(p.dtype);
  auto cut = [&](int64_t length, int64_t multiple, int64_t &begin,
                 int64_t &count) {
    int64_t step = (length + parts - 1) / parts;
    step = (step + multiple - 1) / multiple * multiple;
    begin = std::min(length, index * step);
    count = std::min(step, length - begin);
    return count > 0;
  };
  part = whole;
  int64_t begin, count;
  if (p.batch >= parts) {
    if (!cut(p.batch, 1, begin, count))
      return false;
    part.product.batch = count;
    part.a += begin * p.a.batch * size;
    part.b += begin * p.b.batch * size;
    part.c += begin * p.c.batch * size;
    return true;
  }
  if (p.m > p.n) {
    if (!cut(p.m, 16, begin, count))
      return false;
    part.product.m = count;
    part.a += begin * p.a.row * size;
    part.c += begin * p.c.row * size;
    return true;
  }
  // Whole cache lines of c.
  if (!cut(p.n, 64, begin, count))
    return false;
  part.product.n = count;
  part.b += begin * p.b.col * size;
  part.c += begin * p.c.col * size;
  return true;
}

} // namespace tpc::rt
