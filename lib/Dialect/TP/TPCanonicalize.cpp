// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which steps between placements cancel or join.
//
// A value that several consumers share is left alone, except where a step
// disappears: a plan may derive one placement from another on purpose, and
// joining steps would undo that.

#include "tpc/Dialect/TP/TP.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

OpFoldResult RedistributeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getOutput().getType())
    return getInput();
  auto inner = getInput().getDefiningOp<RedistributeOp>();
  if (!inner)
    return {};
  if (inner.getInput().getType() == getOutput().getType())
    return inner.getInput();
  if (!inner.getOutput().hasOneUse())
    return {};
  getInputMutable().assign(inner.getInput());
  return getOutput();
}

namespace {

/// `Second` gives back what `First` was given: slice of all_gather, all_reduce
/// of to_partial. In a bucket only the operands concerned are dropped.
template <typename First, typename Second>
struct DropInverse : OpRewritePattern<Second> {
  using OpRewritePattern<Second>::OpRewritePattern;

  static Value origin(Second op, unsigned index) {
    Value input = op.getInputs()[index];
    auto first = input.getDefiningOp<First>();
    if (!first)
      return {};
    unsigned source = cast<OpResult>(input).getResultNumber();
    PartAttr before =
        cast<CollectiveOpInterface>(first.getOperation()).getPart(source);
    PartAttr after =
        cast<CollectiveOpInterface>(op.getOperation()).getPart(index);
    if (before.getType() != after.getType() ||
        before.getFrom() != after.getTo())
      return {};
    return first.getInputs()[source];
  }

  LogicalResult matchAndRewrite(Second op,
                                PatternRewriter &rewriter) const final {
    SmallVector<Value> replacements, inputs;
    SmallVector<Type> types;
    SmallVector<Attribute> parts;
    for (unsigned i = 0; i < op.getInputs().size(); ++i) {
      replacements.push_back(origin(op, i));
      if (replacements.back())
        continue;
      inputs.push_back(op.getInputs()[i]);
      types.push_back(op.getOutputs()[i].getType());
      if (op.getPartsAttr())
        parts.push_back(op.getPartsAttr()[i]);
    }
    if (inputs.size() == replacements.size())
      return rewriter.notifyMatchFailure(op, "undoes no other step");
    if (!inputs.empty()) {
      auto rest = Second::create(
          rewriter, op.getLoc(), types, inputs, op.getAxesAttr(),
          op.getReductionAttr(),
          op.getPartsAttr() ? rewriter.getArrayAttr(parts) : ArrayAttr());
      rest->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      auto result = rest.getOutputs().begin();
      for (Value &replacement : replacements)
        if (!replacement)
          replacement = *result++;
    }
    rewriter.replaceOp(op, replacements);
    return success();
  }
};

/// all_reduce, then a slice of it over the same axes and nothing else: a
/// reduce_scatter, which moves half the bytes.
struct JoinReduceScatter : OpRewritePattern<SliceOp> {
  using OpRewritePattern<SliceOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp slice,
                                PatternRewriter &rewriter) const final {
    auto reduce = slice.getInputs().front().getDefiningOp<AllReduceOp>();
    if (!reduce || slice.getAxes() != reduce.getAxes() ||
        !llvm::equal(slice.getInputs(), reduce.getOutputs()) ||
        !llvm::all_of(reduce.getOutputs(),
                      [](Value value) { return value.hasOneUse(); }))
      return rewriter.notifyMatchFailure(
          slice, "expected all results of one all_reduce, used here only");
    SmallVector<Attribute> parts;
    for (unsigned i = 0; i < slice.getInputs().size(); ++i) {
      PartAttr before =
          cast<CollectiveOpInterface>(reduce.getOperation()).getPart(i);
      PartAttr after =
          cast<CollectiveOpInterface>(slice.getOperation()).getPart(i);
      Mesh mesh = lookupMesh(slice, before.getFrom().getMesh()).getMesh();
      std::optional<Step> step = classifyStep(mesh, before.getType().getShape(),
                                              before.getFrom().resolve(mesh),
                                              after.getTo().resolve(mesh));
      if (!step || step->kind != StepKind::ReduceScatter)
        return rewriter.notifyMatchFailure(
            slice, "expected the new shard to be the inner split");
      parts.push_back(PartAttr::get(getContext(), before.getType(),
                                    before.getFrom(), after.getTo()));
    }
    auto scatter = ReduceScatterOp::create(
        rewriter, reduce.getLoc(), slice.getResultTypes(), reduce.getInputs(),
        reduce.getAxesAttr(), reduce.getReductionAttr(),
        slice.getPartsAttr() ? rewriter.getArrayAttr(parts) : ArrayAttr());
    scatter->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
    rewriter.replaceOp(slice, scatter);
    rewriter.eraseOp(reduce);
    return success();
  }
};

} // namespace

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DropInverse<AllGatherOp, SliceOp>, JoinReduceScatter>(context);
}

void AllReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropInverse<ToPartialOp, AllReduceOp>>(context);
}
