// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stand-in for the runtime's attention library: attention and its gradient
// as loops, in f32, on the simulated streams.
#include "../../../runtime/cuda/attention_library.h"
#include "Number.h"
#include "Simulator.h"
#include <cmath>
#include <set>

using namespace tpc::sim;

namespace {

struct Handle {
  std::set<std::string> prepared;
};

/// More than nothing, so that a workspace is asked for and written.
constexpr int64_t kWorkspace = 512;

std::string keyOf(const tpc_rt_attention_t &desc) {
  return std::string(reinterpret_cast<const char *>(&desc), sizeof desc);
}

/// One of the eight tensors that have strides.
struct Tensor {
  char *data;
  int32_t dtype;
  const int64_t *strides;
  int64_t rows;

  int64_t offset(int64_t b, int64_t h, int64_t row, int64_t column) const {
    return b * strides[0] + h * strides[1] + row * strides[2] +
           column * strides[3];
  }
  float load(int64_t element) const {
    if (dtype == TPC_RT_F16)
      return reinterpret_cast<Float16 *>(data)[element];
    return reinterpret_cast<BFloat16 *>(data)[element];
  }
  void store(int64_t element, float value) const {
    if (dtype == TPC_RT_F16)
      reinterpret_cast<Float16 *>(data)[element] = Float16(value);
    else
      reinterpret_cast<BFloat16 *>(data)[element] = BFloat16(value);
  }
};

/// An attention with the addresses of its tensors.
struct Work {
  tpc_rt_attention_t desc;
  Tensor tensors[8];
  float *statistics;
  char *workspace;

