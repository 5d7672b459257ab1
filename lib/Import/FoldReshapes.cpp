// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands computations over the dims that reshapes around them collapse.
//
// Upstream's expansion patterns do the rewriting; decided here is where. A
// collapse of several groups of dims is first split into one per group, since
// of (B, T, H, D) -> (B*T, H*D) in front of a linear layer the (B, T) part is
// to move through it and the (H, D) part is not.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_FOLDRESHAPESPASS
#include "tpc/Import/Passes.h.inc"

/// The collapsed dims that stand for more than one dim of more than one
/// element.
template <typename OpTy>
static SmallVector<unsigned> getJoinedDims(OpTy op, RankedTensorType wide) {
  SmallVector<unsigned> joined;
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices()))
    if (llvm::count_if(group,
                       [&](int64_t d) { return wide.getDimSize(d) != 1; }) > 1)
      joined.push_back(i);
  return joined;
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// The reassociation of `groups` in which only the first (when `first`) or only
/// the others of the groups from `split` on stay joined, and the shape between
/// the two steps.
static SmallVector<ReassociationIndices>
keepGroups(ArrayRef<ReassociationIndices> groups,
           llvm::function_ref<bool(unsigned)> keep) {
  SmallVector<ReassociationIndices> kept;
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (keep(i)) {
      kept.push_back(group);
      continue;
    }
    for (int64_t d : group)
      kept.push_back({d});
  }
  return kept;
}

/// The reassociation that finishes what `keepGroups` started: joins the dims of
/// the groups that were not kept.
static SmallVector<ReassociationIndices>
restGroups(ArrayRef<ReassociationIndices> groups,
           llvm::function_ref<bool(unsigned)> keep) {
  SmallVector<ReassociationIndices> rest;
  int64_t next = 0;
  for (auto [i, group] : llvm::enumerate(groups)) {
    ReassociationIndices &own = rest.emplace_back();
    for (unsigned n = keep(i) ? 1 : group.size(); n; --n)
      own.push_back(next++);
  }
  return rest;
}

/// (B, T, H, D) -> (B*T, H*D) becomes (B, T, H*D), then (B*T, H*D): the joined
/// dim that stands first is made last, next to the reader.
static void splitCollapse(tensor::CollapseShapeOp op) {
  SmallVector<unsigned> joined = getJoinedDims(op, op.getSrcType());
  if (joined.size() < 2)
    return;
  auto keep = [&](unsigned i) { return i != joined.front(); };
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  OpBuilder builder(op);
  Value inner = tensor::CollapseShapeOp::create(
      builder, op.getLoc(), op.getSrc(), keepGroups(groups, keep));
  Value outer =
      tensor::CollapseShapeOp::create(builder, op.getLoc(), op.getResultType(),
                                      inner, restGroups(groups, keep));
  op.getResult().replaceAllUsesWith(outer);
  op.erase();
  if (auto again = inner.getDefiningOp<tensor::CollapseShapeOp>())
    splitCollapse(again);
}

/// The mirror image: the joined dim that stands first is expanded first.
static void splitExpand(tensor::ExpandShapeOp op) {
  SmallVector<unsigned> joined = getJoinedDims(op, op.getResultType());
  if (joined.size() < 2)
    return;
  auto keep = [&](unsigned i) { return i != joined.front(); };
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  SmallVector<ReassociationIndices> first = restGroups(groups, keep);
  ArrayRef<int64_t> source = op.getSrcType().getShape();
  SmallVector<int64_t> shape;
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (keep(i)) {
      shape.push_back(source[i]);
      continue;
    }
    for (int64_t d : group)
      shape.push_back(op.getResultType().getDimSize(d));
  }
  OpBuilder builder(op);
  Value outer = tensor::ExpandShapeOp::create(
      builder, op.getLoc(), op.getSrcType().clone(shape), op.getSrc(), first);
  auto inner =
      tensor::ExpandShapeOp::create(builder, op.getLoc(), op.getResultType(),
                                    outer, keepGroups(groups, keep));
  op.getResult().replaceAllUsesWith(inner.getResult());
  op.erase();
  splitExpand(inner);
}

//===----------------------------------------------------------------------===//
// Where to expand
//===----------------------------------------------------------------------===//

/// Whether `op` may be expanded over the loops of `dims` of `operand`: no other
/// operand it would reshape is an argument of the function or carried by a
/// loop.
static bool mayExpand(linalg::LinalgOp op, OpOperand &operand,
                      ArrayRef<unsigned> dims) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (OpOperand &other : op->getOpOperands()) {
    if (&other == &operand || !isa<BlockArgument>(other.get()))
      continue;
    AffineMap otherMap = op.getMatchingIndexingMap(&other);
    for (unsigned dim : dims)
      for (unsigned loop = 0, e = map.getNumDims(); loop < e; ++loop)
        if (map.getResult(dim).isFunctionOfDim(loop) &&
            otherMap.isFunctionOfDim(loop))
          return false;
  }
  return true;
}

/// The control function of the upstream patterns: a collapse read by a
/// structured operation, or an expand of the result of one. The patterns also
/// ask about pads.
static bool mayFold(OpOperand *fused) {
  if (auto collapse = fused->get().getDefiningOp<tensor::CollapseShapeOp>()) {
    SmallVector<unsigned> dims = getJoinedDims(collapse, collapse.getSrcType());
    auto op = dyn_cast<linalg::LinalgOp>(fused->getOwner());
    return op && !dims.empty() && mayExpand(op, *fused, dims);
  }
  auto expand = dyn_cast<tensor::ExpandShapeOp>(fused->getOwner());
  auto op = fused->get().getDefiningOp<linalg::LinalgOp>();
  if (!expand || !op)
    return false;
  SmallVector<unsigned> dims = getJoinedDims(expand, expand.getResultType());
  // The computation would move to the reshape, into a loop or branch.
  return !dims.empty() && op->getBlock() == expand->getBlock() &&
         mayExpand(op, *op.getTiedOpOperand(cast<OpResult>(fused->get())),
                   dims);
}

namespace {
/// A reshape of a tensor.empty is another one. Upstream's pattern needs an
/// interface for dynamic shapes that nothing else here does.
template <typename OpTy> struct FoldEmpty : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResultType();
    if (!op.getSrc().template getDefiningOp<tensor::EmptyOp>() ||
        !type.hasStaticShape())
      return failure();
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, type.getShape(),
                                                 type.getElementType());
    return success();
  }
};

struct FoldReshapesPass : impl::FoldReshapesPassBase<FoldReshapesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> reshapes;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
        reshapes.push_back(op);
    });
    for (Operation *op : reshapes) {
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
        splitCollapse(collapse);
      else
        splitExpand(cast<tensor::ExpandShapeOp>(op));
    }
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, mayFold);
    // A reshape of a fill is a fill of a reshape, which is a fill again.
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<FoldEmpty<tensor::CollapseShapeOp>,
                 FoldEmpty<tensor::ExpandShapeOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation().emitError("tp-fold-reshapes did not converge; this is a "
                               "bug of tpc's import stage");
      signalPassFailure();
    }
  }
};
} // namespace

} // namespace tpc
