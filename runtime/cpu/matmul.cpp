// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides the form in which a contraction reaches a kernel, and its share per
// thread.

#include "matmul.h"
#include <algorithm>
#include <cstring>

namespace tpc::rt {

namespace {

struct BatchDim {
  int64_t size, a, b, c;
};

/// Batch dims without those of size 1, neighbours merged where all three
/// operands allow it.
std::vector<BatchDim> collapseBatch(const tpc_rt_matmul_t &desc) {
  std::vector<BatchDim> dims;
  for (int32_t i = 0; i < desc.batch_rank; ++i) {
    BatchDim dim{desc.batch[i], desc.a_batch[i], desc.b_batch[i],
                 desc.c_batch[i]};
    if (dim.size == 1)
      continue;
    if (!dims.empty() && dims.back().a == dim.a * dim.size &&
        dims.back().b == dim.b * dim.size &&
        dims.back().c == dim.c * dim.size) {
      dim.size *= dims.back().size;
      dims.back() = dim;
      continue;
    }
    dims.push_back(dim);
  }
  return dims;
}

/// A product that shares b is one tall product where a and c run on.
void foldBatchIntoRows(Product &product) {
  if (product.batch == 1 || product.b.batch != 0)
    return;
  // A single row has no stride of its own.
  if (product.m == 1) {
    product.a.row = product.a.batch;
    product.c.row = product.c.batch;
  } else if (product.a.batch != product.a.row * product.m ||
             product.c.batch != product.c.row * product.m) {
    return;
  }
  product.m *= product.batch;
  product.batch = 1;
}

void setToZero(const ProductAt &at) {
  const Product &p = at.product;
  int64_t size = dtypeSize(p.dtype);
  for (int64_t batch = 0; batch < p.batch; ++batch)
    for (int64_t row = 0; row < p.m; ++row)
      for (int64_t col = 0; col < p.n; ++col)
        std::memset(at.c + (batch * p.c.batch + row * p.c.row + col * p.c.col) *
                               size,
                    0, size);
}

} // namespace

Status normaliseMatmul(const tpc_rt_matmul_t &desc, const void *a,
                       const void *b, void *c,
                       std::vector<ProductAt> &products) {
  if (desc.size != static_cast<int32_t>(sizeof(tpc_rt_matmul_t)))
    return fail(TPC_RT_VERSION, "expected a descriptor of ",
                sizeof(tpc_rt_matmul_t), " bytes, got ", desc.size);
  if (!isDType(desc.dtype) || static_cast<DType>(desc.dtype) == DType::I1)
    return fail(TPC_RT_UNSUPPORTED, "element type ",
                isDType(desc.dtype) ? dtypeName(static_cast<DType>(desc.dtype))
                                    : std::to_string(desc.dtype).c_str(),
                " is not supported");
  if (desc.c_dtype != desc.dtype || (desc.flags & ~TPC_RT_TF32))
    return fail(TPC_RT_UNSUPPORTED, "a product of ",
                dtypeName(static_cast<DType>(desc.dtype)),
                " with a result of type ", desc.c_dtype, " and flags ",
                desc.flags, " is not done by the cpu");
  if (desc.batch_rank < 0 || desc.batch_rank > 6)
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a batch rank from 0 to 6, ",
                "got ", desc.batch_rank);
  int64_t volume = 1;
  for (int32_t i = 0; i < desc.batch_rank; ++i) {
    if (desc.batch[i] < 0)
      return fail(TPC_RT_INVALID_ARGUMENT, "negative batch ", desc.batch[i]);
    volume *= desc.batch[i];
  }
  if (desc.m < 0 || desc.n < 0 || desc.k < 0)
    return fail(TPC_RT_INVALID_ARGUMENT, "negative extent in ", desc.m, " x ",
                desc.n, " x ", desc.k);
  if (volume == 0 || desc.m == 0 || desc.n == 0)
    return {};

  ProductAt at;
  Product &product = at.product;
  product.dtype = static_cast<DType>(desc.dtype);
  product.accumulate = desc.accumulate != 0;
  product.m = desc.m;
  product.n = desc.n;
  product.k = desc.k;
  product.a = {0, desc.a_row, desc.a_col};
  product.b = {0, desc.b_row, desc.b_col};
  product.c = {0, desc.c_row, desc.c_col};
  at.a = static_cast<const char *>(a);
  at.b = static_cast<const char *>(b);
  at.c = static_cast<char *>(c);
  std::vector<BatchDim> dims = collapseBatch(desc);
  // A column-major c is the row-major transpose: (a b)^T = b^T a^T.
  if (desc.c_col != 1 && desc.n != 1) {
    std::swap(product.m, product.n);
    std::swap(at.a, at.b);
    product.a = {0, desc.b_col, desc.b_row};
    product.b = {0, desc.a_col, desc.a_row};
    product.c = {0, desc.c_col, desc.c_row};
    for (BatchDim &dim : dims)
      std::swap(dim.a, dim.b);
  }
  // The innermost batch dim goes into the product, the others are a loop.
  if (!dims.empty()) {
    product.batch = dims.back().size;
    product.a.batch = dims.back().a;
    product.b.batch = dims.back().b;
    product.c.batch = dims.back().c;
    dims.pop_back();
    if (desc.k != 0)
      foldBatchIntoRows(product);
  }
  int64_t size = dtypeSize(product.dtype);
  std::vector<int64_t> index(dims.size(), 0);
  while (true) {
    ProductAt one = at;
    for (size_t i = 0; i < dims.size(); ++i) {
      one.a += index[i] * dims[i].a * size;
      one.b += index[i] * dims[i].b * size;
      one.c += index[i] * dims[i].c * size;
    }
    if (desc.k != 0)
      products.push_back(one);
    else if (!product.accumulate)
      setToZero(one);
    size_t i = dims.size();
    while (i > 0 && ++index[i - 1] == dims[i - 1].size)
      index[--i] = 0;
    if (i == 0)
      return {};
  }
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
