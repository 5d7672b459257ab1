// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse mode on one block of straight-line code.
//
// Operations are visited in reverse; one whose results have a cotangent and
// that has active operands is asked for its contributions to them. A value
// whose cotangent is null has a zero cotangent, and nothing is built for it. A
// value is complete when its operation is visited, since all its uses come
// later in the block.

#include "ReverseMode.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tpc/Interfaces/Adjoint.h"
#include "tpc/Interfaces/Interfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpc::autodiff {

ReverseMode::ReverseMode(Block &block, Activity &activity)
    : activity(activity) {
  for (Operation &op : block.without_terminator())
    operations.push_back(&op);
}

void ReverseMode::accumulate(Value value, Value start) {
  cotangents[value] = start;
  accumulated.insert(value);
}

/// `sum` plus a slice, when that is what `cotangent` is: the slice is added
/// where it belongs, and the rest of `sum` is left as it is. A loop over slices
/// would touch the whole each time otherwise.
static Value addSlice(OpBuilder &builder, Location loc, Value sum,
                      Value cotangent) {
  auto insert = cotangent.getDefiningOp<tensor::InsertSliceOp>();
  auto zeros =
      insert ? insert.getDest().getDefiningOp<linalg::FillOp>() : nullptr;
  if (!zeros || !matchPattern(zeros.getInputs().front(), m_AnyZeroFloat()))
    return nullptr;
  SmallVector<OpFoldResult> offsets = insert.getMixedOffsets(),
                            sizes = insert.getMixedSizes(),
                            strides = insert.getMixedStrides();
  Value before = tensor::ExtractSliceOp::create(
      builder, loc, insert.getSourceType(), sum, offsets, sizes, strides);
  Value after = createSum(builder, loc, before, insert.getSource());
  return tensor::InsertSliceOp::create(builder, loc, after, sum, offsets, sizes,
                                       strides);
}

void ReverseMode::addCotangent(OpBuilder &builder, Location loc, Value value,
                               Value cotangent) {
  if (!isActive(value))
    return;
  Value &sum = cotangents[value];
  if (!sum) {
    sum = cotangent;
    return;
  }
  Value updated;
  if (isAccumulated(value))
    updated = addSlice(builder, loc, sum, cotangent);
  sum = updated ? updated : createSum(builder, loc, sum, cotangent);
}

/// [D2].
LogicalResult ReverseMode::verifyTypes(Operation *op) {
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                         llvm::to_vector(op->getResults()))) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isActive(value))
      continue;
    if (!type.hasStaticShape())
      return op->emitError("expected a static shape to differentiate '")
             << op->getName() << "', got " << type;
    if (tp::getPlacement(type))
      return op->emitError("expected tensors without placement to "
                           "differentiate '")
             << op->getName() << "', got " << type
             << "; differentiate before planning";
  }
  return success();
}

/// Active values that reach the operation through a region.
LogicalResult ReverseMode::verifyCaptures(Operation *op) {
  Value captured;
  forEachRead(op, [&](Value value) {
    if (isActive(value) && !llvm::is_contained(op->getOperands(), value))
      captured = value;
  });
  if (captured)
    return op->emitError("no derivative for '")
           << op->getName() << "', whose region reads '"
           << tp::getUserName(captured) << "' from outside";
  return success();
}

LogicalResult ReverseMode::buildAdjoint(Operation *op, OpBuilder &builder,
                                        ValueRange resultCotangents,
                                        ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &contributions) {
  if (failed(verifyTypes(op)) || failed(verifyCaptures(op)))
    return failure();
  if (auto manual = dyn_cast<tp::ManualOp>(op))
    return buildManualAdjoint(manual, builder, resultCotangents, needed,
                              contributions);
  if (auto adjoint = dyn_cast<AdjointOpInterface>(op))
    return adjoint.buildAdjoint(builder, resultCotangents, needed,
                                contributions);
  return op->emitError("no derivative for '") << op->getName() << "'";
}

LogicalResult ReverseMode::visit(Operation *op, OpBuilder &builder,
                                 ValueRange resultCotangents) {
  SmallVector<bool> needed;
  for (Value operand : op->getOperands())
    needed.push_back(isActive(operand));
  SmallVector<Value> contributions;
  if (failed(
          buildAdjoint(op, builder, resultCotangents, needed, contributions)))
    return failure();
  for (auto [operand, contribution] :
       llvm::zip_equal(op->getOperands(), contributions))
    if (contribution)
      addCotangent(builder, op->getLoc(), operand, contribution);
  return success();
}

LogicalResult ReverseMode::run(OpBuilder &builder, Explain explain) {
  bool ok = true;
  for (Operation *op : llvm::reverse(operations)) {
    SmallVector<Value> resultCotangents;
    for (Value result : op->getResults())
      resultCotangents.push_back(cotangents.lookup(result));
    if (llvm::none_of(resultCotangents,
                      [](Value value) { return bool(value); }))
      continue;
    // These explain what is wrong inside themselves.
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      ok &= succeeded(
          buildLoopAdjoint(*this, loop, builder, resultCotangents, explain));
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      ok &= succeeded(buildBranchAdjoint(*this, branch, builder,
                                         resultCotangents, explain));
      continue;
    }
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() == DiagnosticSeverity::Error)
        explain(op, diag);
      return failure(); // Passed on to the handlers below.
    });
    ok &= succeeded(visit(op, builder, resultCotangents));
  }
  return success(ok);
}

SmallVector<Value> getActiveCaptures(Operation *op, const Activity &activity) {
  llvm::SetVector<Value> captures;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inside) {
      for (Value value : inside->getOperands())
        if (activity.contains(value) &&
            !op->isAncestor(value.getParentBlock()->getParentOp()))
          captures.insert(value);
    });
  return captures.takeVector();
}

void eraseDeadOperations(Block &block) {
  Operation *op = block.getTerminator()->getPrevNode();
  while (op) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op))
      op->erase();
    op = previous;
  }
}

} // namespace tpc::autodiff
