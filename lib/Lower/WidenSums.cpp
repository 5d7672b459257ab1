// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries sums and products of 16-bit floats in 32 bits.
#include "Contraction.h"
#include "EmitPoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_WIDENSUMSPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

/// Fewer elements round to little more than one rounding.
constexpr int64_t kMinJoined = 16;

bool isNarrow(Type type) { return type.isF16() || type.isBF16(); }

/// The operation that joins result `number` with the next element, if it is one
/// that rounds.
Operation *findRoundingJoin(linalg::GenericOp op, unsigned number) {
  Block *body = op.getBody();
  BlockArgument carried = body->getArgument(op.getNumDpsInputs() + number);
  if (!isNarrow(carried.getType()))
    return nullptr;
  Operation *join =
      lower::findJoin(carried, body->getTerminator()->getOperand(number));
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp>(join)
             ? join
             : nullptr;
}

/// `tensor` with its elements cast to `type`.
Value castElements(OpBuilder &builder, Location loc, Value tensor, Type type) {
  auto from = cast<RankedTensorType>(tensor.getType());
  AffineMap id = builder.getMultiDimIdentityMap(from.getRank());
  SmallVector<utils::IteratorType> loops(from.getRank(),
                                         utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, loc, from.getShape(), type);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), tensor, empty,
             ArrayRef<AffineMap>{id, id}, loops,
             [&](OpBuilder &inner, Location loc, ValueRange args) {
               Value cast =
                   type.isF32()
                       ? arith::ExtFOp::create(inner, loc, type, args[0])
                             .getResult()
                       : arith::TruncFOp::create(inner, loc, type, args[0])
                             .getResult();
               linalg::YieldOp::create(inner, loc, cast);
             })
      .getResult(0);
}

/// What a result starts from, in f32: a constant stays one.
Value widenInit(OpBuilder &builder, Location loc, Value init) {
  APFloat constant(0.f);
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.value(), m_ConstantFloat(&constant)))
    return castElements(builder, loc, init, builder.getF32Type());
  bool losesInfo = false;
  constant.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  Value value = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(constant.convertToFloat()));
  Value empty = tensor::EmptyOp::create(
      builder, loc, cast<RankedTensorType>(init.getType()).getShape(),
      builder.getF32Type());
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

void widen(linalg::GenericOp op, IRRewriter &rewriter) {
  // The sums in f32 are memory besides, small beside what is added up.
  int64_t joined = 1;
  for (auto [extent, loop] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    joined *= loop == utils::IteratorType::reduction ? extent : 1;
  if (joined < kMinJoined)
    return;
  // Matrix libraries add in f32.
  std::optional<lower::Contraction> contraction = lower::getContraction(op);
  if (contraction && contraction->points() >= lower::kSmallProduct &&
      lower::matchMatmul(*contraction))
    return;
  SmallVector<Operation *> joins;
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    joins.push_back(findRoundingJoin(op, number));
  if (llvm::none_of(joins, [](Operation *join) { return join; }))
    return;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> outs = llvm::to_vector(op.getOutputs());
  for (auto [out, join] : llvm::zip_equal(outs, joins))
    if (join)
      out = widenInit(rewriter, loc, out);
  auto wide = linalg::GenericOp::create(
      rewriter, loc, TypeRange(ValueRange(outs)), op.getInputs(), outs,
      op.getIndexingMapsArray(), op.getIteratorTypesArray());
  wide->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  unsigned numInputs = op.getNumDpsInputs();
  rewriter.inlineRegionBefore(op.getRegion(), wide.getRegion(),
                              wide.getRegion().begin());
  SmallVector<Value> results(wide.getResults());
  for (auto [number, join] : llvm::enumerate(joins)) {
    if (!join)
      continue;
    Type narrow = join->getResult(0).getType();
    BlockArgument carried = wide.getBody()->getArgument(numInputs + number);
    carried.setType(rewriter.getF32Type());
    rewriter.setInsertionPoint(join);
    for (OpOperand &operand : join->getOpOperands())
      if (operand.get() != carried)
        operand.set(arith::ExtFOp::create(
            rewriter, join->getLoc(), rewriter.getF32Type(), operand.get()));
    join->getResult(0).setType(rewriter.getF32Type());
    rewriter.setInsertionPointAfter(wide);
    results[number] = castElements(rewriter, loc, results[number], narrow);
  }
  rewriter.replaceOp(op, results);
}

class WidenSums : public impl::WidenSumsPassBase<WidenSums> {
public:
  using WidenSumsPassBase::WidenSumsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : lower::generalize(
             getOperation(), rewriter, [](linalg::LinalgOp named) {
               return named.getNumReductionLoops() > 0;
             }))
      widen(op, rewriter);
  }
};

} // namespace
} // namespace tpc
