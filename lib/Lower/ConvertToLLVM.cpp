// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts what kernels and host functions still have of scf, cf, arith and
// math; a full conversion, so that nothing is left.
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "tpc/Lower/Passes.h.inc"

namespace {
class ConvertToLLVM : public impl::ConvertToLLVMPassBase<ConvertToLLVM> {
public:
  using ConvertToLLVMPassBase::ConvertToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto mesh : llvm::make_early_inc_range(module.getOps<tp::MeshOp>()))
      mesh.erase();

    LLVMTypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false,
                                         /*benefit=*/2);
    populateMathToLibmConversionPatterns(patterns, /*benefit=*/1);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tpc
