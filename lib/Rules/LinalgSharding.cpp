// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding rules of structured operations, derived from their indexing maps.
//
// Every loop is a factor. A tensor dim read through a plain loop index carries
// that factor; a dim read through a constant carries none; a dim read through
// a composite expression (the window of a convolution) carries none and makes
// its loops unshardable as factors: they have moves (LinalgHalo.h). One
// implementation serves linalg.generic and all named operations.

#include "LinalgBody.h"
#include "LinalgHalo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

using Role = ShardingRule::Role;

/// Fails on what the maps do not show: dynamic shapes, buffers, and bodies
/// that read tensors at computed places.
static LogicalResult verifySupported(linalg::LinalgOp op) {
  for (Type type : op->getOperandTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (isa<ShapedType>(type) && !tensor)
      return op->emitOpError("unsupported: operand of type ")
             << type << ", expected a ranked tensor";
    if (tensor && !tensor.hasStaticShape())
      return op->emitOpError("unsupported: dynamic dim in ")
             << type << ", export the model with static shapes";
  }
  WalkResult result = op.getBlock()->walk([&](Operation *inner) {
    if (isa<linalg::YieldOp, linalg::IndexOp>(inner) ||
        isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            inner->getDialect()))
      return WalkResult::advance();
    inner->emitOpError("unsupported: no rule for '")
        << inner->getName() << "' in the body of '" << op->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The factors of the dims of the tensor read through `map`. Loops that `map`
/// ties together are marked unshardable.
static ShardingRule::Tensor
getDims(AffineMap map, SmallVectorImpl<ShardingRule::Factor> &factors) {
  ShardingRule::Tensor dims;
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    ShardingRule::Dim dim;
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      dim.push_back(loop.getPosition());
      // A diagonal: one axis cannot shard two dims.
      if (seen.test(loop.getPosition()))
        factors[loop.getPosition()].shardable = false;
      seen.set(loop.getPosition());
    } else {
      for (unsigned i = 0, e = map.getNumDims(); i < e; ++i)
        if (expr.isFunctionOfDim(i))
          factors[i].shardable = false;
    }
    dims.push_back(std::move(dim));
  }
  return dims;
}

/// Sets the reduction of each reduction loop. A loop is unshardable when a
/// combiner is not understood or the results do not agree on it, and when a
/// result is written once per iteration of a parallel loop it does not carry.
static void setReductions(linalg::LinalgOp op, ShardingRule &rule) {
  std::optional<Reduction> combiner;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    std::optional<Reduction> own = matchCombiner(op, i);
    combiner = i == 0 || combiner == own ? own : std::nullopt;
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    ShardingRule::Factor &factor = rule.factors[loop];
    bool inEveryResult = true, inSomeResult = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      bool carries = op.getMatchingIndexingMap(&init).isFunctionOfDim(loop);
      inEveryResult &= carries;
      inSomeResult |= carries;
    }
    if (iterator != utils::IteratorType::reduction) {
      factor.shardable &= inEveryResult;
      continue;
    }
    if (combiner && !inSomeResult)
      factor.reduction = combiner;
    else
      factor.shardable = false;
  }
}

static Role getRole(linalg::LinalgOp op, OpOperand &operand) {
  if (op.isDpsInput(&operand))
    return Role::Input;
  if (!op.payloadUsesValueFromOperand(&operand))
    return Role::Shape;
  return op.getNumReductionLoops() ? Role::Accumulator : Role::Input;
}

namespace {
template <typename OpTy>
struct StructuredSharding
    : ShardingRuleOpInterface::ExternalModel<StructuredSharding<OpTy>, OpTy> {
  FailureOr<ShardingRule> getShardingRule(Operation *operation) const {
    auto op = cast<linalg::LinalgOp>(operation);
    if (failed(verifySupported(op)))
      return failure();
    ShardingRule rule;
    rule.flops = countBodyFlops(op);
    for (int64_t size : op.getStaticLoopRanges()) {
      rule.factors.emplace_back().size = size;
      rule.flops *= size;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      rule.roles.push_back(getRole(op, operand));
      rule.operands.push_back(
          getDims(op.getMatchingIndexingMap(&operand), rule.factors));
    }
    for (unsigned i = 0, e = op->getNumResults(); i < e; ++i)
      rule.results.push_back(
          rule.operands[op.getDpsInitOperand(i)->getOperandNumber()]);
    setReductions(op, rule);
    rule.linear = findLinearOperands(op);
    addHaloMoves(op, rule);
    return rule;
  }
};

template <typename... Ops> void attachToAll(MLIRContext *context) {
  (Ops::template attachInterface<StructuredSharding<Ops>>(*context), ...);
}
} // namespace

void registerLinalgShardingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachToAll<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}

} // namespace tpc
