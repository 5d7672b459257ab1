// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces attentions, and their gradients, by one operation each.
#include "Attention.h"
#include "AttentionCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Dialect/TP/UserLocation.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "tpc/Lower/Passes.h.inc"

using lower::Attention;
using lower::AttentionOperand;
using lower::Batch;
using lower::Feature;
using lower::Head;
using lower::Row;

namespace {

/// A result of an attention as it is replaced: the generics that round it, and
/// how the rounded tensor lies.
struct Rounded {
  SmallVector<linalg::GenericOp> users;
  AttentionOperand operand;
};

bool roundsOnly(linalg::GenericOp generic, Type type) {
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic->getNumResults() != 1 ||
      getElementTypeOrSelf(generic.getResult(0)) != type ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isPermutation(); }))
    return false;
  auto rounding = generic.getBody()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::TruncFOp>();
  return rounding && rounding.getIn() == generic.getBody()->getArgument(0);
}

/// The generics that round `result` to `type`, if that is all its use. They may
/// reorder its dims, all in the same way.
std::optional<Rounded> roundedResult(const AttentionOperand &result,
                                     Type type) {
  if (getElementTypeOrSelf(result.value) == type)
    return Rounded{{}, result};
  Rounded rounded;
  for (Operation *user : result.value.getUsers()) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (!roundsOnly(generic, type))
      return std::nullopt;
    // Dim i of the result is dim from[i] of the product.
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    SmallVector<AffineExpr> dims;
    for (AffineExpr loop : maps[1].getResults())
      dims.push_back(result.map.getResult(*maps[0].getResultPosition(loop)));
    AttentionOperand operand{generic.getResult(0),
                             AffineMap::get(4, 0, dims, generic.getContext())};
    if (!rounded.users.empty() && rounded.operand.map != operand.map)
      return std::nullopt;
    rounded.users.push_back(generic);
    rounded.operand = operand;
  }
  if (rounded.users.empty())
    return std::nullopt;
  return rounded;
}

bool isFeature(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim && dim.getPosition() == lower::Feature;
}

class AttentionFuser {
public:
  AttentionFuser(Attention attention, IRRewriter &rewriter)
      : attention(std::move(attention)), rewriter(rewriter) {}

  /// What the library asks for and is not so; empty when all is.
  std::string check();
  /// Empty, or why it is not fused.
  std::string run();

private:
  int64_t extentOf(const AttentionOperand &operand, unsigned axis) const;
  void putFeaturesLast(AttentionOperand &operand);
  void replace(const Rounded &rounded, Value value);
  bool isBeforeUsers(const Rounded &rounded, Operation *point) const;

  Attention attention;
  IRRewriter &rewriter;
  Rounded output, dq, dk, dv;
};

} // namespace

int64_t AttentionFuser::extentOf(const AttentionOperand &operand,
                                 unsigned axis) const {
  std::optional<unsigned> dim = operand.map.getResultPosition(
      getAffineDimExpr(axis, rewriter.getContext()));
  return dim ? cast<RankedTensorType>(operand.value.getType()).getDimSize(*dim)
             : int64_t(1);
}

std::string AttentionFuser::check() {
  Type type = getElementTypeOrSelf(attention.q.value);
  if (!type.isF16() && !type.isBF16()) {
    std::string text;
    llvm::raw_string_ostream(text) << "its elements are " << type;
    return text;
  }
  SmallVector<AttentionOperand> operands = {attention.q, attention.k,
                                            attention.v};
  if (attention.hasGradient)
    operands.push_back(attention.doutput);
  for (const AttentionOperand &operand : operands) {
    if (getElementTypeOrSelf(operand.value) != type)
      return "its tensors have different element types";
  }
  int64_t features = extentOf(attention.q, Feature);
  for (const AttentionOperand &operand : operands) {
    if (extentOf(operand, Feature) != features)
      return "queries, keys and values have different numbers of features";
    if (extentOf(operand, Batch) != extentOf(attention.q, Batch) ||
        extentOf(operand, Head) != extentOf(attention.q, Head))
      return "queries, keys and values have different numbers of heads";
  }
  if (features % 8 != 0 || features > 128)
    return "heads have " + std::to_string(features) +
           " features, not a multiple of 8 up to 128";
  auto round = [&](const AttentionOperand &result, Rounded &rounded) {
    std::optional<Rounded> found = roundedResult(result, type);
    if (found)
      rounded = *found;
    return found.has_value();
  };
  if (!round(attention.output, output) ||
      (attention.hasGradient &&
       !(round(attention.dq, dq) && round(attention.dk, dk) &&
         round(attention.dv, dv))))
    return "a result is not rounded to the type of the operands";
  for (const Rounded *result : {&output, &dq, &dk, &dv})
    if (result->operand.value &&
        !isFeature(result->operand.map.getResults().back()))
      return "the features of a result do not lie side by side";
  return {};
}

/// The library wants the features of a row to lie together: another operand is
/// copied.
void AttentionFuser::putFeaturesLast(AttentionOperand &operand) {
  unsigned rank = operand.map.getNumResults();
  if (isFeature(operand.map.getResults().back()))
    return;
  SmallVector<unsigned> order;
  for (bool features : {false, true})
    for (unsigned dim = 0; dim < rank; ++dim)
      if (isFeature(operand.map.getResult(dim)) == features)
        order.push_back(dim);
  auto type = cast<RankedTensorType>(operand.value.getType());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (unsigned dim : order) {
    shape.push_back(type.getDimSize(dim));
    results.push_back(operand.map.getResult(dim));
  }
  MLIRContext *context = rewriter.getContext();
  if (Operation *maker = operand.value.getDefiningOp())
    rewriter.setInsertionPointAfter(maker);
  else
    rewriter.setInsertionPoint(attention.scores);
  Location loc = operand.value.getLoc();
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  // Loops in the order of the source.
  AffineMap maps[] = {
      AffineMap::getMultiDimIdentityMap(rank, context),
      AffineMap::getMultiDimMapWithTargets(rank, order, context)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), operand.value, empty, maps, loops,
      [](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        linalg::YieldOp::create(builder, bodyLoc, args[0]);
      });
  operand = {copy.getResult(0), AffineMap::get(4, 0, results, context)};
}

