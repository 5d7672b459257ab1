// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and branches as markers around the actions of their bodies.
//
// A carried tensor has one buffer. It is filled with the initial value before
// the loop, the body reads it, and at the end of each iteration the yielded
// value is copied into it; behind the loop it is the result. Which of these
// copies move anything is decided with the places (BufferPlan.cpp): a value
// that is computed in the carried buffer's own place needs none. A branch's
// result has one buffer too, which both branches end by copying into.
#include "ProgramBuilder.h"

using namespace mlir;

namespace tpc::lower {

LogicalResult ProgramBuilder::addBody(Block &block) {
  bodies.push_back({&block, {}});
  bool failedAny = false;
  for (Operation &op : block.without_terminator())
    failedAny |= failed(addOrSkip(&op));
  return success(!failedAny);
}

std::vector<Action> ProgramBuilder::takeBody() {
  std::vector<Action> actions = std::move(bodies.back().actions);
  bodies.pop_back();
  return actions;
}

/// The copies at the end of an iteration happen at once: a tensor that another
/// one takes over is read before it is overwritten.
void ProgramBuilder::addYields(Location loc, ArrayRef<BufferId> targets,
                               ValueRange values) {
  struct Move {
    BufferId source, target;
    RankedTensorType type;
  };
  SmallVector<Move> moves;
  for (auto [target, value] : llvm::zip_equal(targets, values))
    if (BufferId source = use(value); source != target)
      moves.push_back(
          {source, target, cast<RankedTensorType>(value.getType())});
  while (!moves.empty()) {
    auto ready = llvm::find_if(moves, [&](const Move &move) {
      return llvm::none_of(moves, [&](const Move &other) {
        return &other != &move && other.source == move.target;
      });
    });
    if (ready != moves.end()) {
      addCopy(loc, ready->source, ready->target, ready->type);
      moves.erase(ready);
      continue;
    }
    // Only circles are left: one tensor of one of them steps aside.
    BufferId aside = newBuffer(moves.front().type);
    addCopy(loc, moves.front().source, aside, moves.front().type);
    moves.front().source = aside;
  }
}

std::optional<BufferId>
ProgramBuilder::carriedTarget(tensor::InsertSliceOp op) const {
  auto argument = dyn_cast<BlockArgument>(op.getDest());
  if (!argument || !argument.hasOneUse() || !op->hasOneUse())
    return std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || loop.getTiedLoopYieldedValue(argument) != &*op->use_begin())
    return std::nullopt;
  return bufferOf.lookup(argument);
}

LogicalResult ProgramBuilder::addFor(scf::ForOp op) {
  if (!op.getStaticTripCount())
    return unsupported(op) << "a loop without constant bounds and step";
  SmallVector<BufferId> carried;
  for (auto [init, argument, result] : llvm::zip_equal(
           op.getInits(), op.getRegionIterArgs(), op.getResults())) {
    if (failed(checkType(op, init.getType())))
      return failure();
    carried.push_back(startFrom(init, result, op.getLoc()));
    bufferOf[argument] = carried.back();
  }
  LogicalResult added = addBody(*op.getBody());
  if (succeeded(added))
    addYields(op.getLoc(), carried, op.getYieldedValues());
  std::vector<Action> body = takeBody();
  // The carried buffers live from here to there, also where the body does not
  // look at them.
  for (auto kind : {Action::Kind::LoopBegin, Action::Kind::LoopEnd}) {
    Action marker(kind, op.getLoc(), op);
    marker.reads.append(carried.begin(), carried.end());
    append(std::move(marker));
    if (kind == Action::Kind::LoopBegin)
      for (Action &action : body)
        append(std::move(action));
  }
  return added;
}

LogicalResult ProgramBuilder::addIf(scf::IfOp op) {
  if (!op.elseBlock())
    return unsupported(op) << "a branch without an else";
  SmallVector<BufferId> results;
  for (Value result : op.getResults()) {
    if (failed(checkType(op, result.getType())))
      return failure();
    results.push_back(define(result));
  }
  SmallVector<std::vector<Action>, 2> branches;
  bool failedAny = false;
  for (Block *block : {op.thenBlock(), op.elseBlock()}) {
    LogicalResult added = addBody(*block);
    if (succeeded(added))
      addYields(op.getLoc(), results, block->getTerminator()->getOperands());
    failedAny |= failed(added);
    branches.push_back(takeBody());
  }
  append(Action(Action::Kind::BranchBegin, op.getLoc(), op));
  for (auto [number, branch] : llvm::enumerate(branches)) {
    for (Action &action : branch)
      append(std::move(action));
    append(
        Action(number == 0 ? Action::Kind::BranchElse : Action::Kind::BranchEnd,
               op.getLoc(), op));
  }
  return success(!failedAny);
}

/// The CPU's runtime calls return when their work is done: what the host reads
/// is there.
LogicalResult ProgramBuilder::addExtract(tensor::ExtractOp op) {
  RankedTensorType type = op.getTensor().getType();
  if (type.getNumElements() == 0)
    return unsupported(op) << "an element of a tensor without elements";
  Action action(Action::Kind::Extract, op.getLoc(), op);
  action.reads = {use(op.getTensor())};
  SmallVector<int64_t> ones(type.getRank(), 1);
  action.offsets =
      makeHostOffsets(llvm::to_vector(op.getIndices()), ones, type.getShape());
  append(std::move(action));
  return success();
}

} // namespace tpc::lower
