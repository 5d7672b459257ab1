// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of a loop is a loop over the same iterations backward.
//
//   %r = scf.for %i = 0 to T iter_args(%c = %init) { ... yield %next }
//
// becomes, where the derivative of the body reads %v of the body and %w from
// around the loop is active,
//
//   %r, %vs = scf.for %i = 0 to T iter_args(%c = %init, %all = empty) {
//     ... yield %next, insert_slice %v into %all[%i] }
//   %dinit, %dw = scf.for %k = 0 to T iter_args(%dc = %dr, %sum = 0) {
//     %i = T - 1 - %k
//     %v = extract_slice %vs[%i]
//     ... yield (cotangent of %c, from %dc), %sum + (contribution to %w) }
//
// The body's operations run once. What they computed is stacked, one slice per
// iteration, as far as the adjoint reads it (Residuals.h).
//
// Carried backward is what the cotangents of the results can reach, over any
// number of iterations, and nothing for what they cannot.

#include "Residuals.h"
#include "ReverseMode.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tpc/Interfaces/Adjoint.h"

using namespace mlir;

namespace tpc::autodiff {

namespace {
class LoopAdjoint {
public:
  LoopAdjoint(ReverseMode &outer, scf::ForOp loop, OpBuilder &builder,
              ValueRange cotangents)
      : outer(outer), activity(outer.getActivity()), loop(loop),
        builder(builder), loc(loop.getLoc()), cotangents(cotangents) {}

  LogicalResult run(ReverseMode::Explain explain);

private:
  LogicalResult verify();
  void findCarried();
  void createLoop();
  LogicalResult fillBody(ReverseMode::Explain explain);
  llvm::BitVector findUnused();
  void dropUnused();
  void connectResiduals();
  SmallVector<Value> stack(ArrayRef<Value> saved);

  Value carried(unsigned i) { return loop.getRegionIterArg(i); }
  Value init(unsigned i) { return loop.getInitArgs()[i]; }
  Value yielded(unsigned i) { return loop.getYieldedValues()[i]; }

  ReverseMode &outer;
  Activity &activity;
  scf::ForOp loop;
  OpBuilder &builder;
  Location loc;
  ValueRange cotangents;

  SmallVector<unsigned> flowing;
  SmallVector<Value> captures;
  /// The loop that runs backward.
  scf::ForOp backward;
  /// What the results of `backward` are cotangents of: first initial values of
  /// `loop`, so many, then captures.
  SmallVector<Value> targets;
  unsigned numFlowing;
};
} // namespace

/// [F1], [F2].
LogicalResult LoopAdjoint::verify() {
  if (!isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1) ||
      !getConstantIntValue(loop.getUpperBound()))
    return loop.emitError("expected a loop from 0 in steps of 1 to a constant "
                          "to differentiate");
  for (Value value :
       llvm::concat<Value>(llvm::to_vector(loop.getInitArgs()), captures)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || tp::getPlacement(type))
      return loop.emitError("expected tensors of static shape without "
                            "placement to differentiate a loop, got ")
             << value.getType();
  }
  return success();
}

/// The carried values whose cotangent is not known to be zero: those whose
/// result has one, and those that a yielded value with one is computed from.
void LoopAdjoint::findCarried() {
  llvm::SmallBitVector reached(loop.getNumResults());
  SmallVector<Value> worklist;
  llvm::DenseSet<Value> seen;
  auto reach = [&](unsigned i) {
    if (reached.test(i))
      return;
    reached.set(i);
    worklist.push_back(yielded(i));
  };
  for (auto [i, cotangent] : llvm::enumerate(cotangents))
    if (cotangent)
      reach(i);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (value.getParentBlock() != loop.getBody() || !activity.contains(value) ||
        !seen.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp())
      forEachRead(op, [&](Value read) { worklist.push_back(read); });
    else
      reach(cast<BlockArgument>(value).getArgNumber() -
            loop.getNumInductionVars());
  }
  for (unsigned i : reached.set_bits())
    if (activity.contains(carried(i)))
      flowing.push_back(i);
}

