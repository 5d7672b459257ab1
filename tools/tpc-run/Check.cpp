// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides whether N ranks computed what one device computes.

#include "Check.h"
#include "Compile.h"
#include "Values.h"
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <fstream>

namespace tpc::run {

// N ranks add the same terms in another order. A sum of k terms of size s is
// then off by about sqrt(k) * s * eps, and layers add up. The measure is the
// largest value of the result, for terms that cancel leave small elements with
// the error of large ones. 256 eps covers sums of some ten thousand terms; the
// 16-bit types accumulate in f32 and round once per op, which leaves a few
// roundings. Integers must agree.
double toleranceOf(int32_t dtype) {
  switch (dtype) {
  case TPC_RT_F32:
    return 256 * static_cast<double>(FLT_EPSILON);
  case TPC_RT_F64:
    return 256 * DBL_EPSILON;
  case TPC_RT_F16:
    return 8 * std::ldexp(1.0, -10);
  case TPC_RT_BF16:
    return 4 * std::ldexp(1.0, -7);
  default:
    return 0;
  }
}

Difference compare(tpc_rt_tensor_t *got, tpc_rt_tensor_t *expected) {
  Difference difference;
  int64_t count = tpc_rt_tensor_count(expected);
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = std::abs(elementOf(expected, i));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  double limit = toleranceOf(tpc_rt_tensor_dtype(expected)) * largest;
  for (int64_t i = 0; i < count; ++i) {
    double a = elementOf(got, i);
    double b = elementOf(expected, i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double error = std::abs(a - b);
    // NaN against a number, or infinity against anything else.
    if (!std::isfinite(error))
      error = INFINITY;
    difference.absolute = std::max(difference.absolute, error);
    difference.relative = std::max(difference.relative, error / std::abs(b));
    difference.isWithin = difference.isWithin && error <= limit;
  }
  return difference;
}

static int32_t findResult(tpc_rt_module_t *module, int32_t function,
                          const char *name) {
  for (int32_t i = 0; i < tpc_rt_module_result_count(module, function); ++i) {
    tpc_rt_value_t value{};
    value.size = sizeof(value);
    check(tpc_rt_module_result(module, function, i, &value));
    if (!std::strcmp(value.name, name))
      return i;
  }
  throw failure(std::string("the reference program has no result \"") + name +
                "\"");
}

bool checkAgainstReference(tpc_rt_module_t *module, int32_t function,
                           const std::vector<Tensor> &results,
                           const Inputs &inputs, const Options &options) {
  std::string text = tpc_rt_module_reference(module);
  if (text.empty())
    throw failure("--check: the artifact carries no reference program");
  TemporaryFolder folder;
  std::string source = folder.file("reference.mlir");
  std::ofstream stream(source);
  stream << text;
  stream.close();
  if (!stream)
    throw failure("cannot write \"" + source + "\"");
  compile(source, {}, folder.file("reference.so"));
  tpc_rt_module_t *rawModule = nullptr;
  check(tpc_rt_module_load(folder.file("reference.so").c_str(), &rawModule));
  Module reference(rawModule);
  const char *name = tpc_rt_module_function_name(module, function);
  int32_t same = tpc_rt_module_find_function(rawModule, name);
  if (same < 0)
    throw failure(std::string("the reference program has no function \"") +
                  name + "\"");
  tpc_rt_world_options_t worldOptions{};
  worldOptions.size = sizeof(worldOptions);
  worldOptions.ranks = 1;
  worldOptions.deadline_seconds = options.deadline;
  tpc_rt_world_t *rawWorld = nullptr;
  check(tpc_rt_world_create(&worldOptions, &rawWorld));
  World world(rawWorld);
  tpc_rt_call_t *rawCall = nullptr;
  check(tpc_rt_call_create(rawWorld, rawModule, same, &rawCall));
  Call referenceCall(rawCall);
  inputs.set(rawCall, rawModule, same);
  check(tpc_rt_call_run(rawCall));

  bool isWithin = true;
  for (int32_t i = 0; i < tpc_rt_module_result_count(module, function); ++i) {
    tpc_rt_value_t value{};
    value.size = sizeof(value);
    check(tpc_rt_module_result(module, function, i, &value));
    const Tensor &got = results[i];
    tpc_rt_tensor_t *raw = nullptr;
    check(tpc_rt_call_get_result(
        rawCall, findResult(rawModule, same, value.name), &raw));
    Tensor expected(raw);
    if (tpc_rt_tensor_dtype(got.get()) != tpc_rt_tensor_dtype(raw) ||
        tpc_rt_tensor_count(got.get()) != tpc_rt_tensor_count(raw))
      throw failure(std::string("the reference program has another type for "
                                "result \"") +
                    value.name + "\"");
    Difference difference = compare(got.get(), expected.get());
    std::printf("check %s: largest error %.3g absolute, %.3g relative; %s "
                "(%.3g of the largest value)\n",
                value.name, difference.absolute, difference.relative,
                difference.isWithin ? "within tolerance" : "BEYOND TOLERANCE",
                toleranceOf(value.dtype));
    isWithin = isWithin && difference.isWithin;
  }
  return isWithin;
}

} // namespace tpc::run
