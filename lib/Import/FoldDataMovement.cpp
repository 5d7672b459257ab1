// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds transposes, broadcasts, unit-dim reshapes and splats into the
// linalg.generic operations that read them.
//
// The operand is replaced by the source of the movement and the indexing map
// by its composition with the movement. Upstream's elementwise fusion does the
// same for a movement with one reader; with several it would give the reader
// the movement's result as a second result, which is refused here.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_FOLDDATAMOVEMENTPASS
#include "tpc/Import/Passes.h.inc"

namespace {
/// Another way to read a value: `source` through `map` of the value's dims.
struct Movement {
  Value source;
  AffineMap map;
};
} // namespace

/// A body that only hands on its input: transpose, broadcast, copy.
static std::optional<Movement> matchGeneric(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap in = op.getMatchingIndexingMap(input);
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto type = dyn_cast<RankedTensorType>(input->get().getType());
  if (!type || !out.isPermutation() || !in.isProjectedPermutation(true) ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          op.getRegionInputArgs()[0])
    return std::nullopt;
  return Movement{input->get(), in.compose(inversePermutation(out))};
}

/// A chain of reshapes that as a whole only adds or removes dims of size 1: the
/// dims of other sizes are the same in the same order.
static std::optional<Movement> matchUnitReshape(Value value) {
  auto getOtherDims = [](RankedTensorType type) {
    SmallVector<unsigned> dims;
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      if (size != 1)
        dims.push_back(d);
    return dims;
  };
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  SmallVector<unsigned> dims = getOtherDims(type);
  MLIRContext *context = value.getContext();
  for (Value source = value; source.getDefiningOp<tensor::ExpandShapeOp>() ||
                             source.getDefiningOp<tensor::CollapseShapeOp>();) {
    source = source.getDefiningOp()->getOperand(0);
    auto sourceType = cast<RankedTensorType>(source.getType());
    SmallVector<unsigned> sourceDims = getOtherDims(sourceType);
    auto sizeIn = [](RankedTensorType t) {
      return [t](unsigned d) { return t.getDimSize(d); };
    };
    if (!llvm::equal(llvm::map_range(sourceDims, sizeIn(sourceType)),
                     llvm::map_range(dims, sizeIn(type))))
      continue;
    SmallVector<AffineExpr> exprs(sourceType.getRank(),
                                  getAffineConstantExpr(0, context));
    for (auto [from, to] : llvm::zip_equal(sourceDims, dims))
      exprs[from] = getAffineDimExpr(to, context);
    return Movement{source, AffineMap::get(type.getRank(), 0, exprs, context)};
  }
  return std::nullopt;
}

static std::optional<Movement> matchMovement(Value value) {
  if (auto generic = value.getDefiningOp<linalg::GenericOp>())
    return matchGeneric(generic);
  return matchUnitReshape(value);
}

/// The scalar that every element of `value` is, created in `builder` for a
/// constant.
static Value getSplat(OpBuilder &builder, Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  SplatElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  return arith::ConstantOp::create(builder, value.getLoc(),
                                   constant.getSplatValue<TypedAttr>());
}

/// Whether the extents of all loops still follow from the operands' shapes.
static bool coversLoops(ArrayRef<AffineMap> maps, MLIRContext *context) {
  return bool(inversePermutation(concatAffineMaps(maps, context)));
}

/// Reads one input of `op` from further up. Returns whether it could.
static bool foldInput(linalg::GenericOp op, OpOperand &input) {
  std::optional<Movement> movement = matchMovement(input.get());
  if (!movement)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[input.getOperandNumber()];
  map = simplifyAffineMap(movement->map.compose(map));
  if (!coversLoops(maps, op.getContext()))
    return false;
  input.set(movement->source);
  op.setIndexingMapsAttr(Builder(op).getAffineMapArrayAttr(maps));
  return true;
}

/// Replaces inputs that are one value everywhere by that value.
static void foldSplats(linalg::GenericOp op) {
  OpBuilder builder(op);
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    if (arg.use_empty())
      continue;
    if (Value scalar = getSplat(builder, input->get()))
      arg.replaceAllUsesWith(scalar);
  }
}

namespace {
struct FoldDataMovementPass
    : impl::FoldDataMovementPassBase<FoldDataMovementPass> {
  using Base::Base;

  void runOnOperation() override {
    // In program order a movement's own operand has been followed up before
    // its readers are looked at; chains through reshapes need the loop.
    getOperation().walk([&](linalg::GenericOp op) {
      for (OpOperand *input : op.getDpsInputOperands())
        while (foldInput(op, *input)) {
        }
      foldSplats(op);
    });
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation().emitError("tp-fold-data-movement did not converge; this "
                               "is a bug of tpc's import stage");
      signalPassFailure();
    }
  }
};
} // namespace

} // namespace tpc
