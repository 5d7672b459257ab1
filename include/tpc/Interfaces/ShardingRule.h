// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the dims of an operation's operands and results move together.
#ifndef TPC_INTERFACES_SHARDINGRULE_H
#define TPC_INTERFACES_SHARDINGRULE_H

#include "tpc/Support/Placement.h"
#include "llvm/ADT/SmallVector.h"

namespace tpc {

/// The factors of an operation: independent loop dimensions that its tensors'
/// dims are made of. Everything the planner may do with the operation follows:
/// on each mesh axis it may replicate, shard one factor (tensors that carry the
/// factor are sharded there, others replicated; a sharded reduction factor
/// makes the results partial), or pass partial sums through operands it is
/// linear in.
///
/// matmul (m,k) x (k,n) + init (m,n) -> (m,n):
///   factors  m parallel, n parallel, k reduction(sum)
///   operands {{m},{k}}  {{k},{n}}  {{m},{n}} (accumulator of result 0)
///   results  {{m},{n}}
///   linear   {0}, {1}   (P(sum) through the first operand with the others
///            replicated, or through the second); where the init is not zero
///            {0,2}, {1,2}: jointly
///
/// row sum (m,k) -> (m): factors m parallel, k reduction(sum); operands
///   {{m},{k}}, {{m}}; results {{m}}; linear {0}
///
/// collapse (a,b,c) -> (a*b, c): factors a, b, c; operand {{a},{b},{c}};
///   result {{a,b},{c}}: only the major factor of a compound dim can be
///   sharded, and only evenly.
struct ShardingRule {
  struct Factor {
    int64_t size = 0;
    /// Set for a reduction: how its parts are joined.
    std::optional<Reduction> reduction;
    /// False: no axis may shard it (a slice, pad or concat works along it).
    bool shardable = true;
  };
  /// The factors of one dim, major first. Empty for a dim that takes part in
  /// no factor (broadcast dims of size 1): it is never sharded.
  using Dim = llvm::SmallVector<unsigned, 1>;
  using Tensor = llvm::SmallVector<Dim, 4>;

  llvm::SmallVector<Factor, 6> factors;
  /// One per operand of the operation; empty for operands that are no tensors.
  llvm::SmallVector<Tensor, 4> operands;
  llvm::SmallVector<Tensor, 1> results;
  /// Per operand: what it is to the operation.
  enum class Role : uint8_t {
    /// Read.
    Input,
    /// The initial value a reduction accumulates into; placed like its result,
    /// partial where the result is partial.
    Accumulator,
    /// Only its shape matters (destination of an elementwise op, tensor.empty).
    Shape
  };
  llvm::SmallVector<Role, 4> roles;
  /// Sets of operands the operation is jointly linear in, all others fixed: if
  /// these are P(sum) and the others replicated, the results are P(sum).
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 2> linear;
  /// Floating-point operations of the whole (global) operation.
  double flops = 0;
};

} // namespace tpc

#endif // TPC_INTERFACES_SHARDINGRULE_H
