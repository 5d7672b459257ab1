// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which arguments have the batch that --accumulate splits.

#include "Microbatches.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tpc/Autodiff/Passes.h"
#include "tpc/Dialect/TP/TP.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_ACCUMULATEGRADIENTSPASS
#include "tpc/Autodiff/Passes.h.inc"

namespace {
struct AccumulateGradientsPass
    : impl::AccumulateGradientsPassBase<AccumulateGradientsPass> {
  using AccumulateGradientsPassBase::AccumulateGradientsPassBase;

  /// Inputs that are named, or else tensors that are no parameters.
  LogicalResult collectInputs(SmallVectorImpl<BlockArgument> &found);
  LogicalResult checkBatch(ArrayRef<BlockArgument> inputs);
  void runOnOperation() override;
};
} // namespace

LogicalResult
AccumulateGradientsPass::collectInputs(SmallVectorImpl<BlockArgument> &found) {
  ModuleOp module = getOperation();
  SmallVector<BlockArgument> candidates;
  std::string names;
  for (auto func : module.getOps<func::FuncOp>())
    for (BlockArgument arg : func.getArguments()) {
      auto tensor = dyn_cast<RankedTensorType>(arg.getType());
      if (!func.isPublic() || !tensor || tensor.getRank() == 0)
        continue;
      if (inputs.empty() &&
          func.getArgAttr(arg.getArgNumber(), tp::TPDialect::kParam))
        continue;
      candidates.push_back(arg);
      names += (names.empty() ? "" : ", ") + tp::getUserName(arg);
    }
  if (inputs.empty()) {
    found = candidates;
    return success();
  }
  SmallVector<StringRef> globs;
  StringRef(inputs).split(globs, ',', -1, /*KeepEmpty=*/false);
  llvm::BitVector chosen(candidates.size());
  for (StringRef glob : globs) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(glob);
    if (!pattern)
      return module.emitError("--accumulate '")
             << glob << "': " << llvm::toString(pattern.takeError());
    bool any = false;
    for (auto [index, arg] : llvm::enumerate(candidates))
      if (pattern->match(tp::getUserName(arg))) {
        chosen.set(index);
        any = true;
      }
    if (!any)
      return module.emitError("--accumulate '")
             << glob << "': expected to match the name of an argument with a "
             << "batch, got no match among " << names;
  }
  for (unsigned index : chosen.set_bits())
    found.push_back(candidates[index]);
  return success();
}

/// All inputs have one batch, and it can be split.
LogicalResult
AccumulateGradientsPass::checkBatch(ArrayRef<BlockArgument> inputs) {
  auto rowsOf = [](BlockArgument arg) {
    return cast<RankedTensorType>(arg.getType()).getDimSize(0);
  };
  for (BlockArgument arg : inputs)
    if (!cast<RankedTensorType>(arg.getType()).hasStaticShape())
      return emitError(arg.getLoc(), "--accumulate: expected static shapes, "
                                     "got '")
             << tp::getUserName(arg) << "' of type " << arg.getType();
  for (BlockArgument arg : inputs)
    if (rowsOf(arg) != rowsOf(inputs.front())) {
      InFlightDiagnostic diag =
          emitError(arg.getLoc(), "--accumulate: expected all inputs to have "
                                  "the batch in dim 0, got '")
          << tp::getUserName(inputs.front()) << "' with "
          << rowsOf(inputs.front()) << " rows and '" << tp::getUserName(arg)
          << "' with " << rowsOf(arg)
          << "; name those with a batch: --accumulate " << count.getValue()
          << ":NAME,...";
      return diag;
    }
  int64_t rows = rowsOf(inputs.front());
  if (rows % count != 0)
    return emitError(inputs.front().getLoc(),
                     "--accumulate: expected a batch that divides into ")
           << count.getValue() << " microbatches, got '"
           << tp::getUserName(inputs.front()) << "' with " << rows << " rows";
  return success();
}

void AccumulateGradientsPass::runOnOperation() {
  if (count < 1) {
    getOperation().emitError("--accumulate: expected at least 1 microbatch, "
                             "got ")
        << count.getValue();
    return signalPassFailure();
  }
  if (count == 1)
    return;
  SmallVector<BlockArgument> found;
  if (failed(collectInputs(found)))
    return signalPassFailure();
  if (found.empty()) {
    getOperation().emitError("--accumulate: expected an input with a batch, "
                             "one that is no parameter, got none");
    return signalPassFailure();
  }
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    SmallVector<BlockArgument> own;
    SmallVector<unsigned> numbers;
    for (BlockArgument arg : found)
      if (arg.getOwner()->getParentOp() == func) {
        own.push_back(arg);
        numbers.push_back(arg.getArgNumber());
      }
    if (own.empty() || func.isExternal())
      continue;
    autodiff::Microbatches batches(func, count);
    if (failed(checkBatch(own)) || failed(batches.classify(numbers))) {
      signalPassFailure();
      continue;
    }
    autodiff::writeMicrobatchLoop(func, batches);
  }
}

} // namespace tpc
