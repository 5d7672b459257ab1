// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host tensors and the memory under them.

#include "tensor.h"
#include "module.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace tpc::rt {

void *allocateZeroed(int64_t bytes) {
  constexpr int64_t hugePage = 2 << 20;
  int64_t alignment = bytes >= 2 * hugePage ? hugePage : 64;
  // More than the machine has: the kernel might promise it all the same, and
  // end the process later.
  if (bytes / sysconf(_SC_PAGESIZE) >= sysconf(_SC_PHYS_PAGES))
    throw std::bad_alloc();
  int64_t size =
      (std::max<int64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(static_cast<size_t>(alignment),
                                    static_cast<size_t>(size));
  if (!memory)
    throw std::bad_alloc();
  if (alignment == hugePage)
    madvise(memory, static_cast<size_t>(size), MADV_HUGEPAGE);
  std::memset(memory, 0, static_cast<size_t>(size));
  return memory;
}

Status createTensor(DType dtype, const Shape &shape,
                    std::unique_ptr<tpc_rt_tensor_t> &tensor) {
  std::optional<int64_t> bytes = checkedBytes(shape, dtypeSize(dtype));
  if (!bytes)
    return fail(TPC_RT_INVALID_ARGUMENT,
                "expected a shape of fewer than 2^63 bytes, got ",
                listText(shape));
  auto result = std::make_unique<tpc_rt_tensor_t>();
  result->dtype = dtype;
  result->shape = shape;
  result->count = *bytes / dtypeSize(dtype);
  result->data = {allocateZeroed(*bytes), std::free};
  tensor = std::move(result);
  return {};
}

} // namespace tpc::rt

using namespace tpc::rt;

extern "C" {

const char *tpc_rt_dtype_name(int32_t dtype) {
  return isDType(dtype) ? dtypeName(static_cast<DType>(dtype)) : nullptr;
}

int64_t tpc_rt_dtype_size(int32_t dtype) {
  return isDType(dtype) ? dtypeSize(static_cast<DType>(dtype)) : 0;
}

tpc_rt_status_t *tpc_rt_tensor_create(int32_t dtype, int32_t rank,
                                      const int64_t *shape,
                                      tpc_rt_tensor_t **out_tensor) {
  *out_tensor = nullptr;
  return guard([&]() -> Status {
    if (!isDType(dtype))
      return fail(TPC_RT_INVALID_ARGUMENT,
                  "expected an element type from 0 to ", numDTypes - 1,
                  ", got ", dtype);
    if (rank < 0)
      return fail(TPC_RT_INVALID_ARGUMENT,
                  "expected a rank of at least 0, got ", rank);
    std::unique_ptr<tpc_rt_tensor_t> tensor;
    if (Status status = createTensor(static_cast<DType>(dtype),
                                     Shape(shape, shape + rank), tensor))
      return status;
    *out_tensor = tensor.release();
    return {};
  });
}

void tpc_rt_tensor_retain(tpc_rt_tensor_t *tensor) { retainHandle(tensor); }
void tpc_rt_tensor_release(tpc_rt_tensor_t *tensor) { releaseHandle(tensor); }

int32_t tpc_rt_tensor_dtype(const tpc_rt_tensor_t *tensor) {
  return static_cast<int32_t>(tensor->dtype);
}

int32_t tpc_rt_tensor_rank(const tpc_rt_tensor_t *tensor) {
  return static_cast<int32_t>(tensor->shape.size());
}

const int64_t *tpc_rt_tensor_shape(const tpc_rt_tensor_t *tensor) {
  return tensor->shape.data();
}

int64_t tpc_rt_tensor_count(const tpc_rt_tensor_t *tensor) {
  return tensor->count;
}

void *tpc_rt_tensor_data(tpc_rt_tensor_t *tensor) { return tensor->data.get(); }

} // extern "C"
