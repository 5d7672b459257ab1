// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding rules of constants and of the operations that create, reshape and
// cut tensors. A dim that is really cut carries no factor.

#include "LinalgBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

using Role = ShardingRule::Role;

static LogicalResult verifyStatic(Operation *op) {
  auto verify = [&](TypeRange types) -> LogicalResult {
    for (Type type : types) {
      auto shaped = dyn_cast<ShapedType>(type);
      if (shaped && (!shaped.hasRank() || !shaped.hasStaticShape()))
        return op->emitOpError("unsupported: dynamic dim in ")
               << type << ", export the model with static shapes";
    }
    return success();
  };
  return success(succeeded(verify(op->getOperandTypes())) &&
                 succeeded(verify(op->getResultTypes())));
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static unsigned addFactor(ShardingRule &rule, int64_t size) {
  rule.factors.emplace_back().size = size;
  return rule.factors.size() - 1;
}

/// One factor per dim of `shape`.
static ShardingRule::Tensor addFactors(ShardingRule &rule,
                                       ArrayRef<int64_t> shape) {
  ShardingRule::Tensor dims;
  for (int64_t size : shape)
    dims.push_back({addFactor(rule, size)});
  return dims;
}

/// All operands are read; those that are no tensors have no dims.
static ShardingRule startRule(Operation *op) {
  ShardingRule rule;
  rule.operands.resize(op->getNumOperands());
  rule.roles.assign(op->getNumOperands(), Role::Input);
  return rule;
}

/// The dims of a big and a small tensor where the small one is the part of the
/// big one at `offsets`, possibly of lower rank. Dims that are not cut share a
/// factor.
static LogicalResult
addSliceDims(Operation *op, ShardingRule &rule, ArrayRef<int64_t> shape,
             ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
             ArrayRef<OpFoldResult> strides,
             const llvm::SmallBitVector &dropped, ShardingRule::Tensor &big,
             ShardingRule::Tensor &small) {
  for (auto [d, extent] : llvm::enumerate(shape)) {
    std::optional<int64_t> size = getConstantIntValue(sizes[d]);
    std::optional<int64_t> stride = getConstantIntValue(strides[d]);
    if (!size || !stride)
      return op->emitOpError("unsupported: size or stride of dim ")
             << d << " is not a constant";
    bool whole = isConstantIntValue(offsets[d], 0) && *size == extent &&
                 *stride == 1 && !dropped.test(d);
    ShardingRule::Dim dim;
    if (whole)
      dim.push_back(addFactor(rule, extent));
    big.push_back(dim);
    if (!dropped.test(d))
      small.push_back(dim);
  }
  return success();
}

namespace {

/// Derives the interface's method from `Concrete::build`, for operations on
/// static shapes.
template <typename Concrete, typename OpTy>
struct StaticSharding : ShardingRuleOpInterface::ExternalModel<Concrete, OpTy> {
  FailureOr<ShardingRule> getShardingRule(Operation *op) const {
    if (failed(verifyStatic(op)))
      return failure();
    ShardingRule rule = startRule(op);
    if (failed(Concrete::build(cast<OpTy>(op), rule)))
      return failure();
    return rule;
  }
};

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

struct ExtractSliceSharding
    : StaticSharding<ExtractSliceSharding, tensor::ExtractSliceOp> {
  static LogicalResult build(tensor::ExtractSliceOp op, ShardingRule &rule) {
    rule.linear.push_back({0});
    return addSliceDims(op, rule, shapeOf(op.getSource()), op.getMixedOffsets(),
                        op.getMixedSizes(), op.getMixedStrides(),
                        op.getDroppedDims(), rule.operands[0],
                        rule.results.emplace_back());
  }
};

struct InsertSliceSharding
    : StaticSharding<InsertSliceSharding, tensor::InsertSliceOp> {
  static LogicalResult build(tensor::InsertSliceOp op, ShardingRule &rule) {
    if (failed(addSliceDims(op, rule, shapeOf(op.getDest()),
                            op.getMixedOffsets(), op.getMixedSizes(),
                            op.getMixedStrides(), op.getDroppedDims(),
                            rule.operands[1], rule.operands[0])))
      return failure();
    rule.results.push_back(rule.operands[1]);
    if (isKnownZero(op.getDest()))
      rule.linear.push_back({0});
    else if (isKnownZero(op.getSource()))
      rule.linear.push_back({1});
    else
      rule.linear.push_back({0, 1});
    return success();
  }
};

struct PadSharding : StaticSharding<PadSharding, tensor::PadOp> {
  static LogicalResult build(tensor::PadOp op, ShardingRule &rule) {
    Value value = op.getConstantPaddingValue();
    if (!value)
      return op->emitOpError("unsupported: padding that is not one value");
    rule.results.emplace_back();
    for (auto [d, extent] : llvm::enumerate(shapeOf(op.getSource()))) {
      ShardingRule::Dim dim;
      if (isConstantIntValue(op.getMixedLowPad()[d], 0) &&
          isConstantIntValue(op.getMixedHighPad()[d], 0))
        dim.push_back(addFactor(rule, extent));
      rule.operands[0].push_back(dim);
      rule.results[0].push_back(dim);
    }
    if (isKnownZero(value))
      rule.linear.push_back({0});
    return success();
  }
};

struct ConcatSharding : StaticSharding<ConcatSharding, tensor::ConcatOp> {
  static LogicalResult build(tensor::ConcatOp op, ShardingRule &rule) {
    ShardingRule::Tensor dims;
    for (auto [d, extent] : llvm::enumerate(shapeOf(op.getResult()))) {
      ShardingRule::Dim &dim = dims.emplace_back();
      if (d != op.getDim())
        dim.push_back(addFactor(rule, extent));
    }
    SmallVector<unsigned, 2> all;
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
      rule.operands[i] = dims;
      if (!isKnownZero(op->getOperand(i)))
        all.push_back(i);
    }
    rule.results.push_back(dims);
    if (!all.empty())
      rule.linear.push_back(std::move(all));
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
    tensor::ExtractSliceOp::attachInterface<ExtractSliceSharding>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceSharding>(*context);
    tensor::PadOp::attachInterface<PadSharding>(*context);
    tensor::ConcatOp::attachInterface<ConcatSharding>(*context);
  });
}

} // namespace tpc