void AttentionFuser::replace(const Rounded &rounded, Value value) {
  if (rounded.users.empty())
    rewriter.replaceAllUsesWith(rounded.operand.value, value);
  for (linalg::GenericOp user : rounded.users)
    rewriter.replaceOp(user, value);
}

bool AttentionFuser::isBeforeUsers(const Rounded &rounded,
                                   Operation *point) const {
  auto follows = [&](Operation *user) {
    Operation *ancestor = point->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && point->isBeforeInBlock(ancestor);
  };
  if (rounded.users.empty())
    return llvm::all_of(rounded.operand.value.getUsers(), follows);
  return llvm::all_of(rounded.users, follows);
}

std::string AttentionFuser::run() {
  if (std::string reason = check(); !reason.empty())
    return reason;
  auto statistics = RankedTensorType::get({extentOf(attention.q, Batch),
                                           extentOf(attention.q, Head),
                                           extentOf(attention.q, Row)},
                                          rewriter.getF32Type());
  Operation *product = attention.output.value.getDefiningOp();
  // The gradient follows the output and what the loss made of it.
  Operation *point = product;
  if (attention.hasGradient) {
    Operation *loss = attention.doutput.value.getDefiningOp();
    if (loss && loss->getBlock() == point->getBlock() &&
        point->isBeforeInBlock(loss))
      point = loss;
    for (const Rounded *rounded : {&dq, &dk, &dv})
      if (!isBeforeUsers(*rounded, point))
        return "a gradient is used before all of them can be computed";
  }
  for (AttentionOperand *operand :
       {&attention.q, &attention.k, &attention.v, &attention.doutput})
    if (operand->value)
      putFeaturesLast(*operand);
  auto maps = [&](ArrayRef<const AttentionOperand *> operands) {
    SmallVector<AffineMap> list;
    for (const AttentionOperand *operand : operands)
      list.push_back(operand->map);
    return rewriter.getAffineMapArrayAttr(list);
  };
  // Read off computed values; the library takes an f32.
  auto scale = rewriter.getF64FloatAttr(static_cast<float>(attention.scale));
  auto causal = attention.causal ? rewriter.getUnitAttr() : UnitAttr();
  rewriter.setInsertionPointAfter(product);
  auto forward = tp::AttentionOp::create(
      rewriter, product->getLoc(), output.operand.value.getType(), statistics,
      attention.q.value, attention.k.value, attention.v.value,
      maps({&attention.q, &attention.k, &attention.v, &output.operand}), scale,
      causal);
  if (attention.hasGradient) {
    rewriter.setInsertionPointAfter(point == product ? forward : point);
    auto gradient = tp::AttentionGradOp::create(
        rewriter, product->getLoc(), dq.operand.value.getType(),
        dk.operand.value.getType(), dv.operand.value.getType(),
        attention.q.value, attention.k.value, attention.v.value,
        forward.getOutput(), forward.getStatistics(), attention.doutput.value,
        maps({&attention.q, &attention.k, &attention.v, &output.operand,
              &attention.doutput, &dq.operand, &dk.operand, &dv.operand}),
        scale, causal);
    if (Attribute phase =
            attention.dq.value.getDefiningOp()->getAttr("tp.phase"))
      gradient->setAttr("tp.phase", phase);
    replace(dq, gradient.getDq());
    replace(dk, gradient.getDk());
    replace(dv, gradient.getDv());
  }
  replace(output, forward.getOutput());
  return {};
}

namespace {

class FuseAttention : public impl::FuseAttentionPassBase<FuseAttention> {
public:
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> products;
    function.walk([&](linalg::GenericOp generic) {
      if (lower::matchContraction(generic))
        products.push_back(generic);
    });
    SmallVector<Attribute> notes;
    for (linalg::GenericOp product : products) {
      std::optional<Attention> attention = lower::matchAttention(product);
      if (!attention)
        continue;
      Location loc = product.getLoc();
      bool hasGradient = attention->hasGradient;
      std::string reason = attention->reason;
      if (reason.empty()) {
        AttentionFuser fuser(std::move(*attention), rewriter);
        reason = hasLibrary ? fuser.run() : fuser.check();
        if (reason.empty() && !hasLibrary)
          reason = "this build of tpc is without cuDNN's attention";
      }
      if (!reason.empty() && required) {
        emitError(loc) << "unsupported: attention in one call, since " << reason
                       << "; --attention=unfused compiles it without";
        signalPassFailure();
      }
      notes.push_back(rewriter.getDictionaryAttr(
          {rewriter.getNamedAttr(
               "loc", rewriter.getStringAttr(tp::getUserLocation(loc))),
           rewriter.getNamedAttr("gradient", rewriter.getBoolAttr(hasGradient)),
           rewriter.getNamedAttr("reason", rewriter.getStringAttr(reason))}));
    }
    if (notes.empty())
      return;
    function->setAttr(kAttentions, rewriter.getArrayAttr(notes));
    // What replaced attentions were made of is no user of anything.
    function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
    });
  }
};

} // namespace
} // namespace tpc
