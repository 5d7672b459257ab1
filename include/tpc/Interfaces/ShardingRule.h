// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the dims of an operation's operands and results move together.
#ifndef TPC_INTERFACES_SHARDINGRULE_H
#define TPC_INTERFACES_SHARDINGRULE_H

#include "tpc/Support/Transition.h"
#include <functional>

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
///
/// rows 1.. of x (n,c) -> (n-1,c): factor c; a move shards n and n-1 each by
///   its own chunks: the operation fetches the row that a rank lacks, and
///   `ownSteps` says what that costs
struct ShardingRule {
  struct Factor {
    int64_t size = 0;
    /// Set for a reduction: how its parts are joined.
    std::optional<Reduction> reduction;
    /// False: no axis may shard it.
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
  /// A way to shard the operation along an axis that no factor describes: the
  /// tensors named are sharded by chunks of their own sizes, and the operation
  /// moves between ranks what does not lie where it is needed.
  struct Move {
    /// Per operand and per result: the dim that is sharded, or -1: replicated.
    llvm::SmallVector<int, 4> operands;
    llvm::SmallVector<int, 1> results;
    /// Results without a sharded dim, and the destinations tied to them, are
    /// P(sum): every rank has its part, the others hold zero there.
    bool partial = false;
    /// Extent that the ranks share the work along.
    int64_t size = 0;
  };
  llvm::SmallVector<Move, 0> moves;
  /// One exchange between ranks that the operation does itself.
  struct OwnStep {
    StepKind kind;
    /// In mesh order.
    llvm::SmallVector<unsigned, 4> axes;
    /// Of the rank for which it is most.
    StepBytes bytes;
    /// Latencies it pays.
    int64_t starts = 1;
  };
  using OwnSteps = llvm::SmallVector<OwnStep, 1>;
  /// What the operation exchanges itself under placements of its operands and
  /// results that factors, linear sets and moves allow; nothing when it cannot
  /// be done under these. Not set: it never exchanges anything.
  std::function<std::optional<OwnSteps>(const Mesh &,
                                        llvm::ArrayRef<Placement> operands,
                                        llvm::ArrayRef<Placement> results)>
      ownSteps;
  /// Floating-point operations of the whole (global) operation.
  double flops = 0;
};

} // namespace tpc

#endif // TPC_INTERFACES_SHARDINGRULE_H
