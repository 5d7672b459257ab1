// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers from the results of elementwise operations and of reshapes.
#include "Contraction.h"
#include "Lookups.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc::lower {

namespace {

/// The dims of `map` as a map of `loops` loops, without symbols.
AffineMap withoutSymbols(AffineMap map, unsigned loops) {
  return AffineMap::get(loops, 0, map.getResults(), map.getContext());
}

/// One result, a value for each of its elements, and maps that can be read off.
bool isElementwise(linalg::GenericOp generic) {
  return generic && generic->getNumResults() == 1 &&
         generic.getNumLoops() == generic.getNumParallelLoops() &&
         !generic->hasAttr(kEpilogue) && !lower::matchContraction(generic) &&
         generic.getBody()->getOps<linalg::IndexOp>().empty() &&
         generic.getBody()
             ->getArgument(generic.getNumDpsInputs())
             .use_empty() &&
         generic.getIndexingMapsArray().back().isPermutation() &&
         llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation(/*allowZeroInResults=*/true);
         });
}

/// An operand of an elementwise operation at the places that `gather` reads:
/// a value, and where the gather's loops find it there.
struct Gathered {
  Value value;
  AffineMap map;
};

/// `place`: per dim of `value` the loop or the index (a symbol) it is read at.
Gathered gatherOperand(tp::GatherOp gather, Value value,
                       ArrayRef<AffineExpr> place, PatternRewriter &rewriter) {
  unsigned loops = gather.getType().getRank();
  MLIRContext *context = gather.getContext();
  // The loops and indices that the place depends on, in order.
  llvm::SmallBitVector needed(loops), used(gather.getIndices().size());
  for (AffineExpr expr : place) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      needed.set(loop.getPosition());
    if (auto index = dyn_cast<AffineSymbolExpr>(expr))
      used.set(index.getPosition());
  }
  if (used.none())
    return {value, AffineMap::get(loops, 0, place, context)};
  SmallVector<Value> indices;
  SmallVector<AffineMap> indexMaps;
  SmallVector<AffineExpr> newIndex(used.size());
  for (unsigned index : used.set_bits()) {
    newIndex[index] = getAffineSymbolExpr(indices.size(), context);
    indices.push_back(gather.getIndices()[index]);
    indexMaps.push_back(gather.getIndexMap(index));
    for (AffineExpr expr : indexMaps.back().getResults())
      needed.set(cast<AffineDimExpr>(expr).getPosition());
  }
  SmallVector<AffineExpr> newLoop(loops, getAffineConstantExpr(0, context));
  SmallVector<AffineExpr> outer;
  SmallVector<int64_t> shape;
  for (unsigned loop : needed.set_bits()) {
    newLoop[loop] = getAffineDimExpr(outer.size(), context);
    outer.push_back(getAffineDimExpr(loop, context));
    shape.push_back(gather.getType().getDimSize(loop));
  }
  SmallVector<AffineMap> maps;
  auto renumbered = [&](ArrayRef<AffineExpr> results, unsigned symbols) {
    AffineMap map = AffineMap::get(loops, used.size(), results, context);
    return map.replaceDimsAndSymbols(newLoop, newIndex, outer.size(), symbols);
  };
  maps.push_back(renumbered(place, indices.size()));
  for (AffineMap map : indexMaps)
    maps.push_back(renumbered(map.getResults(), 0));
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(value));
  auto part =
      tp::GatherOp::create(rewriter, gather.getLoc(), type, value, indices,
                           rewriter.getAffineMapArrayAttr(maps));
  part->setDiscardableAttrs(gather->getDiscardableAttrDictionary());
  return {part.getResult(), AffineMap::get(loops, 0, outer, context)};
}

