// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values depend on those a gradient is wanted of.
//
// A result is active when it is a float (tensor) and its operation reads an
// active value. What a loop carries is active when its initial value or what is
// yielded for it is, which depends on what it carries: the least fixpoint.

#include "Activity.h"
#include "tpc/Interfaces/Adjoint.h"

using namespace mlir;

namespace tpc::autodiff {

void forEachRead(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk([&](Operation *inside) {
    for (Value value : inside->getOperands()) {
      Operation *owner = value.getParentBlock()->getParentOp();
      if (inside == op || !owner || !op->isAncestor(owner))
        visit(value);
    }
  });
}

Activity::Activity(Block &block, ValueRange wanted)
    : values(wanted.begin(), wanted.end()) {
  visit(block);
}

void Activity::replace(Operation *from, ValueRange to) {
  for (auto [old, now] : llvm::zip(from->getResults(), to))
    if (values.erase(old))
      values.insert(now);
}

bool Activity::activate(Value value, ValueRange reasons) {
  return isDifferentiable(value.getType()) &&
         llvm::any_of(reasons, [&](Value v) { return contains(v); }) &&
         values.insert(value).second;
}

void Activity::visitLoop(scf::ForOp loop) {
  for (auto [carried, init] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    activate(carried, init);
  for (bool changed = true; changed;) {
    changed = false;
    visit(*loop.getBody());
    for (auto [carried, yielded] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
      changed |= activate(carried, yielded);
  }
  for (auto [result, yielded] :
       llvm::zip_equal(loop.getResults(), loop.getYieldedValues()))
    activate(result, yielded);
}

void Activity::visitBranch(scf::IfOp branch) {
  visit(*branch.thenBlock());
  visit(*branch.elseBlock());
  for (auto [result, first, second] :
       llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands(),
                       branch.elseYield().getOperands()))
    activate(result, {first, second});
}

void Activity::visit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() == 0)
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      visitBranch(branch);
    } else {
      SmallVector<Value> reads;
      forEachRead(&op, [&](Value value) { reads.push_back(value); });
      for (Value result : op.getResults())
        activate(result, reads);
    }
  }
}

} // namespace tpc::autodiff
