// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sharding rules of operations on static tensors share.
#ifndef TPC_RULES_STATICSHARDING_H
#define TPC_RULES_STATICSHARDING_H

#include "mlir/IR/BuiltinTypes.h"
#include "tpc/Interfaces/Interfaces.h"

namespace tpc {

inline mlir::LogicalResult verifyStatic(mlir::Operation *op) {
  auto verify = [&](mlir::TypeRange types) -> mlir::LogicalResult {
    for (mlir::Type type : types) {
      auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
      if (shaped && (!shaped.hasRank() || !shaped.hasStaticShape()))
        return op->emitOpError("unsupported: dynamic dim in ")
               << type << ", export the model with static shapes";
    }
    return mlir::success();
  };
  return mlir::success(mlir::succeeded(verify(op->getOperandTypes())) &&
                       mlir::succeeded(verify(op->getResultTypes())));
}

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

inline unsigned addFactor(ShardingRule &rule, int64_t size) {
  rule.factors.emplace_back().size = size;
  return rule.factors.size() - 1;
}

/// One factor per dim of `shape`.
inline ShardingRule::Tensor addFactors(ShardingRule &rule,
                                       llvm::ArrayRef<int64_t> shape) {
  ShardingRule::Tensor dims;
  for (int64_t size : shape)
    dims.push_back({addFactor(rule, size)});
  return dims;
}

/// All operands are read; those that are no tensors have no dims.
inline ShardingRule startRule(mlir::Operation *op) {
  ShardingRule rule;
  rule.operands.resize(op->getNumOperands());
  rule.roles.assign(op->getNumOperands(), ShardingRule::Role::Input);
  return rule;
}

/// Derives the interface's method from `Concrete::build`, for operations on
/// static shapes.
template <typename Concrete, typename OpTy>
struct StaticSharding : ShardingRuleOpInterface::ExternalModel<Concrete, OpTy> {
  mlir::FailureOr<ShardingRule> getShardingRule(mlir::Operation *op) const {
    if (mlir::failed(verifyStatic(op)))
      return mlir::failure();
    ShardingRule rule = startRule(op);
    if (mlir::failed(Concrete::build(mlir::cast<OpTy>(op), rule)))
      return mlir::failure();
    return rule;
  }
};

} // namespace tpc

#endif // TPC_RULES_STATICSHARDING_H