void LoopAdjoint::createLoop() {
  SmallVector<Value> inits;
  for (unsigned i : flowing) {
    targets.push_back(init(i));
    inits.push_back(cotangents[i]
                        ? cotangents[i]
                        : createSplat(builder, loc, init(i).getType(), 0));
  }
  numFlowing = targets.size();
  for (Value capture : captures) {
    targets.push_back(capture);
    inits.push_back(createSplat(builder, loc, capture.getType(), 0));
  }
  backward = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                loop.getUpperBound(), loop.getStep(), inits);
}

LogicalResult LoopAdjoint::fillBody(ReverseMode::Explain explain) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(backward.getBody());
  ReverseMode reverse(*loop.getBody(), activity);
  auto sums = backward.getRegionIterArgs().drop_front(flowing.size());
  for (auto [capture, sum] : llvm::zip_equal(captures, sums))
    reverse.accumulate(capture, sum);
  for (auto [k, i] : llvm::enumerate(flowing))
    reverse.addCotangent(builder, loc, yielded(i),
                         backward.getRegionIterArg(k));
  bool ok = succeeded(reverse.run(builder, explain));

  SmallVector<Value> next;
  for (unsigned i : flowing) {
    Value cotangent = reverse.getCotangent(carried(i));
    next.push_back(cotangent ? cotangent
                             : createSplat(builder, loc, init(i).getType(), 0));
  }
  for (Value capture : captures)
    next.push_back(reverse.getCotangent(capture));
  scf::YieldOp::create(builder, loc, next);
  eraseDeadOperations(*backward.getBody());
  return success(ok);
}

/// What the loop need not carry: a value that stays what it was, as a sum to
/// which nothing is added, and a cotangent that neither an iteration nor an
/// initial value needs.
llvm::BitVector LoopAdjoint::findUnused() {
  Operation *yield = backward.getBody()->getTerminator();
  llvm::BitVector unused(targets.size());
  for (unsigned k = 0, e = targets.size(); k < e; ++k) {
    BlockArgument arg = backward.getRegionIterArg(k);
    bool same = yield->getOperand(k) == arg;
    bool read = llvm::any_of(arg.getUses(), [&](OpOperand &use) {
      return use.getOwner() != yield || use.getOperandNumber() != k;
    });
    if (same || (!read && !activity.contains(targets[k])))
      unused.set(k);
  }
  return unused;
}

void LoopAdjoint::dropUnused() {
  for (llvm::BitVector unused = findUnused(); unused.any();
       unused = findUnused()) {
    Operation *yield = backward.getBody()->getTerminator();
    llvm::BitVector arguments(1);
    SmallVector<Value> inits, kept;
    for (auto [k, init] : llvm::enumerate(backward.getInitArgs())) {
      BlockArgument arg = backward.getRegionIterArg(k);
      arguments.push_back(unused.test(k));
      if (!unused.test(k)) {
        inits.push_back(init);
        kept.push_back(targets[k]);
        continue;
      }
      if (yield->getOperand(k) == arg && k < numFlowing)
        outer.addCotangent(builder, loc, targets[k], init);
      arg.replaceAllUsesWith(init);
    }
    numFlowing -= llvm::count_if(unused.set_bits(),
                                 [&](unsigned k) { return k < numFlowing; });
    targets = std::move(kept);
    yield->eraseOperands(unused);
    backward.getBody()->eraseArguments(arguments);
    auto smaller =
        scf::ForOp::create(builder, loc, backward.getLowerBound(),
                           backward.getUpperBound(), backward.getStep(), inits);
    smaller.getRegion().takeBody(backward.getRegion());
    backward.erase();
    backward = smaller;
    eraseDeadOperations(*backward.getBody());
  }
}

