// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Erases run-time assertions, everywhere in the module.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_DROPASSERTSPASS
#include "tpc/Import/Passes.h.inc"

namespace {
struct DropAssertsPass : impl::DropAssertsPassBase<DropAssertsPass> {
  void runOnOperation() override {
    getOperation().walk([](cf::AssertOp op) { op.erase(); });
  }
};
} // namespace

} // namespace tpc
