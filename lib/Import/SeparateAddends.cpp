// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a constant that is added to every element an operand of its own.
//
// `x + c` with c inside the body is affine in x, not linear: a partial sum
// could not pass. With c as a scalar tensor it is jointly linear in both, and
// the planner may leave c to one rank.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_SEPARATEADDENDSPASS
#include "tpc/Import/Passes.h.inc"

/// The operand of the last operation of `op`'s body that is a float constant
/// added to, or subtracted from, an input; null when there is none.
static OpOperand *findAddend(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() != 0)
    return nullptr;
  Operation *last =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp>(last) ||
      last->getBlock() != op.getBody())
    return nullptr;
  for (OpOperand &operand : last->getOpOperands()) {
    auto other = dyn_cast<BlockArgument>(
        last->getOperand(1 - operand.getOperandNumber()));
    bool input = other && other.getOwner() == op.getBody() &&
                 other.getArgNumber() < op.getNumDpsInputs();
    if (input && matchPattern(operand.get(), m_Constant()))
      return &operand;
  }
  return nullptr;
}

namespace {
struct SeparateAddendsPass
    : impl::SeparateAddendsPassBase<SeparateAddendsPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (findAddend(op))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      OpOperand *addend = findAddend(op);
      FloatAttr value;
      matchPattern(addend->get(), m_Constant(&value));
      OpBuilder builder(op);
      auto type = RankedTensorType::get({}, addend->get().getType());
      Value scalar = arith::ConstantOp::create(
          builder, op.getLoc(), DenseElementsAttr::get(type, value));
      unsigned position = op.getNumDpsInputs();
      addend->set(op.getBody()->insertArgument(
          position, addend->get().getType(), op.getLoc()));
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps.insert(maps.begin() + position,
                  AffineMap::get(op.getNumLoops(), 0, op.getContext()));
      op.getInputsMutable().append(scalar);
      op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
    }
  }
};
} // namespace

} // namespace tpc
