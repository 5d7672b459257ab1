// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises reductions that keep the greatest (or least) element and where it
// is: they become tp.argmax.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Dialect/TP/TP.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_RAISEARGMAXPASS
#include "tpc/Import/Passes.h.inc"

/// Whether `value` is the greater (true) or lesser of `in` and `out`.
static std::optional<bool> matchExtreme(Value value, Value in, Value out) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2 ||
      !llvm::is_contained(op->getOperands(), in) ||
      !llvm::is_contained(op->getOperands(), out))
    return std::nullopt;
  if (isa<arith::MaximumFOp, arith::MaxSIOp>(op))
    return true;
  if (isa<arith::MinimumFOp, arith::MinSIOp>(op))
    return false;
  return std::nullopt;
}

/// True when `condition` says that `in` is greater (or less) than `out`, and
/// not equal.
static bool isBetter(Value condition, Value in, Value out, bool greater) {
  Value lhs, rhs;
  bool isGreater;
  if (auto compare = condition.getDefiningOp<arith::CmpFOp>()) {
    lhs = compare.getLhs();
    rhs = compare.getRhs();
    isGreater = compare.getPredicate() == arith::CmpFPredicate::OGT;
    if (!isGreater && compare.getPredicate() != arith::CmpFPredicate::OLT)
      return false;
  } else if (auto compare = condition.getDefiningOp<arith::CmpIOp>()) {
    lhs = compare.getLhs();
    rhs = compare.getRhs();
    isGreater = compare.getPredicate() == arith::CmpIPredicate::sgt;
    if (!isGreater && compare.getPredicate() != arith::CmpIPredicate::slt)
      return false;
  } else {
    return false;
  }
  if (lhs == out && rhs == in)
    return isGreater != greater;
  return lhs == in && rhs == out && isGreater == greater;
}

/// True for a fill with the least (or greatest) value of its type.
static bool isNeutral(Value init, bool greater) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  Attribute value;
  if (!fill || !matchPattern(fill.value(), m_Constant(&value)))
    return false;
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isInfinity() &&
           number.getValue().isNegative() == greater;
  APInt number = cast<IntegerAttr>(value).getValue();
  return greater ? number.isMinSignedValue() : number.isMaxSignedValue();
}

namespace {
struct Argmax {
  int64_t dim;
  bool minimum;
};
} // namespace

/// x (a, r, b) -> (a, b), (a, b) with the body
///   yield max(x, value), x > value ? index r : place
/// from the least value and place 0.
static std::optional<Argmax> matchArgmax(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 2 ||
      op.getNumReductionLoops() != 1 || !op.hasPureTensorSemantics())
    return std::nullopt;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  AffineMap input = op.getIndexingMapsArray()[0];
  if (!input.isPermutation())
    return std::nullopt;
  unsigned dim = *input.getResultPosition(
      getAffineDimExpr(reductions[0], op.getContext()));
  if (op.getIndexingMapsArray()[1] != input.dropResult(dim) ||
      op.getIndexingMapsArray()[2] != input.dropResult(dim) ||
      op.getStaticLoopRanges()[reductions[0]] <= 0)
    return std::nullopt;

  Block &body = *op.getBody();
  Value in = body.getArgument(0), value = body.getArgument(1);
  Operation *yield = body.getTerminator();
  std::optional<bool> greater = matchExtreme(yield->getOperand(0), in, value);
  auto select = yield->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!greater || !select ||
      !isBetter(select.getCondition(), in, value, *greater) ||
      select.getFalseValue() != body.getArgument(2))
    return std::nullopt;
  auto place = select.getTrueValue().getDefiningOp<arith::IndexCastOp>();
  auto index = place ? place.getIn().getDefiningOp<linalg::IndexOp>() : nullptr;
  auto places = op.getOutputs()[1].getDefiningOp<linalg::FillOp>();
  if (!index || index.getDim() != reductions[0] ||
      !isNeutral(op.getOutputs()[0], *greater) || !places ||
      !matchPattern(places.value(), m_Zero()))
    return std::nullopt;
  return Argmax{int64_t(dim), !*greater};
}

namespace {
struct RaiseArgmaxPass : impl::RaiseArgmaxPassBase<RaiseArgmaxPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      std::optional<Argmax> argmax = matchArgmax(op);
      if (!argmax)
        continue;
      OpBuilder builder(op);
      auto raised =
          tp::ArgmaxOp::create(builder, op.getLoc(), op.getResultTypes(),
                               op.getInputs()[0], argmax->dim, argmax->minimum);
      op.replaceAllUsesWith(raised->getResults());
      op.erase();
    }
  }
};
} // namespace

} // namespace tpc
