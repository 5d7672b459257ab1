// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of a branch is a branch on the same condition.
//
//   %r = scf.if %c { ... yield %a } else { ... yield %b }
//
// becomes, where the derivative of the first region reads %v of it and %w from
// around the branch is active,
//
//   %r, %v1 = scf.if %c { ... yield %a, %v } else { ... yield %b, 0 }
//   %dw = scf.if %c { ... yield (contribution to %w) } else { yield 0 }
//
// Where a loop around it sums up the cotangent of %w, the branch takes the sum
// so far and gives the next one.

#include "Residuals.h"
#include "ReverseMode.h"
#include "tpc/Interfaces/Adjoint.h"

using namespace mlir;

namespace tpc::autodiff {

namespace {
class BranchAdjoint {
public:
  BranchAdjoint(ReverseMode &outer, scf::IfOp branch, OpBuilder &builder,
                ValueRange cotangents)
      : outer(outer), activity(outer.getActivity()), branch(branch),
        builder(builder), loc(branch.getLoc()), cotangents(cotangents) {}

  LogicalResult run(ReverseMode::Explain explain);

private:
  LogicalResult verify();
  LogicalResult fillRegion(unsigned side, ReverseMode::Explain explain);
  void dropUnused();
  void connectResiduals(unsigned side);
  SmallVector<Value> save(unsigned side, ArrayRef<Value> saved);

  static Block &getBlock(scf::IfOp op, unsigned side) {
    return op->getRegion(side).front();
  }
  /// What the cotangent of `capture` is without the branch.
  Value getStart(Value capture) {
    return outer.isAccumulated(capture) ? outer.getCotangent(capture) : nullptr;
  }

  ReverseMode &outer;
  Activity &activity;
  scf::IfOp branch;
  OpBuilder &builder;
  Location loc;
  ValueRange cotangents;

  /// The branch that gives the cotangents of `captures`.
  scf::IfOp backward;
  SmallVector<Value> captures;
  /// Per capture: whether a region contributes to its cotangent.
  llvm::BitVector used;
};
} // namespace

/// [F2].
LogicalResult BranchAdjoint::verify() {
  for (Value value : llvm::concat<Value>(
           llvm::to_vector_of<Value>(branch.getResults()), captures)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || tp::getPlacement(type))
      return branch.emitError("expected tensors of static shape without "
                              "placement to differentiate a branch, got ")
             << value.getType();
  }
  return success();
}

LogicalResult BranchAdjoint::fillRegion(unsigned side,
                                        ReverseMode::Explain explain) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&getBlock(backward, side));
  Block &forward = getBlock(branch, side);
  ReverseMode reverse(forward, activity);
  for (Value capture : captures)
    if (Value start = getStart(capture))
      reverse.accumulate(capture, start);
  for (auto [value, cotangent] :
       llvm::zip_equal(forward.getTerminator()->getOperands(), cotangents))
    if (cotangent)
      reverse.addCotangent(builder, loc, value, cotangent);
  bool ok = succeeded(reverse.run(builder, explain));

  SmallVector<Value> given;
  for (auto [i, capture] : llvm::enumerate(captures)) {
    Value cotangent = reverse.getCotangent(capture);
    if (cotangent != getStart(capture))
      used.set(i);
    if (!cotangent)
      cotangent = createSplat(builder, loc, capture.getType(), 0);
    given.push_back(cotangent);
  }
  scf::YieldOp::create(builder, loc, given);
  return success(ok);
}

void BranchAdjoint::dropUnused() {
  if (!used.all()) {
    llvm::BitVector unused = used;
    unused.flip();
    SmallVector<Value> kept;
    for (unsigned i : used.set_bits())
      kept.push_back(captures[i]);
    captures = std::move(kept);
    auto smaller = scf::IfOp::create(
        builder, loc, ValueRange(captures).getTypes(), branch.getCondition(),
        /*addThenBlock=*/false, /*addElseBlock=*/false);
    for (unsigned side : {0, 1}) {
      getBlock(backward, side).getTerminator()->eraseOperands(unused);
      smaller->getRegion(side).takeBody(backward->getRegion(side));
    }
    backward.erase();
    backward = smaller;
  }
  for (unsigned side : {0, 1})
    eraseDeadOperations(getBlock(backward, side));
}

/// Replaces the branch by one that also gives the values `saved` of one of its
/// regions.
SmallVector<Value> BranchAdjoint::save(unsigned side, ArrayRef<Value> saved) {
  OpBuilder forward(branch);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, ValueRange(saved).getTypes());
  auto larger =
      scf::IfOp::create(forward, loc, types, branch.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  larger->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (unsigned region : {0, 1}) {
    larger->getRegion(region).takeBody(branch->getRegion(region));
    Operation *yield = getBlock(larger, region).getTerminator();
    forward.setInsertionPoint(yield);
    for (Value value : saved) {
      Value given = value;
      if (region != side)
        given = arith::ConstantOp::create(forward, value.getLoc(),
                                          forward.getZeroAttr(value.getType()));
      yield->insertOperands(yield->getNumOperands(), given);
    }
  }
  auto kept = larger.getResults().take_front(branch.getNumResults());
  branch.replaceAllUsesWith(kept);
  activity.replace(branch, kept);
  branch.erase();
  branch = larger;
  return llvm::to_vector_of<Value>(branch.getResults().take_back(saved.size()));
}

void BranchAdjoint::connectResiduals(unsigned side) {
  Residuals residuals(getBlock(branch, side), backward->getRegion(side),
                      IRMapping());
  SmallVector<Value> results;
  if (!residuals.getSaved().empty())
    results = save(side, residuals.getSaved());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&getBlock(backward, side));
  residuals.replaceReads(builder,
                         [&](unsigned number) { return results[number]; });
}

LogicalResult BranchAdjoint::run(ReverseMode::Explain explain) {
  captures = getActiveCaptures(branch, activity);
  if (failed(verify()))
    return failure();
  used.resize(captures.size());
  backward = scf::IfOp::create(builder, loc, ValueRange(captures).getTypes(),
                               branch.getCondition(), /*addThenBlock=*/true,
                               /*addElseBlock=*/true);
  bool ok = succeeded(fillRegion(0, explain));
  ok &= succeeded(fillRegion(1, explain));
  if (!ok)
    return failure();
  dropUnused();
  if (captures.empty()) {
    backward.erase();
    return success();
  }
  for (unsigned side : {0, 1})
    connectResiduals(side);
  for (auto [capture, result] :
       llvm::zip_equal(captures, backward.getResults())) {
    if (outer.isAccumulated(capture))
      outer.accumulate(capture, result);
    else
      outer.addCotangent(builder, loc, capture, result);
  }
  return success();
}

LogicalResult buildBranchAdjoint(ReverseMode &outer, scf::IfOp branch,
                                 OpBuilder &builder, ValueRange cotangents,
                                 ReverseMode::Explain explain) {
  return BranchAdjoint(outer, branch, builder, cotangents).run(explain);
}

} // namespace tpc::autodiff
