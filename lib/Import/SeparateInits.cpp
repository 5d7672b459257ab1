// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clones tensor.empty, linalg.fill and splat constants per reader, into the
// loop or branch of the reader.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_SEPARATEINITSPASS
#include "tpc/Import/Passes.h.inc"

static bool isInit(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<tensor::EmptyOp, linalg::FillOp>(op);
}

/// The operation itself or, of one in the body of an operation on tensors, that
/// one.
static Operation *getReader(Operation *op) {
  while (isa<linalg::LinalgOp, tensor::PadOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

namespace {
struct SeparateInitsPass : impl::SeparateInitsPassBase<SeparateInitsPass> {
  void runOnOperation() override {
    // Readers first: cloning a fill adds readers to its tensor.empty.
    SmallVector<Operation *> inits;
    getOperation().walk([&](Operation *op) {
      if (isInit(op))
        inits.push_back(op);
    });
    for (Operation *op : llvm::reverse(inits)) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : op->getUses())
        uses.push_back(&use);
      for (OpOperand *use : uses) {
        Operation *reader = getReader(use->getOwner());
        bool away = reader->getBlock() != op->getBlock();
        // The last one takes the original.
        if (!op->hasOneUse()) {
          OpBuilder builder(away ? reader : op);
          use->set(builder.clone(*op)->getResult(0));
        } else if (away) {
          op->moveBefore(reader);
        }
      }
    }
  }
};
} // namespace

} // namespace tpc
