// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatters of one element into each slice of a fill.
#include "Lookups.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc::lower {

namespace {

/// The expanded result of a scatter into a fill is a scatter of its own.
struct ExpandOfScatter : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto scatter = expand.getSrc().getDefiningOp<tp::ScatterOp>();
    auto fill = scatter ? scatter.getInit().getDefiningOp<linalg::FillOp>()
                        : linalg::FillOp();
    if (!fill || scatter->getBlock() != expand->getBlock())
      return failure();
    std::optional<SplitLoops> loops = SplitLoops::match(
        scatter, expand.getReassociationIndices(), expand.getResultType());
    if (!loops)
      return failure();
    Location loc = scatter.getLoc();
    rewriter.setInsertionPoint(scatter);
    RankedTensorType updates = scatter.getUpdates().getType(),
                     type = expand.getResultType();
    SmallVector<AffineMap> maps;
    SmallVector<Value> indices = loops->splitIndices(scatter, maps, rewriter);
    Value wideUpdates = loops->split(
        scatter.getUpdates(),
        rewriter.getMultiDimIdentityMap(updates.getRank()), rewriter);
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    Value init =
        linalg::FillOp::create(rewriter, loc, fill.value(), empty).getResult(0);
    auto result =
        tp::ScatterOp::create(rewriter, loc, type, wideUpdates, init, indices,
                              rewriter.getAffineMapArrayAttr(maps));
    result->setDiscardableAttrs(scatter->getDiscardableAttrDictionary());
    rewriter.replaceOp(expand, result);
    return success();
  }
};

/// Of a scatter into a fill that adds one element to each slice: per loop of
/// the updates the dim of the result that it is, or 0 if it has one iteration,
/// and per index the dim that it is for.
struct SparseSlices {
  Value fill;
  SmallVector<AffineExpr> dimOf;
  SmallVector<unsigned> dimOfIndex;

  /// None where several updates may fall into one slice.
  static std::optional<SparseSlices> match(tp::ScatterOp scatter);
  /// A map over loops of the updates, over the dims of the result.
  AffineMap overDims(AffineMap map, unsigned rank) const {
    SmallVector<AffineExpr> place;
    for (AffineExpr expr : map.getResults())
      place.push_back(dimOf[cast<AffineDimExpr>(expr).getPosition()]);
    return AffineMap::get(rank, 0, place, map.getContext());
  }
};

