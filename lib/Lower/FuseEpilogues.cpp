// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the elementwise operations behind a contraction that its matmul call
// can do.
//
// The operations behind a contraction form a chain as long as each has one
// user. They are fused one after the other, and the longest beginning that is
// an epilogue is kept: a beginning may be none while a longer one is (an f32
// sum with a bias whose type is that of the rounded result).
#include "Epilogue.h"
#include "FuseActivations.h"
#include "OperandView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

/// Bias, activation, rounding and a change of layout.
constexpr unsigned kMaxChain = 4;

bool isElementwise(linalg::GenericOp generic) {
  return generic && generic->getNumResults() == 1 &&
         generic.getNumLoops() == generic.getNumParallelLoops() &&
         !lower::matchContraction(generic);
}

linalg::GenericOp onlyUser(Operation *op) {
  if (!op->hasOneUse())
    return {};
  auto user = dyn_cast<linalg::GenericOp>(*op->user_begin());
  return isElementwise(user) && user->getBlock() == op->getBlock()
             ? user
             : linalg::GenericOp();
}

class EpilogueFuser {
public:
  EpilogueFuser(func::FuncOp function, IRRewriter &rewriter)
      : function(function), rewriter(rewriter) {}

  void run();

private:
  linalg::GenericOp addBiasLater(linalg::GenericOp product);
  void dropReluArgument(linalg::GenericOp relu, DominanceInfo &dominance);
  void fuse(linalg::GenericOp product);
  void reshapeLater(Operation *op);
  void readNarrow(linalg::GenericOp &generic, Value product);

  func::FuncOp function;
  IRRewriter &rewriter;
};

} // namespace

/// True when all that `generic` does with operand `number` is to ask whether it
/// is positive (or NaN).
static bool onlyComparesWithZero(linalg::GenericOp generic, unsigned number) {
  return llvm::all_of(
      generic.getBody()->getArgument(number).getUses(), [](OpOperand &use) {
        auto compare = dyn_cast<arith::CmpFOp>(use.getOwner());
        return compare && use.getOperandNumber() == 0 &&
               matchPattern(compare.getRhs(), m_AnyZeroFloat()) &&
               (compare.getPredicate() == arith::CmpFPredicate::OGT ||
                compare.getPredicate() == arith::CmpFPredicate::UGT);
      });
}

/// The sum of a product that starts from a broadcast bias is the product and
/// the bias, where the call adds that.
linalg::GenericOp EpilogueFuser::addBiasLater(linalg::GenericOp product) {
  auto start = product.getOutputs()[0].getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(start) || start.getNumDpsInputs() != 1 ||
      !isa<RankedTensorType>(start.getInputs()[0].getType()))
    return product;
  SmallVector<AffineMap> maps = start.getIndexingMapsArray();
  Value yielded = start.getBody()->getTerminator()->getOperand(0);
  if (auto extension = yielded.getDefiningOp<arith::ExtFOp>())
    yielded = extension.getIn();
  if (yielded != start.getBody()->getArgument(0) || !maps[1].isIdentity() ||
      maps[0].getNumResults() == maps[0].getNumDims())
    return product;
  rewriter.setInsertionPoint(product);
  Location loc = product.getLoc();
  auto type = cast<RankedTensorType>(product.getResult(0).getType());
  Type element = type.getElementType();
  if (!isa<FloatType>(element))
    return product;
  Value zero = arith::ConstantOp::create(rewriter, loc,
                                         rewriter.getFloatAttr(element, 0));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, type.getShape(), element);
  Value fill = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  auto bare = cast<linalg::GenericOp>(rewriter.clone(*product));
  bare.getOutputsMutable()[0].set(fill);
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(type.getRank(), product.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto sum = linalg::GenericOp::create(
      rewriter, loc, type, ValueRange{bare.getResult(0), start.getInputs()[0]},
      empty, ArrayRef<AffineMap>{identity, maps[0], identity}, loops,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        Value bias = args[1];
        if (bias.getType() != element)
          bias = arith::ExtFOp::create(builder, bodyLoc, element, bias);
        Value value = arith::AddFOp::create(builder, bodyLoc, args[0], bias);
        linalg::YieldOp::create(builder, bodyLoc, value);
      });
  sum->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  rewriter.replaceAllUsesWith(product.getResult(0), sum.getResult(0));
  fuse(bare);
  if (lower::fusedConsumer(bare)) {
    rewriter.eraseOp(product);
    return bare;
  }
  // Fusion may have put another operation in the place of the sum.
  Operation *same = *bare->user_begin();
  rewriter.replaceOp(same, product);
  rewriter.eraseOp(bare);
  return product;
}

