// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares results with the one-device program.
#ifndef TPC_RUN_CHECK_H
#define TPC_RUN_CHECK_H

#include "Handles.h"
#include "Inputs.h"

namespace tpc::run {

/// How far two tensors are apart.
struct Difference {
  double absolute = 0;
  double relative = 0;
  bool isWithin = true;
};

/// The share of the largest value of a result by which an element of `dtype`
/// may differ; 0 for integers.
double toleranceOf(int32_t dtype);

Difference compare(tpc_rt_tensor_t *got, tpc_rt_tensor_t *expected);

/// Compiles and runs the artifact's reference on one rank with the same inputs,
/// compares `results`, and prints a line for each. Returns false if any is
/// beyond tolerance.
bool checkAgainstReference(tpc_rt_module_t *module, int32_t function,
                           const std::vector<Tensor> &results,
                           const Inputs &inputs, const Options &options);

} // namespace tpc::run

#endif // TPC_RUN_CHECK_H
