// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Has every operation that exchanges data itself written as collectives.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Redistribute/Passes.h"

namespace tpc {
#define GEN_PASS_DEF_EXPANDDATAMOVEMENTPASS
#include "tpc/Redistribute/Passes.h.inc"
} // namespace tpc

using namespace mlir;
using namespace tpc;

namespace {
struct ExpandDataMovementPass
    : public tpc::impl::ExpandDataMovementPassBase<ExpandDataMovementPass> {
  LogicalResult expand(ExpandOpInterface op) {
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    SmallVector<Value> results;
    if (failed(op.expand(builder, results)))
      return failure();
    if (results.empty())
      return success();
    Block *block = op->getBlock();
    Attribute phase = op->getAttr(tp::TPDialect::kPhase);
    for (Operation *made = before ? before->getNextNode() : &block->front();
         made != op; made = made->getNextNode())
      if (phase)
        made->setAttr(tp::TPDialect::kPhase, phase);
    op->replaceAllUsesWith(results);
    op->erase();
    return success();
  }

  /// What a convolution and its gradient fetch alike is fetched once. CSE keeps
  /// them apart, since they are of two phases.
  void shareWindows() {
    SmallVector<tp::WindowOp> windows;
    getOperation().walk([&](tp::WindowOp op) { windows.push_back(op); });
    for (tp::WindowOp window : windows)
      for (Operation *user : window.getInputs()[0].getUsers()) {
        auto other = dyn_cast<tp::WindowOp>(user);
        if (!other || other->getBlock() != window->getBlock() ||
            !other->isBeforeInBlock(window) ||
            other.getResultTypes() != window.getResultTypes() ||
            other.getOffsets() != window.getOffsets() ||
            other.getBlocks() != window.getBlocks())
          continue;
        window->replaceAllUsesWith(other);
        window->erase();
        break;
      }
  }

  void runOnOperation() override {
    SmallVector<ExpandOpInterface> ops;
    getOperation().walk([&](ExpandOpInterface op) { ops.push_back(op); });
    // Readers first: a convolution takes its input from in front of a padding,
    // which then need not be made.
    for (ExpandOpInterface op : llvm::reverse(ops)) {
      if (isOpTriviallyDead(op))
        op->erase();
      else if (failed(expand(op)))
        return signalPassFailure();
    }
    shareWindows();
  }
};
} // namespace
