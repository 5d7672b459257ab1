// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the functions of a program and the loops and branches in them.
//
// Long programs and bodies are cut into segments, functions that are called in
// order: the time to compile a function grows faster than its length. Host
// values lie in a frame that segments share.
#include "HostEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tpc::lower {

/// Actions of one segment.
static constexpr size_t kSegment = 64;

void HostEmitter::beginFunction(const Twine &name, bool isSegment) {
  SmallVector<Type> parameters(isSegment ? 5 : 4, ptr);
  current = {};
  current.function = LLVM::LLVMFuncOp::create(
      b, name.str(), LLVM::LLVMFunctionType::get(i32, parameters),
      isSegment ? LLVM::Linkage::Internal : LLVM::Linkage::External);
  Block *entry = current.function.addEntryBlock(b);
  Region &body = current.function.getBody();
  current.failure = b.createBlock(&body, body.end(), {i32}, {b.getLoc()});
  LLVM::ReturnOp::create(b, current.failure->getArgument(0));
  b.setInsertionPointToStart(entry);
  current.rank = entry->getArgument(0);
  current.arguments = entry->getArgument(1);
  current.results = entry->getArgument(2);
  current.workspace = entry->getArgument(3);
  current.scratch = LLVM::AllocaOp::create(b, ptr, ptr, constant64(1));
  if (isSegment)
    current.frame = entry->getArgument(4);
  else
    current.frame = LLVM::AllocaOp::create(b, ptr, i64, constant64(1));
}

void HostEmitter::endFunction() {
  LLVM::ReturnOp::create(b, constant32(0));
  b.setInsertionPoint(current.scratch);
  current.scratch.getArraySizeMutable().assign(constant64(current.scratchSize));
  if (auto frame = current.frame.getDefiningOp<LLVM::AllocaOp>())
    frame.getArraySizeMutable().assign(
        constant64(std::max<int64_t>(1, slots.size())));
}

/// The actions of a function, a segment or a body, in segments if they are
/// many.
void HostEmitter::emitBody(Actions actions) {
  if (actions.size() <= kSegment)
    return emitActions(actions);
  while (!actions.empty()) {
    Actions rest = actions;
    while (!rest.empty() && actions.size() - rest.size() < kSegment)
      (void)takeUnit(rest);
    emitSegment(actions.drop_back(rest.size()));
    actions = rest;
  }
}

/// Writes a function with `actions`, and calls it.
void HostEmitter::emitSegment(Actions actions) {
  OpBuilder::InsertPoint caller = b.saveInsertionPoint();
  Location loc = b.getLoc();
  Function outer = std::move(current);
  func::FuncOp source = program.function;
  b.setInsertionPoint(source);
  beginFunction("tpc_fn_" + source.getName() + "." + Twine(numSegments++),
                /*isSegment=*/true);
  emitActions(actions);
  endFunction();
  LLVM::LLVMFuncOp segment = current.function;
  current = std::move(outer);
  b.restoreInsertionPoint(caller);
  b.setLoc(loc);
  call(segment, {current.rank, current.arguments, current.results,
                 current.workspace, current.frame});
}

void HostEmitter::emitActions(Actions actions) {
  while (!actions.empty())
    emitUnit(takeUnit(actions));
}

HostEmitter::Actions HostEmitter::takeUnit(Actions &actions) {
  size_t count = 0;
  if (!actions.front().isMarker()) {
    unsigned group = actions.front().group;
    while (count < actions.size() && !actions[count].isMarker() &&
           actions[count].group == group)
      ++count;
  } else {
    int depth = 0;
    do {
      Action::Kind kind = actions[count++].kind;
      depth +=
          kind == Action::Kind::LoopBegin || kind == Action::Kind::BranchBegin;
      depth -= kind == Action::Kind::LoopEnd || kind == Action::Kind::BranchEnd;
    } while (depth > 0);
  }
  Actions unit = actions.take_front(count);
  actions = actions.drop_front(count);
  return unit;
}

void HostEmitter::emitUnit(Actions unit) {
  b.setLoc(unit.front().loc);
  if (unit.front().kind == Action::Kind::LoopBegin)
    emitFor(unit);
  else if (unit.front().kind == Action::Kind::BranchBegin)
    emitIf(unit);
  else
    emitGroup(unit);
}

void HostEmitter::emitFor(Actions unit) {
  auto loop = cast<scf::ForOp>(unit.front().op);
  Value index = loop.getInductionVar();
  auto constantBound = [&](Value value) {
    return constant64(*getConstantIntValue(value));
  };
  LLVM::StoreOp::create(b, constantBound(loop.getLowerBound()), slot(index));
  Block *exit = newBlock(), *body = newBlock(), *header = newBlock();
  LLVM::BrOp::create(b, header);

  b.setInsertionPointToEnd(header);
  Value inside = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt,
                                      LLVM::LoadOp::create(b, i64, slot(index)),
                                      constantBound(loop.getUpperBound()));
  LLVM::CondBrOp::create(b, inside, body, exit);

  b.setInsertionPointToEnd(body);
  // What an iteration computes or loads is not there behind the loop.
  IRMapping outside = current.scalars;
  int64_t before = iterations;
  iterations *= loop.getStaticTripCount()->getSExtValue();
  emitBody(unit.drop_front().drop_back());
  iterations = before;
  current.scalars = std::move(outside);
  b.setLoc(unit.front().loc);
  Value next = LLVM::AddOp::create(b, LLVM::LoadOp::create(b, i64, slot(index)),
                                   constantBound(loop.getStep()));
  LLVM::StoreOp::create(b, next, slot(index));
  LLVM::BrOp::create(b, header);
  b.setInsertionPointToEnd(exit);
}

void HostEmitter::emitIf(Actions unit) {
  auto branch = cast<scf::IfOp>(unit.front().op);
  Value condition = scalar(branch.getCondition());
  Block *exit = newBlock(), *second = newBlock(), *first = newBlock();
  LLVM::CondBrOp::create(b, condition, first, second);
  auto middle = llvm::find_if(unit, [&](const Action &action) {
    return action.kind == Action::Kind::BranchElse && action.op == branch;
  });
  IRMapping outside = current.scalars;
  auto emitBranch = [&](Block *block, Actions body) {
    b.setInsertionPointToEnd(block);
    emitBody(body);
    b.setLoc(unit.front().loc);
    LLVM::BrOp::create(b, exit);
    current.scalars = outside;
  };
  emitBranch(first, Actions(unit.begin() + 1, middle));
  emitBranch(second, Actions(middle + 1, unit.end() - 1));
  b.setInsertionPointToEnd(exit);
}

} // namespace tpc::lower
