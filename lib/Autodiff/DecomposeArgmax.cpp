// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes tp.argmax as two reductions, each of which a rank can do on its part:
// the greatest elements, and of the indices where they are the least.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tpc/Autodiff/Passes.h"
#include "tpc/Dialect/TP/TP.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_DECOMPOSEARGMAXPASS
#include "tpc/Autodiff/Passes.h.inc"

/// What any element of `type` is greater (or less) than, or equal to.
static TypedAttr getNeutral(Type type, bool minimum) {
  if (auto kind = dyn_cast<FloatType>(type))
    return FloatAttr::get(type,
                          APFloat::getInf(kind.getFloatSemantics(), !minimum));
  unsigned width = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, minimum ? APInt::getSignedMaxValue(width)
                                        : APInt::getSignedMinValue(width));
}

namespace {
/// The two reductions of one operation.
class Decomposition {
public:
  explicit Decomposition(tp::ArgmaxOp op) : op(op), b(op.getLoc(), op) {
    unsigned rank = op.getInput().getType().getRank();
    whole = b.getMultiDimIdentityMap(rank);
    reduced = whole.dropResult(op.getDim());
    iterators.assign(rank, utils::IteratorType::parallel);
    iterators[op.getDim()] = utils::IteratorType::reduction;
  }

  void run() {
    Value values = reduceValues();
    Value indices = reduceIndices(values);
    op.getValues().replaceAllUsesWith(values);
    op.getIndices().replaceAllUsesWith(indices);
    op.erase();
  }

private:
  using Body = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  Value reduceValues();
  Value reduceIndices(Value values);
  /// A reduction of `inputs` into a tensor of `type`, from `init` on.
  Value reduce(RankedTensorType type, TypedAttr init, ValueRange inputs,
               ArrayRef<AffineMap> maps, Body body);

  tp::ArgmaxOp op;
  ImplicitLocOpBuilder b;
  AffineMap whole, reduced;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

Value Decomposition::reduce(RankedTensorType type, TypedAttr init,
                            ValueRange inputs, ArrayRef<AffineMap> maps,
                            Body body) {
  Value empty =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  Value scalar = arith::ConstantOp::create(b, init);
  auto fill = linalg::FillOp::create(b, scalar, empty);
  auto generic = linalg::GenericOp::create(
      b, type, inputs, fill.getResult(0), maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder inside(loc, builder);
        linalg::YieldOp::create(inside, body(inside, args));
      });
  if (Attribute phase = op->getAttr(tp::TPDialect::kPhase))
    for (Operation *made : {empty.getDefiningOp(), scalar.getDefiningOp(),
                            fill.getOperation(), generic.getOperation()})
      made->setAttr(tp::TPDialect::kPhase, phase);
  return generic.getResult(0);
}

Value Decomposition::reduceValues() {
  RankedTensorType type = op.getValues().getType();
  bool minimum = op.getMinimum(),
       isFloat = isa<FloatType>(type.getElementType());
  return reduce(type, getNeutral(type.getElementType(), minimum), op.getInput(),
                {whole, reduced},
                [&](ImplicitLocOpBuilder &in, ValueRange args) -> Value {
                  if (isFloat && minimum)
                    return arith::MinimumFOp::create(in, args[0], args[1]);
                  if (isFloat)
                    return arith::MaximumFOp::create(in, args[0], args[1]);
                  if (minimum)
                    return arith::MinSIOp::create(in, args[0], args[1]);
                  return arith::MaxSIOp::create(in, args[0], args[1]);
                });
}

Value Decomposition::reduceIndices(Value values) {
  RankedTensorType type = op.getIndices().getType();
  Type elementType = type.getElementType();
  TypedAttr none = getNeutral(elementType, /*minimum=*/true);
  return reduce(
      type, none, {op.getInput(), values}, {whole, reduced, reduced},
      [&](ImplicitLocOpBuilder &in, ValueRange args) -> Value {
        Value isBest;
        if (isa<FloatType>(args[0].getType())) {
          // The greatest is a NaN where there is one.
          auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
            return arith::CmpFOp::create(in, predicate, x, y);
          };
          Value equal = compare(arith::CmpFPredicate::OEQ, args[0], args[1]);
          Value bothNaN = arith::AndIOp::create(
              in, compare(arith::CmpFPredicate::UNO, args[0], args[0]),
              compare(arith::CmpFPredicate::UNO, args[1], args[1]));
          isBest = arith::OrIOp::create(in, equal, bothNaN);
        } else {
          isBest = arith::CmpIOp::create(in, arith::CmpIPredicate::eq, args[0],
                                         args[1]);
        }
        Value place = arith::IndexCastOp::create(
            in, elementType, linalg::IndexOp::create(in, op.getDim()));
        Value candidate = arith::SelectOp::create(
            in, isBest, place, arith::ConstantOp::create(in, none));
        return arith::MinSIOp::create(in, args[2], candidate);
      });
}

namespace {
struct DecomposeArgmaxPass
    : impl::DecomposeArgmaxPassBase<DecomposeArgmaxPass> {
  void runOnOperation() override {
    SmallVector<tp::ArgmaxOp> ops;
    getOperation().walk([&](tp::ArgmaxOp op) { ops.push_back(op); });
    for (tp::ArgmaxOp op : ops)
      Decomposition(op).run();
  }
};
} // namespace

} // namespace tpc