/// True for the result of a product, or of the bias and the rounding behind
/// one.
static bool isMadeOfProduct(Value value, unsigned depth = 0) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || depth == kMaxChain)
    return false;
  if (lower::matchContraction(generic))
    return true;
  return isElementwise(generic) &&
         llvm::any_of(generic.getInputs(), [&](Value input) {
           return isMadeOfProduct(input, depth + 1);
         });
}

/// Who asks for the sign of the argument of `relu` gets its result, when then
/// nobody else reads the argument, which a matmul call may have made.
void EpilogueFuser::dropReluArgument(linalg::GenericOp relu,
                                     DominanceInfo &dominance) {
  Value x = relu.getInputs()[0];
  if (!isMadeOfProduct(x) ||
      !llvm::all_of(relu.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return;
  SmallVector<OpOperand *> others;
  for (OpOperand &use : x.getUses()) {
    if (use.getOwner() == relu)
      continue;
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user || !user.isDpsInput(&use) ||
        !onlyComparesWithZero(user, use.getOperandNumber()) ||
        !dominance.properlyDominates(relu, user))
      return;
    others.push_back(&use);
  }
  for (OpOperand *use : others)
    use->set(relu.getResult(0));
}

/// A conversion of a reshaped tensor is the reshape of the converted one.
void EpilogueFuser::reshapeLater(Operation *op) {
  if (!op->hasOneUse())
    return;
  Operation *reshape = *op->user_begin();
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reshape) ||
      !reshape->hasOneUse() || reshape->getBlock() != op->getBlock())
    return;
  auto user = dyn_cast<linalg::GenericOp>(*reshape->user_begin());
  if (!isElementwise(user) || user.getNumDpsInputs() != 1 ||
      user.getInputs()[0] != reshape->getResult(0) ||
      !user.getBody()->getArgument(1).use_empty() ||
      !user.getBody()->getOps<linalg::IndexOp>().empty() ||
      !llvm::all_of(user.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return;
  auto before = cast<RankedTensorType>(op->getResult(0).getType());
  auto after = cast<RankedTensorType>(user.getResult(0).getType());
  rewriter.setInsertionPoint(user);
  Location loc = user.getLoc();
  Value empty = tensor::EmptyOp::create(rewriter, loc, before.getShape(),
                                        after.getElementType());
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(before.getRank(), op->getContext());
  SmallVector<utils::IteratorType> loops(before.getRank(),
                                         utils::IteratorType::parallel);
  auto moved = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), op->getResult(0), empty,
      ArrayRef<AffineMap>{identity, identity}, loops);
  IRMapping mapping;
  user.getRegion().cloneInto(&moved.getRegion(), mapping);
  moved->setDiscardableAttrs(user->getDiscardableAttrDictionary());
  Operation *shaped = rewriter.clone(*reshape);
  shaped->setOperand(0, moved.getResult(0));
  shaped->getResult(0).setType(after);
  rewriter.replaceOp(user, shaped);
  rewriter.eraseOp(reshape);
}

/// Operands of `generic` but `product` that were only widened for it are read
/// as they are.
void EpilogueFuser::readNarrow(linalg::GenericOp &generic, Value product) {
  rewriter.setInsertionPoint(generic);
  SmallVector<Value> inputs = generic.getInputs();
  for (Value &input : inputs) {
    if (input == product || !isa<RankedTensorType>(input.getType()))
      continue;
    lower::OperandView view = lower::viewOperand(input, rewriter);
    if (view.isIdentity())
      input = view.root;
  }
  if (llvm::equal(inputs, generic.getInputs()))
    return;
  auto narrow = linalg::GenericOp::create(
      rewriter, generic.getLoc(), generic->getResultTypes(), inputs,
      generic.getOutputs(), generic.getIndexingMapsArray(),
      generic.getIteratorTypesArray());
  IRMapping mapping;
  generic.getRegion().cloneInto(&narrow.getRegion(), mapping);
  narrow->setDiscardableAttrs(generic->getDiscardableAttrDictionary());
  Block *body = narrow.getBody();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  for (auto [number, input] : llvm::enumerate(inputs)) {
    BlockArgument argument = body->getArgument(number);
    Type wide = argument.getType(), type = getElementTypeOrSelf(input);
    if (type == wide)
      continue;
    argument.setType(type);
    auto extension =
        arith::ExtFOp::create(builder, generic.getLoc(), wide, argument);
    argument.replaceAllUsesExcept(extension, extension);
  }
  rewriter.replaceOp(generic, narrow);
  generic = narrow;
}

