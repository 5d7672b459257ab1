// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of a call in global form, wherever their pieces lie.
#ifndef TPC_RT_SRC_RESULTS_H
#define TPC_RT_SRC_RESULTS_H

#include "tensor.h"
#include "world.h"

namespace tpc::rt {

/// Joins result `index`. In a world of several processes all take part, and
/// rank 0's gets the tensor.
Status joinResult(const Call &call, int32_t index,
                  std::unique_ptr<tpc_rt_tensor_t> &tensor);

/// Fails unless replicas of result `index` are equal bit by bit, with the first
/// two ranks and the first element that differ. All processes take part.
Status checkReplicas(const Call &call, int32_t index);

} // namespace tpc::rt

#endif // TPC_RT_SRC_RESULTS_H
