// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refuses what no sharding rule covers, all of it at once.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_VERIFYIMPORTPASS
#include "tpc/Import/Passes.h.inc"

/// A call that could not be inlined.
static void reportCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  call.emitError("unsupported: call to '@")
      << call.getCallee() << "', which "
      << (callee.isExternal() ? "has no body"
                              : "cannot be inlined: it calls itself, has "
                                "several blocks or is marked 'no_inline'");
}

/// An operation on scalars, which every rank computes for itself: arithmetic on
/// loop indices and conditions, and the element of a tensor that is one.
static bool isOnScalars(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return llvm::all_of(extract.getIndices(), [](Value index) {
      return getConstantIntValue(index).has_value();
    });
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

namespace {
struct VerifyImportPass : impl::VerifyImportPassBase<VerifyImportPass> {
  void runOnOperation() override {
    llvm::MapVector<StringAttr, SmallVector<Operation *, 1>> unknown;
    bool failed = false;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp, func::FuncOp, func::ReturnOp, scf::ForOp, scf::IfOp,
              scf::YieldOp>(op) ||
          isOnScalars(op))
        return WalkResult::advance();
      // A manual region is per-rank code, not ours to look into.
      if (isa_and_nonnull<tp::TPDialect>(op->getDialect()))
        return WalkResult::skip();
      if (auto call = dyn_cast<func::CallOp>(op)) {
        reportCall(call);
        failed = true;
      } else if (auto rule = dyn_cast<ShardingRuleOpInterface>(op)) {
        failed |= mlir::failed(rule.getShardingRule());
      } else {
        unknown[op->getName().getIdentifier()].push_back(op);
      }
      return WalkResult::skip();
    });
    for (auto &[name, ops] : unknown) {
      InFlightDiagnostic error = ops.front()->emitError()
                                 << "unsupported: no rule for '"
                                 << name.getValue() << "'";
      if (ops.size() > 1)
        error << " (" << ops.size() << " times in this program)";
      failed = true;
    }
    if (failed)
      signalPassFailure();
  }
};
} // namespace

} // namespace tpc
