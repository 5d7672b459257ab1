// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plan problems of whole models, forward and backward, as the compiler makes
// them: ops as index expressions, strategies per mesh axis, costs in
// picoseconds of a machine like an H100 node.
#ifndef TPC_TEST_UNIT_SOLVER_PROGRAMS_H
#define TPC_TEST_UNIT_SOLVER_PROGRAMS_H

#include "tpc/Support/PlanSolver.h"

namespace tpc::test {

/// `blocks` blocks of matmul, activation, matmul, with their backward pass.
/// Weights are pinned to column and row shards on the last axis, the input to
/// batch shards on the first of two axes; activations are free.
PlanProblem makeMlpChain(int blocks, std::vector<int> mesh,
                         Objective objective = Objective::Time);

/// `layers` layers of a Llama-style transformer with their backward pass.
/// Weights are pinned as Megatron has them on the last axis, and as FSDP has
/// them on the first of two; input and output are sharded over batch and
/// sequence.
PlanProblem makeTransformer(int layers, std::vector<int> mesh,
                            Objective objective = Objective::Time);

} // namespace tpc::test

#endif // TPC_TEST_UNIT_SOLVER_PROGRAMS_H
