// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding rules of the tp dialect's operations on tensors.
//
// Of a gather or scatter every loop is a factor, and so is every dim at an
// index. A gather reads zero outside a rank's chunk, so of its source such a
// dim is a reduction (sum): the vocabulary of an embedding. Each rank of a
// scatter adds what falls into its chunk, so such a dim is parallel there, and
// a loop that is no dim of the result is the reduction. A cumulative sum may be
// sharded along its dim and then exchanges the totals of its shards itself.

#include "CumsumExpand.h"
#include "LinalgBody.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

using Role = ShardingRule::Role;

/// One factor per loop, then one per index.
static void addFactors(tp::IndexedOpInterface op, ShardingRule &rule) {
  auto elements = cast<RankedTensorType>(op.getElements().getType());
  rule.flops = 1;
  for (int64_t size : elements.getShape()) {
    rule.factors.emplace_back().size = size;
    rule.flops *= size;
  }
  rule.factors.resize(elements.getRank() + op.getIndices().size());
  auto indexed = cast<RankedTensorType>(op.getIndexed().getType());
  for (auto [dim, expr] : llvm::enumerate(op.getIndexedMap().getResults()))
    if (auto index = dyn_cast<AffineSymbolExpr>(expr))
      rule.factors[elements.getRank() + index.getPosition()].size =
          indexed.getDimSize(dim);
}

static ShardingRule::Tensor getDims(AffineMap map) {
  ShardingRule::Tensor dims;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    dims.push_back(
        {loop ? loop.getPosition()
              : map.getNumDims() + cast<AffineSymbolExpr>(expr).getPosition()});
  }
  return dims;
}

static void addIndices(tp::IndexedOpInterface op, ShardingRule &rule) {
  for (unsigned i = 0, e = op.getIndices().size(); i < e; ++i) {
    rule.operands.push_back(getDims(op.getIndexMap(i)));
    rule.roles.push_back(Role::Input);
  }
}

namespace {
struct GatherSharding
    : ShardingRuleOpInterface::ExternalModel<GatherSharding, tp::GatherOp> {
  FailureOr<ShardingRule> getShardingRule(Operation *raw) const {
    auto op = cast<tp::GatherOp>(raw);
    unsigned numLoops = op.getType().getRank();
    bool isBoolean = op.getType().getElementType().isInteger(1);
    ShardingRule rule;
    addFactors(op, rule);
    for (unsigned f = numLoops; f < rule.factors.size(); ++f)
      rule.factors[f].reduction = isBoolean ? Reduction::Or : Reduction::Sum;
    rule.operands.push_back(getDims(op.getIndexedMap()));
    rule.roles.push_back(Role::Input);
    addIndices(op, rule);
    rule.results.push_back(
        getDims(AffineMap::getMultiDimIdentityMap(numLoops, op.getContext())));
    if (!isBoolean)
      rule.linear.push_back({0});
    return rule;
  }
};

struct ScatterSharding
    : ShardingRuleOpInterface::ExternalModel<ScatterSharding, tp::ScatterOp> {
  FailureOr<ShardingRule> getShardingRule(Operation *raw) const {
    auto op = cast<tp::ScatterOp>(raw);
    unsigned numLoops = op.getUpdates().getType().getRank();
    ShardingRule rule;
    addFactors(op, rule);
    for (unsigned loop = 0; loop < numLoops; ++loop)
      if (!op.getIndexedMap().isFunctionOfDim(loop))
        rule.factors[loop].reduction = Reduction::Sum;
    rule.operands.push_back(
        getDims(AffineMap::getMultiDimIdentityMap(numLoops, op.getContext())));
    rule.operands.push_back(getDims(op.getIndexedMap()));
    rule.roles = {Role::Input, Role::Accumulator};
    addIndices(op, rule);
    rule.results.push_back(rule.operands[1]);
    rule.linear.push_back({0});
    if (!isKnownZero(op.getInit()))
      rule.linear.back().push_back(1);
    return rule;
  }
};

struct CumsumSharding
    : ShardingRuleOpInterface::ExternalModel<CumsumSharding, tp::CumsumOp> {
  FailureOr<ShardingRule> getShardingRule(Operation *raw) const {
    auto op = cast<tp::CumsumOp>(raw);
    RankedTensorType type = op.getInput().getType();
    ShardingRule rule;
    rule.flops = 1;
    for (int64_t size : type.getShape()) {
      rule.factors.emplace_back().size = size;
      rule.flops *= size;
    }
    rule.operands.push_back(getDims(
        AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext())));
    rule.results = {rule.operands[0]};
    rule.roles = {Role::Input};
    rule.linear.push_back({0});
    rule.ownSteps = [type, dim = op.getDim()](const Mesh &mesh,
                                              ArrayRef<Placement> operands,
                                              ArrayRef<Placement>) {
      return getCumsumSteps(type, dim, mesh, operands[0]);
    };
    return rule;
  }
};
} // namespace

void registerTPShardingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tp::TPDialect *) {
    tp::GatherOp::attachInterface<GatherSharding>(*context);
    tp::ScatterOp::attachInterface<ScatterSharding>(*context);
    tp::CumsumOp::attachInterface<CumsumSharding>(*context);
  });
}

} // namespace tpc
