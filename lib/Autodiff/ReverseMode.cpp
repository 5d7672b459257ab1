// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse mode on one block of straight-line code.
//
// Forward: a value is active when it is a float (tensor) and an operand of its
// operation is active. Backward: operations are visited in reverse; one whose
// results have a cotangent and that has active operands is asked for its
// contributions to them. A value whose cotangent is null has a zero cotangent,
// and nothing is built for it. A value is complete when its operation is
// visited, since all its uses come later in the block.

#include "ReverseMode.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tpc/Interfaces/Adjoint.h"
#include "tpc/Interfaces/Interfaces.h"

using namespace mlir;

namespace tpc::autodiff {

/// The values an operation reads: operands, and what its regions capture.
static void forEachRead(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk([&](Operation *inside) {
    for (Value value : inside->getOperands()) {
      Operation *owner = value.getParentBlock()->getParentOp();
      if (inside == op || !owner || !op->isAncestor(owner))
        visit(value);
    }
  });
}

ReverseMode::ReverseMode(Block &block, ValueRange wanted)
    : active(wanted.begin(), wanted.end()) {
  for (Operation &op : block.without_terminator()) {
    operations.push_back(&op);
    bool reads = false;
    forEachRead(&op, [&](Value value) { reads |= active.contains(value); });
    if (!reads)
      continue;
    for (Value result : op.getResults())
      if (isDifferentiable(result.getType()))
        active.insert(result);
  }
}

void ReverseMode::addCotangent(OpBuilder &builder, Location loc, Value value,
                               Value cotangent) {
  if (!active.contains(value))
    return;
  Value &sum = cotangents[value];
  sum = sum ? createSum(builder, loc, sum, cotangent) : cotangent;
}

/// [D2], and active values that reach the operation through a region.
LogicalResult ReverseMode::verifyOperands(Operation *op) {
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                         llvm::to_vector(op->getResults()))) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !active.contains(value))
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
  Value captured;
  forEachRead(op, [&](Value value) {
    if (active.contains(value) && !llvm::is_contained(op->getOperands(), value))
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
  if (failed(verifyOperands(op)))
    return failure();
  if (auto manual = dyn_cast<tp::ManualOp>(op))
    return buildManualAdjoint(manual, builder, resultCotangents, needed,
                              contributions);
  if (auto adjoint = dyn_cast<AdjointOpInterface>(op))
    return adjoint.buildAdjoint(builder, resultCotangents, needed,
                                contributions);
  return op->emitError("no derivative for '") << op->getName() << "'";
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
    SmallVector<bool> needed;
    for (Value operand : op->getOperands())
      needed.push_back(active.contains(operand));

    SmallVector<Value> contributions;
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() == DiagnosticSeverity::Error)
        explain(op, diag);
      return failure(); // Passed on to the handlers below.
    });
    if (failed(buildAdjoint(op, builder, resultCotangents, needed,
                            contributions))) {
      ok = false;
      continue;
    }
    for (auto [operand, contribution] :
         llvm::zip_equal(op->getOperands(), contributions))
      if (contribution)
        addCotangent(builder, op->getLoc(), operand, contribution);
  }
  return success(ok);
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