std::optional<SparseSlices> SparseSlices::match(tp::ScatterOp scatter) {
  auto fill = scatter.getInit().getDefiningOp<linalg::FillOp>();
  RankedTensorType updates = scatter.getUpdates().getType();
  if (!fill || updates.getElementType().isInteger(1))
    return std::nullopt;
  MLIRContext *context = scatter.getContext();
  SparseSlices slices;
  slices.fill = fill.value();
  slices.dimOf.assign(updates.getRank(), getAffineConstantExpr(0, context));
  slices.dimOfIndex.resize(scatter.getIndices().size());
  for (auto [dim, expr] :
       llvm::enumerate(scatter.getIndexedMap().getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      slices.dimOf[loop.getPosition()] = getAffineDimExpr(dim, context);
    if (auto index = dyn_cast<AffineSymbolExpr>(expr))
      slices.dimOfIndex[index.getPosition()] = dim;
  }
  for (unsigned loop = 0; loop < slices.dimOf.size(); ++loop)
    if (isa<AffineConstantExpr>(slices.dimOf[loop]) &&
        updates.getDimSize(loop) != 1)
      return std::nullopt;
  return slices;
}

/// The sum of such a scatter's result over the dims that are indices is the sum
/// of what was added.
struct SumOfScatter : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp sum,
                                PatternRewriter &rewriter) const override {
    if (sum.getNumDpsInputs() != 1 || sum.getNumResults() != 1)
      return failure();
    auto scatter = sum.getInputs()[0].getDefiningOp<tp::ScatterOp>();
    std::optional<SparseSlices> slices;
    if (scatter && scatter->getBlock() == sum->getBlock())
      slices = SparseSlices::match(scatter);
    if (!slices || !matchPattern(slices->fill, m_AnyZeroFloat()) ||
        !sum.getIndexingMapsArray()[0].isIdentity())
      return failure();
    AffineMap out = sum.getIndexingMapsArray()[1];
    if (!out.isProjectedPermutation())
      return failure();
    for (unsigned dim = 0; dim < sum.getNumLoops(); ++dim)
      if (out.isFunctionOfDim(dim) ==
          llvm::is_contained(slices->dimOfIndex, dim))
        return failure();
    // out + x or out + -x.
    Block *body = sum.getBody();
    Value x = body->getArgument(0), before = body->getArgument(1);
    auto add =
        body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
    if (!add || (add.getLhs() != before && add.getRhs() != before))
      return failure();
    Value added = add.getLhs() == before ? add.getRhs() : add.getLhs();
    auto negated = added.getDefiningOp<arith::NegFOp>();
    if (added != x && !(negated && negated.getOperand() == x))
      return failure();

    // Over the loops of the sum's result, which are loops of the updates too.
    unsigned rank = out.getNumResults();
    SmallVector<AffineExpr> loopOf(sum.getNumLoops(),
                                   getAffineConstantExpr(0, getContext()));
    for (auto [position, expr] : llvm::enumerate(out.getResults()))
      loopOf[cast<AffineDimExpr>(expr).getPosition()] =
          getAffineDimExpr(position, getContext());
    auto overLoops = [&](AffineMap map) {
      return slices->overDims(map, sum.getNumLoops())
          .replaceDimsAndSymbols(loopOf, {}, rank, 0);
    };
    SmallVector<Value> inputs = {scatter.getUpdates()};
    SmallVector<AffineMap> maps = {overLoops(rewriter.getMultiDimIdentityMap(
        scatter.getUpdates().getType().getRank()))};
    for (auto [number, index] : llvm::enumerate(scatter.getIndices())) {
      inputs.push_back(index);
      maps.push_back(overLoops(scatter.getIndexMap(number)));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    auto bodyOf = [&](OpBuilder &builder, Location loc, ValueRange args) {
      Value value = args[0];
      if (negated)
        value = arith::NegFOp::create(builder, loc, value);
      Value result = arith::AddFOp::create(builder, loc, args.back(), value);
      for (auto [number, dim] : llvm::enumerate(slices->dimOfIndex))
        result =
            arith::SelectOp::create(builder, loc,
                                    isWithin(builder, loc, args[1 + number],
                                             scatter.getType().getDimSize(dim)),
                                    result, args.back());
      linalg::YieldOp::create(builder, loc, result);
    };
    auto direct = linalg::GenericOp::create(
        rewriter, sum.getLoc(), sum.getResult(0).getType(), inputs,
        sum.getOutputs()[0], maps, loops, bodyOf);
    direct->setDiscardableAttrs(sum->getDiscardableAttrDictionary());
    rewriter.replaceOp(sum, direct);
    return success();
  }
};

struct ScatterIntoConstant : OpRewritePattern<tp::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tp::ScatterOp scatter,
                                PatternRewriter &rewriter) const override {
    std::optional<SparseSlices> slices = SparseSlices::match(scatter);
    if (!slices)
      return failure();
    RankedTensorType type = scatter.getType();
    auto overDims = [&](AffineMap map) {
      return slices->overDims(map, type.getRank());
    };
    SmallVector<Value> inputs = {scatter.getUpdates()};
    SmallVector<AffineMap> maps = {overDims(rewriter.getMultiDimIdentityMap(
        scatter.getUpdates().getType().getRank()))};
    for (auto [number, index] : llvm::enumerate(scatter.getIndices())) {
      inputs.push_back(index);
      maps.push_back(overDims(scatter.getIndexMap(number)));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
    Value empty = tensor::EmptyOp::create(
        rewriter, scatter.getLoc(), type.getShape(), type.getElementType());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
      Value start = slices->fill, isHere;
      for (auto [number, dim] : llvm::enumerate(slices->dimOfIndex)) {
        Value place = linalg::IndexOp::create(builder, loc, dim);
        Value equal =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, place,
                                  asIndex(builder, loc, args[1 + number]));
        isHere =
            isHere ? arith::AndIOp::create(builder, loc, isHere, equal) : equal;
      }
      Value sum;
      if (isa<FloatType>(start.getType()))
        sum = arith::AddFOp::create(builder, loc, start, args[0]);
      else
        sum = arith::AddIOp::create(builder, loc, start, args[0]);
      linalg::YieldOp::create(
          builder, loc,
          Value(arith::SelectOp::create(builder, loc, isHere, sum, start)));
    };
    auto result = linalg::GenericOp::create(rewriter, scatter.getLoc(), type,
                                            inputs, empty, maps, loops, body);
    result->setDiscardableAttrs(scatter->getDiscardableAttrDictionary());
    rewriter.replaceOp(scatter, result);
    return success();
  }
};

} // namespace

void populateScatterUserPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandOfScatter, SumOfScatter>(patterns.getContext());
}

void populateScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<ScatterIntoConstant>(patterns.getContext());
}

} // namespace tpc::lower