/// Where the slice of iteration `i` lies in the stack of values of `type`.
static void getSlice(OpBuilder &builder, RankedTensorType type, Value i,
                     SmallVectorImpl<OpFoldResult> &offsets,
                     SmallVectorImpl<OpFoldResult> &sizes,
                     SmallVectorImpl<OpFoldResult> &strides) {
  offsets.assign(type.getRank() + 1, builder.getIndexAttr(0));
  offsets.front() = i;
  sizes.push_back(builder.getIndexAttr(1));
  for (int64_t size : type.getShape())
    sizes.push_back(builder.getIndexAttr(size));
  strides.assign(type.getRank() + 1, builder.getIndexAttr(1));
}

/// Replaces the loop by one that also gives the values `saved` of its body, of
/// all iterations.
SmallVector<Value> LoopAdjoint::stack(ArrayRef<Value> saved) {
  OpBuilder forward(loop);
  int64_t trips = *getConstantIntValue(loop.getUpperBound());
  SmallVector<Value> inits(loop.getInitArgs());
  for (Value value : saved) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), trips);
    inits.push_back(tensor::EmptyOp::create(forward, value.getLoc(), shape,
                                            type.getElementType()));
  }
  auto larger = scf::ForOp::create(forward, loc, loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(), inits);
  larger->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  larger.getRegion().takeBody(loop.getRegion());
  Operation *yield = larger.getBody()->getTerminator();
  forward.setInsertionPoint(yield);
  for (auto [value, init] :
       llvm::zip_equal(saved, ArrayRef(inits).take_back(saved.size()))) {
    Value all = larger.getBody()->addArgument(init.getType(), value.getLoc());
    SmallVector<OpFoldResult> offsets, sizes, strides;
    getSlice(forward, cast<RankedTensorType>(value.getType()),
             larger.getInductionVar(), offsets, sizes, strides);
    Value next = tensor::InsertSliceOp::create(forward, value.getLoc(), value,
                                               all, offsets, sizes, strides);
    yield->insertOperands(yield->getNumOperands(), next);
  }
  auto kept = larger.getResults().take_front(loop.getNumResults());
  loop.replaceAllUsesWith(kept);
  activity.replace(loop, kept);
  loop.erase();
  loop = larger;
  return llvm::to_vector_of<Value>(loop.getResults().take_back(saved.size()));
}

void LoopAdjoint::connectResiduals() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(backward.getBody());
  Value last = arith::ConstantIndexOp::create(
      builder, loc, *getConstantIntValue(loop.getUpperBound()) - 1);
  Value iteration =
      arith::SubIOp::create(builder, loc, last, backward.getInductionVar());
  IRMapping known;
  known.map(loop.getInductionVar(), iteration);
  Residuals residuals(*loop.getBody(), backward.getRegion(), std::move(known));
  SmallVector<Value> saved(residuals.getSaved());
  SmallVector<Value> stacks;
  if (!saved.empty())
    stacks = stack(saved);
  residuals.replaceReads(builder, [&](unsigned number) -> Value {
    auto type = cast<RankedTensorType>(saved[number].getType());
    SmallVector<OpFoldResult> offsets, sizes, strides;
    getSlice(builder, type, iteration, offsets, sizes, strides);
    return tensor::ExtractSliceOp::create(builder, saved[number].getLoc(), type,
                                          stacks[number], offsets, sizes,
                                          strides);
  });
  if (iteration.use_empty())
    eraseDeadOperations(*backward.getBody());
}

LogicalResult LoopAdjoint::run(ReverseMode::Explain explain) {
  captures = getActiveCaptures(loop, activity);
  if (failed(verify()))
    return failure();
  findCarried();
  createLoop();
  if (failed(fillBody(explain)))
    return failure();
  dropUnused();
  if (targets.empty()) {
    backward.erase();
    return success();
  }
  connectResiduals();
  for (auto [target, result] : llvm::zip_equal(targets, backward.getResults()))
    outer.addCotangent(builder, loc, target, result);
  return success();
}

LogicalResult buildLoopAdjoint(ReverseMode &outer, scf::ForOp loop,
                               OpBuilder &builder, ValueRange cotangents,
                               ReverseMode::Explain explain) {
  return LoopAdjoint(outer, loop, builder, cotangents).run(explain);
}

} // namespace tpc::autodiff
