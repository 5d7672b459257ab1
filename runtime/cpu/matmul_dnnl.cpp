// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products through oneDNN, one primitive per shape and layout.

#include "matmul.h"
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <dnnl.h>
#include <dnnl_debug.h>
#include <map>

namespace tpc::rt {

namespace {

/// What a primitive depends on.
using Key = std::array<int64_t, 15>;

struct Primitive {
  dnnl_primitive_t primitive = nullptr;
  dnnl_memory_t a = nullptr, b = nullptr, c = nullptr;
  dnnl_memory_t scratch = nullptr;

  Primitive() = default;
  Primitive(const Primitive &) = delete;
  Primitive &operator=(const Primitive &) = delete;
  ~Primitive() {
    if (primitive)
      dnnl_primitive_destroy(primitive);
    for (dnnl_memory_t memory : {a, b, c, scratch})
      if (memory)
        dnnl_memory_destroy(memory);
  }
};

/// The one place where a oneDNN error becomes ours.
Status convert(dnnl_status_t status, const char *function) {
  if (status == dnnl_success)
    return {};
  return fail(status == dnnl_out_of_memory ? TPC_RT_OUT_OF_MEMORY
                                           : TPC_RT_INTERNAL,
              "oneDNN: ", function, ": ", dnnl_status2str(status));
}

/// oneDNN asks OpenMP how many threads to use; the setting is per thread. The
/// OpenMP runtime is whichever oneDNN was linked with.
void useOneThread() {
  if (void *symbol = dlsym(RTLD_DEFAULT, "omp_set_num_threads"))
    reinterpret_cast<void (*)(int)>(symbol)(1);
}

std::optional<dnnl_data_type_t> dnnlType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return dnnl_f32;
  case DType::BF16:
    return dnnl_bf16;
  default:
    return std::nullopt;
  }
}

/// Layouts oneDNN knows: one stride 1, the other at least the extent of that
/// dim. Strides of dims of extent 1 mean nothing and are set to fit.
bool fixStrides(int64_t rows, int64_t cols, MatrixStrides &strides) {
  if (rows == 1 && cols == 1) {
    strides.row = strides.col = 1;
    return true;
  }
  if (cols == 1) {
    // A column of consecutive elements is column-major; any other is a
    // row-major matrix of width 1.
    strides.col = strides.row == 1 ? rows : 1;
    return strides.row >= 1;
  }
  if (rows == 1) {
    strides.row = strides.col == 1 ? cols : 1;
    return strides.col >= 1;
  }
  return (strides.col == 1 && strides.row >= cols) ||
         (strides.row == 1 && strides.col >= rows);
}

} // namespace

/// Made on the thread that uses it, since it changes a setting of that thread.
struct DnnlMatmul::State {
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  Status initial;
  /// Null where oneDNN has no fast implementation.
  std::map<Key, std::unique_ptr<Primitive>> primitives;
  std::unique_ptr<void, void (*)(void *)> scratch{nullptr, std::free};
  size_t scratchBytes = 0;

  State() {
    useOneThread();
    initial =
        convert(dnnl_engine_create(&engine, dnnl_cpu, 0), "dnnl_engine_create");
    if (initial.ok())
      initial = convert(
          dnnl_stream_create(&stream, engine, dnnl_stream_default_flags),
          "dnnl_stream_create");
  }
  ~State() {
    primitives.clear();
    if (stream)
      dnnl_stream_destroy(stream);
    if (engine)
      dnnl_engine_destroy(engine);
  }

  std::unique_ptr<Primitive> create(const Product &p);
  bool describe(const Product &p, dnnl_memory_desc_t &a, dnnl_memory_desc_t &b,
                dnnl_memory_desc_t &c);
};

bool DnnlMatmul::State::describe(const Product &p, dnnl_memory_desc_t &a,
                                 dnnl_memory_desc_t &b, dnnl_memory_desc_t &c) {
  dnnl_data_type_t type = *dnnlType(p.dtype);
  auto init = [&](dnnl_memory_desc_t &desc, int64_t rows, int64_t cols,
                  MatrixStrides strides, bool isResult) {
    if (!fixStrides(rows, cols, strides) || strides.batch < 0)
      return false;
    if (p.batch == 1) {
      dnnl_dims_t dims{rows, cols}, steps{strides.row, strides.col};
      return dnnl_memory_desc_init_by_strides(&desc, 2, dims, type, steps) ==
             dnnl_success;
    }
    bool isShared = strides.batch == 0;
    if (isShared && isResult)
      return false;
    dnnl_dims_t dims{isShared ? 1 : p.batch, rows, cols};
    dnnl_dims_t steps{isShared ? rows * cols : strides.batch, strides.row,
                      strides.col};
    return dnnl_memory_desc_init_by_strides(&desc, 3, dims, type, steps) ==
           dnnl_success;
  };
  return init(a, p.m, p.k, p.a, false) && init(b, p.k, p.n, p.b, false) &&
         init(c, p.m, p.n, p.c, true);
}

