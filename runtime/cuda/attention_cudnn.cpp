// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient as graphs of cuDNN's SDPA operations, one plan per
// description.

#include "attention_library.h"
#include <cstring>
#include <cudnn_frontend.h>
#include <map>

namespace {

namespace fe = cudnn_frontend;
using fe::graph::Tensor_attributes;
using Tensor = std::shared_ptr<Tensor_attributes>;

thread_local std::string message;

const char *failed(const std::string &text) {
  message = text;
  return message.c_str();
}

const char *failed(const char *call, fe::error_t error) {
  return failed(std::string("cuDNN: ") + call + ": " + error.get_message());
}

/// Tensors of a description, by the numbers of its strides, and the statistics.
enum Number : int64_t { Q, K, V, O, DO, DQ, DK, DV, Statistics };

struct Plan {
  fe::graph::Graph graph;
  int64_t workspace = 0;
};

struct Handle {
  cudnnHandle_t cudnn = nullptr;
  std::map<std::string, std::unique_ptr<Plan>> plans;
};

std::vector<int64_t> shapeOf(const tpc_rt_attention_t &desc, Number number) {
  bool hasKeys = number == K || number == V || number == DK || number == DV;
  return {desc.batch, desc.heads, hasKeys ? desc.keys : desc.queries,
          desc.features};
}

/// A dim of one element may have any stride; cuDNN wants none to be 0.
std::vector<int64_t> stridesOf(const tpc_rt_attention_t &desc, Number number) {
  std::vector<int64_t> shape = shapeOf(desc, number);
  std::vector<int64_t> strides(desc.strides[number], desc.strides[number] + 4);
  int64_t size = 1;
  for (int dim = 0; dim < 4; ++dim)
    size *= shape[dim];
  for (int dim = 0; dim < 4; ++dim)
    if (strides[dim] == 0)
      strides[dim] = size;
  return strides;
}

Tensor input(fe::graph::Graph &graph, const tpc_rt_attention_t &desc,
             Number number) {
  return graph.tensor(Tensor_attributes()
                          .set_uid(number + 1)
                          .set_dim(shapeOf(desc, number))
                          .set_stride(stridesOf(desc, number)));
}

void output(const Tensor &tensor, const tpc_rt_attention_t &desc,
            Number number) {
  tensor->set_output(true)
      .set_uid(number + 1)
      .set_dim(shapeOf(desc, number))
      .set_stride(stridesOf(desc, number));
}

std::vector<int64_t> statisticsShape(const tpc_rt_attention_t &desc) {
  return {desc.batch, desc.heads, desc.queries, 1};
}

std::vector<int64_t> statisticsStrides(const tpc_rt_attention_t &desc) {
  return {desc.heads * desc.queries, desc.queries, 1, 1};
}

void addForward(fe::graph::Graph &graph, const tpc_rt_attention_t &desc) {
  auto attributes = fe::graph::SDPA_attributes()
                        .set_name("attention")
                        .set_generate_stats(true)
                        .set_attn_scale(static_cast<float>(desc.scale));
  if (desc.causal)
    attributes.set_causal_mask(true);
  auto [result, statistics] =
      graph.sdpa(input(graph, desc, Q), input(graph, desc, K),
                 input(graph, desc, V), attributes);
  output(result, desc, O);
  statistics->set_output(true)
      .set_uid(Statistics + 1)
      .set_data_type(fe::DataType_t::FLOAT)
      .set_dim(statisticsShape(desc))
      .set_stride(statisticsStrides(desc));
}

void addGradient(fe::graph::Graph &graph, const tpc_rt_attention_t &desc,
                 bool isDeterministic) {
  auto attributes = fe::graph::SDPA_backward_attributes()
                        .set_name("attention_gradient")
                        .set_deterministic_algorithm(isDeterministic)
                        .set_attn_scale(static_cast<float>(desc.scale));
  if (desc.causal)
    attributes.set_causal_mask(true);
  Tensor statistics = graph.tensor(Tensor_attributes()
                                       .set_uid(Statistics + 1)
                                       .set_data_type(fe::DataType_t::FLOAT)
                                       .set_dim(statisticsShape(desc))
                                       .set_stride(statisticsStrides(desc)));
  auto [dq, dk, dv] = graph.sdpa_backward(
      input(graph, desc, Q), input(graph, desc, K), input(graph, desc, V),
      input(graph, desc, O), input(graph, desc, DO), statistics, attributes);
  output(dq, desc, DQ);
  output(dk, desc, DK);
  output(dv, desc, DV);
}

std::string keyOf(const tpc_rt_attention_t &desc) {
  return std::string(reinterpret_cast<const char *>(&desc), sizeof(desc));
}

const char *create(void **handle) {
  auto fresh = std::make_unique<Handle>();
  cudnnStatus_t status = cudnnCreate(&fresh->cudnn);
  if (status != CUDNN_STATUS_SUCCESS)
    return failed(std::string("cuDNN: cudnnCreate: ") +
                  cudnnGetErrorString(status));
  *handle = fresh.release();
  return nullptr;
}

void destroy(void *handle) {
  auto *state = static_cast<Handle *>(handle);
  state->plans.clear();
  cudnnDestroy(state->cudnn);
  delete state;
}

/// Sets up `fresh` and leaves the reason where that fails.
fe::error_t build(Plan &fresh, cudnnHandle_t cudnn,
                  const tpc_rt_attention_t &desc, bool isDeterministic) {
  fresh.graph
      .set_io_data_type(desc.dtype == TPC_RT_F16 ? fe::DataType_t::HALF
                                                 : fe::DataType_t::BFLOAT16)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  if (desc.gradient)
    addGradient(fresh.graph, desc, isDeterministic);
  else
    addForward(fresh.graph, desc);
  return fresh.graph.build(cudnn, {fe::HeurMode_t::A});
}

const char *prepareOrThrow(void *handle, const tpc_rt_attention_t *desc,
                           int64_t *workspace) {
  auto *state = static_cast<Handle *>(handle);
  std::unique_ptr<Plan> &plan = state->plans[keyOf(*desc)];
  if (!plan) {
    auto fresh = std::make_unique<Plan>();
    // The same bits on every run, where cuDNN can do that on this GPU.
    fe::error_t error = build(*fresh, state->cudnn, *desc, true);
    if (error.is_bad() && desc->gradient) {
      fresh = std::make_unique<Plan>();
      error = build(*fresh, state->cudnn, *desc, false);
    }
    if (error.is_bad())
      return failed("build", error);
    if (fe::error_t error = fresh->graph.get_workspace_size(fresh->workspace);
        error.is_bad())
      return failed("get_workspace_size", error);
    plan = std::move(fresh);
  }
  *workspace = plan->workspace;
  return nullptr;
}

const char *prepare(void *handle, const tpc_rt_attention_t *desc,
                    int64_t *workspace) {
  try {
    return prepareOrThrow(handle, desc, workspace);
  } catch (const std::exception &error) {
    return failed(std::string("cuDNN: ") + error.what());
  }
}

const char *runOrThrow(void *handle, const tpc_rt_attention_t *desc,
                       const void *const *inputs, void *const *outputs,
                       void *workspace, void *stream) {
  auto *state = static_cast<Handle *>(handle);
  auto found = state->plans.find(keyOf(*desc));
  if (found == state->plans.end() || !found->second)
    return failed("cuDNN: an attention that was not prepared");
  std::unordered_map<int64_t, void *> tensors;
  auto bind = [&](Number number, const void *pointer) {
    tensors[number + 1] = const_cast<void *>(pointer);
  };
  bind(Q, inputs[0]);
  bind(K, inputs[1]);
  bind(V, inputs[2]);
  if (desc->gradient) {
    bind(O, inputs[3]);
    bind(Statistics, inputs[4]);
    bind(DO, inputs[5]);
    bind(DQ, outputs[0]);
    bind(DK, outputs[1]);
    bind(DV, outputs[2]);
  } else {
    bind(O, outputs[0]);
    bind(Statistics, outputs[1]);
  }
  cudnnStatus_t status =
      cudnnSetStream(state->cudnn, static_cast<cudaStream_t>(stream));
  if (status != CUDNN_STATUS_SUCCESS)
    return failed(std::string("cuDNN: cudnnSetStream: ") +
                  cudnnGetErrorString(status));
  if (fe::error_t error =
          found->second->graph.execute(state->cudnn, tensors, workspace);
      error.is_bad())
    return failed("execute", error);
  return nullptr;
}

const char *run(void *handle, const tpc_rt_attention_t *desc,
                const void *const *inputs, void *const *outputs,
                void *workspace, void *stream) {
  try {
    return runOrThrow(handle, desc, inputs, outputs, workspace, stream);
  } catch (const std::exception &error) {
    return failed(std::string("cuDNN: ") + error.what());
  }
}

} // namespace

const tpc_rt_attention_library_t *tpc_rt_attention_library(void) {
  static const tpc_rt_attention_library_t library = {
      TPC_RT_ATTENTION_VERSION, create, destroy, prepare, run};
  return &library;
}
