// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways to place an operation that its sharding rule allows.
#ifndef TPC_INTERFACES_STRATEGY_H
#define TPC_INTERFACES_STRATEGY_H

#include "tpc/Interfaces/ShardingRule.h"
#include <string>

namespace tpc {

/// One way to place an operation: what it needs and what it makes.
struct Strategy {
  /// One per operand of the operation; replicated for operands that are no
  /// tensors.
  llvm::SmallVector<Placement, 3> operands;
  llvm::SmallVector<Placement, 1> results;
  /// The largest share of the operation that one rank computes: 1 when
  /// replicated, 1/4 when four ranks share it evenly.
  double share = 1;
  /// What the operation does on each axis.
  struct AxisChoice {
    enum class Kind : uint8_t { Replicate, Factor, Linear, Move } kind;
    /// Factor, Move: its number. Linear: the number of the operand set.
    unsigned index;
  };
  llvm::SmallVector<AxisChoice, 2> axes;
  /// What the operation exchanges itself when placed so.
  ShardingRule::OwnSteps ownSteps;
};

/// The orders in which axes may nest when several shard one dim.
using AxisOrders = llvm::ArrayRef<llvm::SmallVector<unsigned>>;

/// All strategies of `rule` on `mesh`, each pair of operand and result
/// placements once. Per axis of more than one rank: replicate, shard one
/// factor, pass P(sum) through one set of operands, or shard by a move.
/// `orders` holds the nestings to try, the first one preferred. Factors and
/// moves smaller than `minFactorSize` are never sharded. The number of
/// strategies is (factors + linear sets + moves + 1) ^ axes at most, times
/// orders.
llvm::SmallVector<Strategy, 0> enumerateStrategies(const ShardingRule &rule,
                                                   const Mesh &mesh,
                                                   AxisOrders orders,
                                                   int64_t minFactorSize);

/// The same with the nesting of `placed` operands and results alone: the
/// strategy that places the operation just so, or a sentence that says why
/// there is none ("axis "tp": ...").
struct PlacementMismatch {
  unsigned axis;
  std::string reason;
  /// The two tensors that disagree: operand numbers, or results counted behind
  /// the operands. The second may be -1.
  int first = -1, second = -1;
};
std::optional<PlacementMismatch>
findMismatch(const ShardingRule &rule, const Mesh &mesh,
             llvm::ArrayRef<Placement> operands,
             llvm::ArrayRef<Placement> results);

} // namespace tpc

#endif // TPC_INTERFACES_STRATEGY_H