void EpilogueFuser::fuse(linalg::GenericOp product) {
  reshapeLater(product);
  linalg::GenericOp last = onlyUser(product);
  if (!last || last->hasAttr(kEpilogue))
    return;
  readNarrow(last, product.getResult(0));
  // `fused` does what the chain up to `last` does.
  linalg::GenericOp fused = last, best, bestLast;
  SmallVector<linalg::GenericOp> chain = {last}, trials;
  auto judge = [&] {
    if (lower::matchFusedMatmul(product, fused)) {
      best = fused;
      bestLast = last;
    }
  };
  judge();
  for (unsigned length = 1; length < kMaxChain; ++length) {
    reshapeLater(last);
    linalg::GenericOp next = onlyUser(last);
    if (!next || next->hasAttr(kEpilogue))
      break;
    readNarrow(next, last.getResult(0));
    // The fused operation takes the place of the last one to fuse it on.
    OpOperand *operand = nullptr;
    for (OpOperand *input : next.getDpsInputOperands())
      if (input->get() == last.getResult(0))
        operand = input;
    if (!operand)
      break;
    operand->set(fused.getResult(0));
    bool possible = linalg::areElementwiseOpsFusable(operand);
    rewriter.setInsertionPoint(next);
    FailureOr<linalg::ElementwiseOpFusionResult> result = failure();
    if (possible)
      result = linalg::fuseElementwiseOps(rewriter, operand);
    operand->set(last.getResult(0));
    if (failed(result))
      break;
    fused = cast<linalg::GenericOp>(result->fusedOp);
    trials.push_back(fused);
    last = next;
    chain.push_back(last);
    judge();
  }
  for (linalg::GenericOp trial : llvm::reverse(trials))
    if (trial != best)
      rewriter.eraseOp(trial);
  if (!best)
    return;
  best->setAttr(kEpilogue, rewriter.getI32IntegerAttr(
                               *lower::epilogueFlags(product, best)));
  if (best == chain.front())
    return;
  rewriter.replaceAllUsesWith(bestLast.getResult(0), best.getResult(0));
  for (linalg::GenericOp link : llvm::reverse(chain))
    if (link->use_empty())
      rewriter.eraseOp(link);
}

void EpilogueFuser::run() {
  DominanceInfo dominance(function);
  SmallVector<linalg::GenericOp> relus, products, sums;
  function.walk([&](linalg::GenericOp generic) {
    if (lower::isRelu(generic))
      relus.push_back(generic);
    if (lower::matchContraction(generic))
      products.push_back(generic);
    else if (generic.getNumReductionLoops() > 0)
      sums.push_back(generic);
  });
  for (linalg::GenericOp relu : relus)
    dropReluArgument(relu, dominance);
  for (linalg::GenericOp &product : products)
    product = addBiasLater(product);
  for (linalg::GenericOp product : products)
    fuse(product);
  // A derivative may need the argument of an activation, which the call that
  // computes both then writes.
  for (linalg::GenericOp product : products)
    lower::fuseGradient(product, rewriter);
  for (linalg::GenericOp product : products)
    lower::fuseGelu(product, rewriter);
  for (linalg::GenericOp sum : sums)
    lower::fuseSum(sum, rewriter);
}

namespace {

class FuseEpilogues : public impl::FuseEpiloguesPassBase<FuseEpilogues> {
public:
  using FuseEpiloguesPassBase::FuseEpiloguesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    EpilogueFuser(getOperation(), rewriter).run();
  }
};

} // namespace
} // namespace tpc
