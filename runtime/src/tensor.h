// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense row-major tensor in host memory.
#ifndef TPC_RT_SRC_TENSOR_H
#define TPC_RT_SRC_TENSOR_H

#include "mesh.h"
#include "status.h"
#include <atomic>

struct tpc_rt_tensor_t {
  std::atomic<int32_t> references{1};
  tpc::rt::DType dtype = tpc::rt::DType::F32;
  tpc::rt::Shape shape;
  int64_t count = 0;
  std::unique_ptr<void, void (*)(void *)> data{nullptr, nullptr};

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  bool dropsLast() {
    return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  int64_t bytes() const { return count * tpc::rt::dtypeSize(dtype); }
};

namespace tpc::rt {

/// A new tensor of zeros. Throws std::bad_alloc.
Status createTensor(DType dtype, const Shape &shape,
                    std::unique_ptr<tpc_rt_tensor_t> &tensor);

/// `bytes` zeroed bytes aligned to 64, on huge pages where that pays.
void *allocateZeroed(int64_t bytes);

} // namespace tpc::rt

#endif // TPC_RT_SRC_TENSOR_H
