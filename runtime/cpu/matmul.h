// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions on the CPU: the product in normal form, oneDNN, and the loop for
// what oneDNN does not do.
#ifndef TPC_RT_CPU_MATMUL_H
#define TPC_RT_CPU_MATMUL_H

#include "dtype.h"
#include "status.h"
#include <memory>
#include <vector>

namespace tpc::rt {

/// Where one operand lies, in elements.
struct MatrixStrides {
  int64_t batch = 0;
  int64_t row = 1;
  int64_t col = 1;
};

/// c[i] = a[i] * b[i], or c[i] += a[i] * b[i], for `batch` products of an m x k
/// and a k x n matrix, all extents at least 1.
struct Product {
  DType dtype = DType::F32;
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
/// first dims, and nothing empty; `k = 0` is done on the spot.
Status normaliseMatmul(const tpc_rt_matmul_t &desc, const void *a,
                       const void *b, void *c,
                       std::vector<ProductAt> &products);

/// Cuts a product into at most `parts` of about equal size; part `index`, or
/// false when there is none.
bool partOf(const ProductAt &whole, int64_t index, int64_t parts,
            ProductAt &part);

/// oneDNN on the calling thread alone: the rank's threads share the work
/// themselves, so that a rank has one set of threads and not two. Primitives
/// are kept; an instance belongs to one thread.
class DnnlMatmul {
public:
  DnnlMatmul();
  ~DnnlMatmul();

  /// False when oneDNN has no fast implementation of this product.
  bool run(const ProductAt &call, Status &status);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Any strides and any type but i1. 16-bit floats are accumulated in f32.
void runMatmulLoop(const ProductAt &call);

} // namespace tpc::rt

#endif // TPC_RT_CPU_MATMUL_H
