// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clones tensor.empty, linalg.fill and splat constants per reader.

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
        // The last one takes the original.
        if (op->hasOneUse())
          break;
        OpBuilder builder(op);
        use->set(builder.clone(*op)->getResult(0));
      }
    }
  }
};
} // namespace

} // namespace tpc