std::unique_ptr<Primitive> DnnlMatmul::State::create(const Product &p) {
  dnnl_memory_desc_t a, b, c;
  dnnl_matmul_desc_t matmul;
  if (!describe(p, a, b, c) ||
      dnnl_matmul_desc_init(&matmul, &a, &b, nullptr, &c) != dnnl_success)
    return nullptr;
  dnnl_primitive_attr_t attributes = nullptr;
  dnnl_post_ops_t sum = nullptr;
  dnnl_primitive_desc_t chosen = nullptr;
  auto result = std::make_unique<Primitive>();
  bool isFine = dnnl_primitive_attr_create(&attributes) == dnnl_success &&
                dnnl_primitive_attr_set_scratchpad_mode(
                    attributes, dnnl_scratchpad_mode_user) == dnnl_success;
  if (isFine && p.accumulate)
    isFine = dnnl_post_ops_create(&sum) == dnnl_success &&
             dnnl_post_ops_append_sum(sum, 1.0f) == dnnl_success &&
             dnnl_primitive_attr_set_post_ops(attributes, sum) == dnnl_success;
  isFine =
      isFine && dnnl_primitive_desc_create(&chosen, &matmul, attributes, engine,
                                           nullptr) == dnnl_success;
  if (isFine) {
    // The reference implementation is slower than our own loop.
    const char *name = nullptr;
    dnnl_primitive_desc_query(chosen, dnnl_query_impl_info_str, 0, &name);
    isFine = name && !std::strstr(name, "ref") &&
             dnnl_primitive_create(&result->primitive, chosen) == dnnl_success;
  }
  if (isFine) {
    const dnnl_memory_desc_t *scratchDesc =
        dnnl_primitive_desc_query_md(chosen, dnnl_query_scratchpad_md, 0);
    size_t bytes = dnnl_memory_desc_get_size(scratchDesc);
    if (bytes > scratchBytes) {
      scratch.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
      scratchBytes = scratch ? bytes : 0;
      isFine = scratch != nullptr;
    }
    isFine = isFine &&
             dnnl_memory_create(&result->a, &a, engine, DNNL_MEMORY_NONE) ==
                 dnnl_success &&
             dnnl_memory_create(&result->b, &b, engine, DNNL_MEMORY_NONE) ==
                 dnnl_success &&
             dnnl_memory_create(&result->c, &c, engine, DNNL_MEMORY_NONE) ==
                 dnnl_success &&
             dnnl_memory_create(&result->scratch, scratchDesc, engine,
                                DNNL_MEMORY_NONE) == dnnl_success;
  }
  if (chosen)
    dnnl_primitive_desc_destroy(chosen);
  if (sum)
    dnnl_post_ops_destroy(sum);
  if (attributes)
    dnnl_primitive_attr_destroy(attributes);
  return isFine ? std::move(result) : nullptr;
}

DnnlMatmul::DnnlMatmul() = default;
DnnlMatmul::~DnnlMatmul() = default;

bool DnnlMatmul::run(const ProductAt &call, Status &status) {
  const Product &p = call.product;
  if (!dnnlType(p.dtype))
    return false;
  if (!state)
    state = std::make_unique<State>();
  if (!state->initial.ok())
    return false;
  Key key{static_cast<int64_t>(p.dtype),
          p.accumulate,
          p.batch,
          p.m,
          p.n,
          p.k,
          p.a.batch,
          p.a.row,
          p.a.col,
          p.b.batch,
          p.b.row,
          p.b.col,
          p.c.batch,
          p.c.row,
          p.c.col};
  auto [it, isNew] = state->primitives.try_emplace(key);
  if (isNew)
    it->second = state->create(p);
  Primitive *primitive = it->second.get();
  if (!primitive)
    return false;
  dnnl_memory_set_data_handle(primitive->a, const_cast<char *>(call.a));
  dnnl_memory_set_data_handle(primitive->b, const_cast<char *>(call.b));
  dnnl_memory_set_data_handle(primitive->c, call.c);
  dnnl_memory_set_data_handle(primitive->scratch, state->scratch.get());
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, primitive->a},
                                 {DNNL_ARG_WEIGHTS, primitive->b},
                                 {DNNL_ARG_DST, primitive->c},
                                 {DNNL_ARG_SCRATCHPAD, primitive->scratch}};
  status = convert(
      dnnl_primitive_execute(primitive->primitive, state->stream, 4, arguments),
      "dnnl_primitive_execute");
  if (status.ok())
    status = convert(dnnl_stream_wait(state->stream), "dnnl_stream_wait");
  return true;
}

} // namespace tpc::rt