struct GatherOfElementwise : OpRewritePattern<tp::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tp::GatherOp gather,
                                PatternRewriter &rewriter) const override {
    auto producer = gather.getSource().getDefiningOp<linalg::GenericOp>();
    RankedTensorType type = gather.getType(),
                     sourceType = gather.getSource().getType();
    if (!isElementwise(producer) ||
        producer->getBlock() != gather->getBlock() ||
        type.getNumElements() >= sourceType.getNumElements())
      return failure();
    SmallVector<AffineMap> maps = producer.getIndexingMapsArray();
    // Loop i of the producer is dim loopDim[i] of the source.
    SmallVector<AffineExpr> atLoop(producer.getNumLoops());
    for (auto [dim, expr] : llvm::enumerate(maps.back().getResults()))
      atLoop[cast<AffineDimExpr>(expr).getPosition()] =
          gather.getIndexedMap().getResult(dim);
    SmallVector<SmallVector<AffineExpr>> places;
    for (OpOperand *operand : producer.getDpsInputOperands()) {
      places.emplace_back();
      bool hasConstant = false, hasIndex = false;
      for (AffineExpr expr : maps[operand->getOperandNumber()].getResults()) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        hasConstant |= !loop;
        places.back().push_back(loop ? atLoop[loop.getPosition()] : expr);
        hasIndex |= isa<AffineSymbolExpr>(places.back().back());
      }
      // A gather has no constant places.
      if (hasConstant && hasIndex)
        return failure();
    }
    SmallVector<Value> inputs;
    SmallVector<AffineMap> newMaps;
    for (auto [operand, place] :
         llvm::zip_equal(producer.getDpsInputOperands(), places)) {
      Gathered gathered =
          gatherOperand(gather, operand->get(), place, rewriter);
      inputs.push_back(gathered.value);
      newMaps.push_back(gathered.map);
    }
    for (auto [number, index] : llvm::enumerate(gather.getIndices())) {
      inputs.push_back(index);
      newMaps.push_back(
          withoutSymbols(gather.getIndexMap(number), type.getRank()));
    }
    newMaps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
    Value empty = tensor::EmptyOp::create(
        rewriter, gather.getLoc(), type.getShape(), type.getElementType());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
      IRMapping mapping;
      mapping.map(producer.getBody()->getArguments().drop_back(),
                  args.take_front(producer.getNumDpsInputs()));
      for (Operation &op : producer.getBody()->without_terminator())
        builder.clone(op, mapping);
      Value value = mapping.lookupOrDefault(
          producer.getBody()->getTerminator()->getOperand(0));
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(type.getElementType()));
      for (auto [dim, expr] :
           llvm::enumerate(gather.getIndexedMap().getResults()))
        if (auto index = dyn_cast<AffineSymbolExpr>(expr))
          value = arith::SelectOp::create(
              builder, loc,
              isWithin(builder, loc,
                       args[producer.getNumDpsInputs() + index.getPosition()],
                       sourceType.getDimSize(dim)),
              value, zero);
      linalg::YieldOp::create(builder, loc, value);
    };
    auto result = linalg::GenericOp::create(
        rewriter, gather.getLoc(), type, inputs, empty, newMaps, loops, body);
    result->setDiscardableAttrs(gather->getDiscardableAttrDictionary());
    rewriter.replaceOp(gather, result);
    return success();
  }
};

/// A gather from a collapsed tensor reads the tensor itself, where the dims
/// that are joined are read in order: the result is collapsed instead.
struct GatherOfCollapse : OpRewritePattern<tp::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tp::GatherOp gather,
                                PatternRewriter &rewriter) const override {
    auto collapse = gather.getSource().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse)
      return failure();
    std::optional<SplitLoops> loops = SplitLoops::match(
        gather, collapse.getReassociationIndices(), collapse.getSrcType());
    if (!loops)
      return failure();
    SmallVector<AffineMap> maps;
    SmallVector<Value> indices = loops->splitIndices(gather, maps, rewriter);
    auto result = tp::GatherOp::create(
        rewriter, gather.getLoc(), gather.getType().clone(loops->shape()),
        collapse.getSrc(), indices, rewriter.getAffineMapArrayAttr(maps));
    result->setDiscardableAttrs(gather->getDiscardableAttrDictionary());
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        gather, gather.getType(), result, loops->groups());
    return success();
  }
};

} // namespace

void populateGatherPatterns(RewritePatternSet &patterns) {
  patterns.add<GatherOfElementwise, GatherOfCollapse>(patterns.getContext());
}

} // namespace tpc::lower