  int64_t keysOf(int64_t query) const {
    return desc.causal ? std::min(desc.keys, query + 1) : desc.keys;
  }
  float dot(int x, int64_t xRow, int y, int64_t yRow, int64_t b,
            int64_t h) const {
    float sum = 0;
    for (int64_t d = 0; d < desc.features; ++d)
      sum += tensors[x].load(tensors[x].offset(b, h, xRow, d)) *
             tensors[y].load(tensors[y].offset(b, h, yRow, d));
    return sum;
  }
  float score(int64_t b, int64_t h, int64_t query, int64_t key) const {
    return static_cast<float>(desc.scale) * dot(0, query, 1, key, b, h);
  }
  bool access(const ActorPtr &actor) const;
  void forward(int64_t b, int64_t h) const;
  void gradient(int64_t b, int64_t h) const;
};

/// From the first to the last element of every head.
bool Work::access(const ActorPtr &actor) const {
  Memory &memory = Simulator::get().memory;
  bool ok = true;
  for (int number = 0; number < (desc.gradient ? 8 : 4); ++number) {
    const Tensor &tensor = tensors[number];
    bool isWritten = desc.gradient ? number >= 5 : number == 3;
    for (int64_t b = 0; b < desc.batch; ++b)
      for (int64_t h = 0; h < desc.heads; ++h)
        for (int64_t row = 0; row < tensor.rows; ++row)
          ok &= memory.access(
              actor, tensor.data + 2 * tensor.offset(b, h, row, 0),
              2 * desc.features, isWritten ? TPC_SIM_WRITE : TPC_SIM_READ);
  }
  ok &= memory.access(actor, statistics,
                      4 * desc.batch * desc.heads * desc.queries,
                      desc.gradient ? TPC_SIM_READ : TPC_SIM_WRITE);
  ok &= memory.access(actor, workspace, kWorkspace, TPC_SIM_WRITE);
  return ok;
}

void Work::forward(int64_t b, int64_t h) const {
  std::vector<float> row(desc.keys);
  for (int64_t query = 0; query < desc.queries; ++query) {
    int64_t keys = keysOf(query);
    float largest = -INFINITY, sum = 0;
    for (int64_t key = 0; key < keys; ++key)
      largest = std::fmax(largest, row[key] = score(b, h, query, key));
    for (int64_t key = 0; key < keys; ++key)
      sum += row[key] = std::exp(row[key] - largest);
    for (int64_t d = 0; d < desc.features; ++d) {
      float value = 0;
      for (int64_t key = 0; key < keys; ++key)
        value += row[key] * tensors[2].load(tensors[2].offset(b, h, key, d));
      tensors[3].store(tensors[3].offset(b, h, query, d), value / sum);
    }
    statistics[(b * desc.heads + h) * desc.queries + query] =
        largest + std::log(sum);
  }
}

void Work::gradient(int64_t b, int64_t h) const {
  int64_t features = desc.features;
  std::vector<float> dq(desc.queries * features), dk(desc.keys * features),
      dv(desc.keys * features);
  for (int64_t query = 0; query < desc.queries; ++query) {
    float whole = statistics[(b * desc.heads + h) * desc.queries + query];
    float joined = dot(3, query, 4, query, b, h);
    for (int64_t key = 0; key < keysOf(query); ++key) {
      float probability = std::exp(score(b, h, query, key) - whole);
      float dscore = probability * (dot(4, query, 2, key, b, h) - joined) *
                     static_cast<float>(desc.scale);
      for (int64_t d = 0; d < features; ++d) {
        auto at = [&](int number, int64_t row) {
          return tensors[number].load(tensors[number].offset(b, h, row, d));
        };
        dq[query * features + d] += dscore * at(1, key);
        dk[key * features + d] += dscore * at(0, query);
        dv[key * features + d] += probability * at(4, query);
      }
    }
  }
  auto write = [&](int number, const std::vector<float> &values) {
    const Tensor &tensor = tensors[number];
    for (int64_t row = 0; row < tensor.rows; ++row)
      for (int64_t d = 0; d < features; ++d)
        tensor.store(tensor.offset(b, h, row, d), values[row * features + d]);
  };
  write(5, dq);
  write(6, dk);
  write(7, dv);
}

const char *create(void **handle) {
  Call call("tpc_rt_attention create");
  if (call.refused())
    return "there is no context";
  *handle = new Handle;
  return nullptr;
}

void destroy(void *handle) { delete static_cast<Handle *>(handle); }

const char *prepare(void *handle, const tpc_rt_attention_t *desc,
                    int64_t *workspace) {
  auto *state = static_cast<Handle *>(handle);
  *workspace = kWorkspace;
  if (state->prepared.count(keyOf(*desc)))
    return nullptr;
  Call call("tpc_rt_attention prepare");
  if (call.breaksCapture())
    return "an attention is prepared while a graph is recorded";
  state->prepared.insert(keyOf(*desc));
  return nullptr;
}

const char *run(void *handle, const tpc_rt_attention_t *desc,
                const void *const *inputs, void *const *outputs,
                void *workspace, void *stream) {
  Call call("tpc_rt_attention run");
  if (call.refused())
    return "there is no context";
  StreamPtr target = call.stream(static_cast<CUstream>(stream));
  if (!target)
    return "there is no such stream";
  if (!static_cast<Handle *>(handle)->prepared.count(keyOf(*desc))) {
    call.found("is given an attention that was not prepared");
    return "an attention that was not prepared";
  }
  Work work{};
  work.desc = *desc;
  work.workspace = static_cast<char *>(workspace);
  // As the strides are numbered: q, k, v, o, do, dq, dk, dv.
  const void *pointers[8] = {inputs[0], inputs[1], inputs[2]};
  if (desc->gradient) {
    const void *rest[5] = {inputs[3], inputs[5], outputs[0], outputs[1],
                           outputs[2]};
    std::copy(rest, rest + 5, pointers + 3);
    work.statistics = static_cast<float *>(const_cast<void *>(inputs[4]));
  } else {
    pointers[3] = outputs[0];
    work.statistics = static_cast<float *>(outputs[1]);
  }
  for (int number = 0; number < 8; ++number) {
    bool hasKeys = number == 1 || number == 2 || number >= 6;
    work.tensors[number] = {
        static_cast<char *>(const_cast<void *>(pointers[number])), desc->dtype,
        nullptr, hasKeys ? desc->keys : desc->queries};
  }
  call.with("gradient", int64_t(desc->gradient));
  call.enqueue(target, "attention", once([work](const ActorPtr &actor) {
                 // The description moves with the work.
                 Work own = work;
                 for (int number = 0; number < 8; ++number)
                   own.tensors[number].strides = own.desc.strides[number];
                 if (!own.access(actor))
                   return;
                 for (int64_t b = 0; b < own.desc.batch; ++b)
                   for (int64_t h = 0; h < own.desc.heads; ++h)
                     own.desc.gradient ? own.gradient(b, h) : own.forward(b, h);
               }));
  return nullptr;
}

} // namespace

extern "C" const tpc_rt_attention_library_t *tpc_rt_attention_library(void) {
  static const tpc_rt_attention_library_t library = {
      TPC_RT_ATTENTION_VERSION, create, destroy, prepare, run};
  return &library;
}
