// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the operations whose windows travel together: ranks that lack little of
// one lack more of another, so that their costs are those of all of them.

#include "LinalgBody.h"
#include "Windows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace tpc {

/// Of more than these each is priced alone.
static constexpr size_t kMostSiblings = 16;

/// True when `a` and `b` lie alike in tensors placed alike.
static bool areAlike(const OperandWindow &a, const OperandWindow &b) {
  if (a.operandDims != b.operandDims || a.resultDims != b.resultDims)
    return false;
  for (unsigned dim = 0; dim < a.dims.size(); ++dim)
    if (a.moves(dim) != b.moves(dim))
      return false;
  return true;
}

template <typename OpTy>
static Siblings collect(OpTy op, SmallVector<OpTy> others) {
  Siblings siblings;
  OperandWindow own = getWindows(op)[0];
  if (others.size() > kMostSiblings)
    others = {op};
  for (OpTy other : others) {
    if (tp::getPhase(other.getOperation()) != tp::getPhase(op.getOperation()))
      continue;
    OperandWindow window = getWindows(other)[0];
    if (other != op && (window.isZero || !areAlike(window, own)))
      continue;
    if (other == op)
      siblings.own = siblings.windows.size();
    siblings.windows.push_back(std::move(window));
  }
  return siblings;
}

Siblings getSiblings(tensor::ExtractSliceOp op) {
  SmallVector<tensor::ExtractSliceOp> others;
  for (Operation *user : op.getSource().getUsers())
    if (auto other = dyn_cast<tensor::ExtractSliceOp>(user))
      if (other->getBlock() == op->getBlock())
        others.push_back(other);
  llvm::sort(others, [](auto a, auto b) { return a->isBeforeInBlock(b); });
  return collect(op, std::move(others));
}

/// True for an operation on elements in their places.
static bool isElementwise(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && generic->getNumResults() == 1 &&
         generic.getNumParallelLoops() == generic.getNumLoops() &&
         llvm::all_of(generic.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); });
}

Siblings getSiblings(tensor::InsertSliceOp op) {
  // Down to the end of the sum, and up again on all of its ways.
  Operation *root = op;
  while (root->getResult(0).hasOneUse() &&
         isElementwise(*root->getResult(0).user_begin()) &&
         root->getBlock() == (*root->getResult(0).user_begin())->getBlock())
    root = *root->getResult(0).user_begin();
  SmallVector<tensor::InsertSliceOp> others;
  SmallVector<Operation *> stack = {root};
  while (!stack.empty()) {
    Operation *next = stack.pop_back_val();
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(next)) {
      if (insert == op || isKnownZero(insert.getDest()))
        others.push_back(insert);
      continue;
    }
    for (Value operand : next->getOperands())
      if (Operation *def = operand.getDefiningOp())
        if (operand.hasOneUse() && def->getBlock() == op->getBlock() &&
            (isElementwise(def) || isa<tensor::InsertSliceOp>(def)))
          stack.push_back(def);
  }
  llvm::sort(others, [](auto a, auto b) { return a->isBeforeInBlock(b); });
  return collect(op, std::move(others));
}

} // namespace tpc
