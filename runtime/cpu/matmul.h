// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions on the CPU: oneDNN, and the loop for what oneDNN does not do.
#ifndef TPC_RT_CPU_MATMUL_H
#define TPC_RT_CPU_MATMUL_H

#include "product.h"
#include <memory>

namespace tpc::rt {

/// The products that are left to do: what the cpu does not do is refused, and
/// sums over nothing are done on the spot.
Status prepareMatmul(const tpc_rt_matmul_t &desc, const void *a, const void *b,
                     void *c, std::vector<ProductAt> &products);

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
