// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes every computation as linalg.generic on destinations that are either
// accumulated into or a tensor.empty.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_GENERALIZEOPSPASS
#include "tpc/Import/Passes.h.inc"

/// Runs `rewrite` on every op of kind `OpTy` that there is at the start.
template <typename OpTy, typename Fn>
static void rewriteEach(Operation *root, Fn rewrite) {
  SmallVector<OpTy> ops;
  root->walk([&](OpTy op) { ops.push_back(op); });
  IRRewriter rewriter(root->getContext());
  for (OpTy op : ops) {
    rewriter.setInsertionPoint(op);
    rewrite(rewriter, op);
  }
}

// An operation that upstream cannot rewrite stays, for tp-verify-import to
// judge.

static void decompose(IRRewriter &rewriter, linalg::SoftmaxOp op) {
  if (!op.hasPureTensorSemantics())
    return;
  FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
  if (succeeded(values))
    rewriter.replaceOp(op, *values);
}

static void generalize(IRRewriter &rewriter, linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp, linalg::FillOp>(op))
    (void)linalg::generalizeNamedOp(rewriter, op);
}

static Value createEmpty(OpBuilder &builder, Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                 tensor.getElementType());
}

static bool isElementwiseOnTensors(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && tensor.hasStaticShape();
         });
}

/// An arith or math operation on whole tensors, per element. Operands that are
/// scalars are read from around the body.
static void convertElementwise(IRRewriter &rewriter, Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> inputs, inits;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      inputs.push_back(operand);
  for (Type type : op->getResultTypes())
    inits.push_back(createEmpty(rewriter, loc, type));
  unsigned rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size() + inits.size(),
                              rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location, ValueRange args) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      bool tensor = isa<RankedTensorType>(operand.getType());
      operands.push_back(tensor ? args.front() : operand);
      if (tensor)
        args = args.drop_front();
    }
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(getElementTypeOrSelf(type));
    Operation *scalar = builder.create(loc, op->getName().getIdentifier(),
                                       operands, types, op->getAttrs());
    linalg::YieldOp::create(builder, loc, scalar->getResults());
  };
  auto generic =
      linalg::GenericOp::create(rewriter, loc, op->getResultTypes(), inputs,
                                inits, maps, iterators, body);
  rewriter.replaceOp(op, generic->getResults());
}

/// Destinations: one that is not read is a tensor.empty, a constant that is
/// accumulated into is a fill.
static void normaliseInits(IRRewriter &rewriter, linalg::LinalgOp op) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto type = dyn_cast<RankedTensorType>(init.get().getType());
    if (!type || !type.hasStaticShape())
      continue;
    Operation *def = init.get().getDefiningOp();
    SplatElementsAttr splat;
    if (!op.payloadUsesValueFromOperand(&init)) {
      if (!isa_and_nonnull<tensor::EmptyOp>(def))
        init.set(createEmpty(rewriter, op.getLoc(), type));
    } else if (matchPattern(init.get(), m_Constant(&splat))) {
      Value scalar = arith::ConstantOp::create(
          rewriter, def->getLoc(), splat.getSplatValue<TypedAttr>());
      Value empty = createEmpty(rewriter, op.getLoc(), type);
      init.set(linalg::FillOp::create(rewriter, op.getLoc(), scalar, empty)
                   .getResult(0));
    }
  }
}

/// Of a reduction that keeps its dim with size 1, `(i, j) -> (i, 0)`, the
/// result is computed without that dim and reshaped, so that every result is
/// written through a permutation of loops.
static void dropUnitResultDims(IRRewriter &rewriter, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inits = llvm::to_vector(op.getOutputs());
  SmallVector<SmallVector<ReassociationIndices>> groups(inits.size());
  bool changed = false;
  for (auto [i, init] : llvm::enumerate(inits)) {
    AffineMap &map = maps[op.getNumDpsInputs() + i];
    auto type = dyn_cast<RankedTensorType>(init.getType());
    if (!type || !type.hasStaticShape())
      continue;
    auto isKept = [&](unsigned d) {
      return type.getDimSize(d) != 1 ||
             !isa<AffineConstantExpr>(map.getResult(d));
    };
    SmallVector<AffineExpr> kept;
    for (auto [d, expr] : llvm::enumerate(map.getResults()))
      if (isKept(d))
        kept.push_back(expr);
    if (kept.size() == map.getNumResults())
      continue;
    // A dropped dim joins the kept one before it, or the first one.
    bool any = false;
    for (unsigned d = 0, e = kept.empty() ? 0 : map.getNumResults(); d < e;
         ++d) {
      if (groups[i].empty() || (any && isKept(d)))
        groups[i].emplace_back();
      any |= isKept(d);
      groups[i].back().push_back(d);
    }
    inits[i] =
        tensor::CollapseShapeOp::create(rewriter, op.getLoc(), init, groups[i]);
    map = AffineMap::get(map.getNumDims(), 0, kept, op.getContext());
    changed = true;
  }
  if (!changed)
    return;
  auto narrow = linalg::GenericOp::create(
      rewriter, op.getLoc(), ValueRange(inits).getTypes(), op.getInputs(),
      inits, maps, op.getIteratorTypesArray(), nullptr,
      linalg::getPrunedAttributeList(op));
  rewriter.inlineRegionBefore(op.getRegion(), narrow.getRegion(),
                              narrow.getRegion().begin());
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(narrow.getResults())) {
    Type type = op.getResult(i).getType();
    results.push_back(type == result.getType()
                          ? Value(result)
                          : tensor::ExpandShapeOp::create(
                                rewriter, op.getLoc(), type, result, groups[i])
                                .getResult());
  }
  rewriter.replaceOp(op, results);
}

namespace {
struct GeneralizeOpsPass : impl::GeneralizeOpsPassBase<GeneralizeOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    Operation *module = getOperation();
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> elementwise;
    module->walk([&](Operation *op) {
      if (isElementwiseOnTensors(op))
        elementwise.push_back(op);
    });
    for (Operation *op : elementwise) {
      rewriter.setInsertionPoint(op);
      convertElementwise(rewriter, op);
    }
    rewriteEach<linalg::SoftmaxOp>(module, decompose);
    rewriteEach<linalg::LinalgOp>(module, generalize);
    rewriteEach<linalg::LinalgOp>(module, normaliseInits);
    rewriteEach<linalg::GenericOp>(module, dropUnitResultDims);
  }
};
} // namespace

} // namespace tpc
