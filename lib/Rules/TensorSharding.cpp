// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding rules of constants and of the operations that create and reshape
// tensors.

#include "StaticSharding.h"
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

namespace {

struct ConstantSharding : StaticSharding<ConstantSharding, arith::ConstantOp> {
  static LogicalResult build(arith::ConstantOp op, ShardingRule &rule) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    rule.results.push_back(type ? addFactors(rule, type.getShape())
                                : ShardingRule::Tensor());
    // Of a constant whose elements differ every rank would need its own part.
    for (ShardingRule::Factor &factor : rule.factors)
      factor.shardable = isa<SplatElementsAttr>(op.getValue());
    return success();
  }
};

/// tensor.empty and tensor.splat.
template <typename OpTy>
struct CreationSharding : StaticSharding<CreationSharding<OpTy>, OpTy> {
  static LogicalResult build(OpTy op, ShardingRule &rule) {
    rule.results.push_back(addFactors(rule, shapeOf(op.getResult())));
    return success();
  }
};

struct CastSharding : StaticSharding<CastSharding, tensor::CastOp> {
  static LogicalResult build(tensor::CastOp op, ShardingRule &rule) {
    rule.operands[0] = addFactors(rule, shapeOf(op.getResult()));
    rule.results.push_back(rule.operands[0]);
    rule.linear.push_back({0});
    return success();
  }
};

/// expand_shape and collapse_shape. Dims of size 1 carry no factor, so that
/// they hide no dim they are joined with.
template <typename OpTy>
struct ReshapeSharding : StaticSharding<ReshapeSharding<OpTy>, OpTy> {
  static LogicalResult build(OpTy op, ShardingRule &rule) {
    constexpr bool expands = std::is_same_v<OpTy, tensor::ExpandShapeOp>;
    ArrayRef<int64_t> shape =
        shapeOf(expands ? op.getResult() : Value(op.getSrc()));
    ShardingRule::Tensor expanded(shape.size()), collapsed;
    for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
      ShardingRule::Dim &joined = collapsed.emplace_back();
      for (int64_t d : group)
        if (shape[d] != 1) {
          expanded[d] = {addFactor(rule, shape[d])};
          joined.push_back(expanded[d].front());
        }
    }
    rule.operands[0] = expands ? collapsed : expanded;
    rule.results.push_back(expands ? expanded : collapsed);
    rule.linear.push_back({0});
    // The factor of a joined dim is sharded evenly alone; else flat intervals
    // are exchanged.
    ReshapeWindow window(op);
    for (unsigned group = 0; group < window.groups.size(); ++group)
      if (std::optional<unsigned> dim = window.majorDim(group)) {
        ShardingRule::Move &move = rule.moves.emplace_back();
        move.operands.assign(op->getNumOperands(), -1);
        move.operands[0] = expands ? group : *dim;
        move.results = {int(expands ? *dim : group)};
        move.size = shape[*dim];
      }
    if (rule.moves.empty())
      return success();
    rule.ownSteps = [window](const Mesh &mesh, ArrayRef<Placement> operands,
                             ArrayRef<Placement> results)
        -> std::optional<ShardingRule::OwnSteps> {
      if (!window.isNeeded(mesh, operands[0], results[0]))
        return ShardingRule::OwnSteps();
      std::optional<Window> placed = window.place(operands[0], results[0]);
      if (!placed)
        return std::nullopt;
      return getOwnSteps(mesh, {{*placed, window.elementBytes}});
    };
    return success();
  }
};

/// A scalar for all ranks, of a tensor that all of them hold.
struct ExtractSharding : StaticSharding<ExtractSharding, tensor::ExtractOp> {
  static LogicalResult build(tensor::ExtractOp op, ShardingRule &rule) {
    for (auto [d, index] : llvm::enumerate(op.getIndices()))
      if (!getConstantIntValue(index))
        return op->emitOpError("unsupported: index of dim ")
               << d << " is not a constant; use tensor.extract_slice";
    rule.operands[0].resize(op.getTensor().getType().getRank());
    rule.results.emplace_back();
    return success();
  }
};

} // namespace

void registerTensorShardingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<ConstantSharding>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<CreationSharding<tensor::EmptyOp>>(
        *context);
    tensor::SplatOp::attachInterface<CreationSharding<tensor::SplatOp>>(
        *context);
    tensor::CastOp::attachInterface<CastSharding>(*context);
    tensor::ExpandShapeOp::attachInterface<
        ReshapeSharding<tensor::ExpandShapeOp>>(*context);
    tensor::CollapseShapeOp::attachInterface<
        ReshapeSharding<tensor::CollapseShapeOp>>(*context);
    tensor::ExtractOp::attachInterface<ExtractSharding>(*context);
  });
}

} // namespace tpc
