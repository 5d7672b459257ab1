// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides the form in which a contraction reaches a device.

#include "product.h"

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
  if (!isDType(desc.c_dtype))
    return fail(TPC_RT_UNSUPPORTED, "expected the type of a result, got ",
                desc.c_dtype);
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
  product.resultType = static_cast<DType>(desc.c_dtype);
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
  // With an epilogue the inner dim has a meaning even if it has one element.
  if (desc.c_col != 1 && (desc.n != 1 || (desc.flags & ~TPC_RT_TF32))) {
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
    foldBatchIntoRows(product);
  }
  int64_t size = dtypeSize(product.dtype);
  std::vector<int64_t> index(dims.size(), 0);
  while (true) {
    ProductAt one = at;
    for (size_t i = 0; i < dims.size(); ++i) {
      one.a += index[i] * dims[i].a * size;
      one.b += index[i] * dims[i].b * size;
      one.c += index[i] * dims[i].c * dtypeSize(product.resultType);
    }
    products.push_back(one);
    size_t i = dims.size();
    while (i > 0 && ++index[i - 1] == dims[i - 1].size)
      index[--i] = 0;
    if (i == 0)
      return {};
  }
}

} // namespace tpc::rt
