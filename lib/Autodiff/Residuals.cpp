// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the backward pass of a loop or branch reads of the forward pass.
//
// Nothing that costs compute or communication is done a second time. Made again
// is what is for nothing: arithmetic on scalars, constants and fills, which
// each use has of its own anyhow, a reshape of what is saved, and a slice of a
// value that exists outside: a slice of stacked parameters is read where it
// is, not copied to another stack. A pinned value is saved as it is, since
// pinning it again could move it again.

#include "Residuals.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpc::autodiff {

static bool isOnScalars(Operation *op) {
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::none_of(op->getOperandTypes(), isTensor) &&
         llvm::none_of(op->getResultTypes(), isTensor);
}

Residuals::Residuals(Block &forward, Region &backward, IRMapping known)
    : forward(forward), known(std::move(known)) {
  backward.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getParentBlock() == &this->forward)
        reads.push_back(&operand);
  });
  for (OpOperand *read : reads)
    require(read->get());
}

/// True for what the backward pass has without anything being saved.
bool Residuals::isAvailable(Value value) const {
  if (!isForeign(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isMadeAgain(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isAvailable(operand); });
}

bool Residuals::isMadeAgain(Operation *op) const {
  if (isa<arith::ConstantOp, tensor::EmptyOp, tensor::SplatOp, linalg::FillOp,
          tensor::ExtractOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::CastOp>(op))
    return true;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return isAvailable(slice.getSource());
  return isOnScalars(op);
}

/// Of a tensor only the element is saved that a scalar is read from.
static void narrow(tensor::ExtractOp op) {
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  if (type.getRank() == 0)
    return;
  OpBuilder builder(op);
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  Value element = tensor::ExtractSliceOp::create(
      builder, op.getLoc(), RankedTensorType::get({}, type.getElementType()),
      op.getTensor(), getAsOpFoldResult(op.getIndices()), ones, ones);
  op.getTensorMutable().assign(element);
  op.getIndicesMutable().clear();
}

void Residuals::require(Value value) {
  if (!isForeign(value))
    return;
  Operation *op = value.getDefiningOp();
  if (!op || !isMadeAgain(op)) {
    saved.insert(value);
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op);
      extract && !isAvailable(extract.getTensor()))
    narrow(extract);
  for (Value operand : op->getOperands())
    require(operand);
}

Value Residuals::get(OpBuilder &builder, Value value) {
  if (!isForeign(value))
    return known.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    get(builder, operand);
  builder.clone(*op, known);
  return known.lookup(value);
}

void Residuals::replaceReads(OpBuilder &builder,
                             llvm::function_ref<Value(unsigned)> load) {
  for (auto [number, value] : llvm::enumerate(saved))
    known.map(value, load(number));
  for (OpOperand *read : reads)
    read->set(get(builder, read->get()));
}

} // namespace tpc::autodiff
