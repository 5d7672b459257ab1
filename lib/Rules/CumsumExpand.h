// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the shards of a cumulative sum exchange.
#ifndef TPC_RULES_CUMSUMEXPAND_H
#define TPC_RULES_CUMSUMEXPAND_H

#include "mlir/IR/BuiltinTypes.h"
#include "tpc/Interfaces/ShardingRule.h"

namespace tpc {

/// What a cumulative sum along `dim` of a tensor of `type`, placed so, does
/// itself: gather the totals of its shards. Nothing where shards are uneven.
std::optional<ShardingRule::OwnSteps>
getCumsumSteps(mlir::RankedTensorType type, unsigned dim, const Mesh &mesh,
               const Placement &placement);

} // namespace tpc

#endif // TPC_RULES_CUMSUMEXPAND_H
