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
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

/// `exp(x) - 1`, which is what the usual conversion makes of it, has no correct
/// digit near zero; libm's function has them all.
class ConvertExpM1 : public OpConversionPattern<math::ExpM1Op> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(math::ExpM1Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return failure();
    StringRef name = type.isF32() ? "expm1f" : "expm1";
    auto module = op->getParentOfType<ModuleOp>();
    auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!callee) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      callee =
          LLVM::LLVMFuncOp::create(rewriter, module.getLoc(), name,
                                   LLVM::LLVMFunctionType::get(type, {type}));
    }
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, callee, adaptor.getOperand());
    return success();
  }
};

class ConvertToLLVM : public impl::ConvertToLLVMPassBase<ConvertToLLVM> {
public:
  using ConvertToLLVMPassBase::ConvertToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto mesh : llvm::make_early_inc_range(module.getOps<tp::MeshOp>()))
      mesh.erase();

    // First, since the conversion to LLVM would leave them to the target, and
    // most have no such instructions.
    RewritePatternSet brainFloats(&getContext());
    arith::populateExpandBFloat16Patterns(brainFloats);
    walkAndApplyPatterns(module, std::move(brainFloats));

    LLVMTypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false,
                                         /*benefit=*/2);
    populateMathToLibmConversionPatterns(patterns, /*benefit=*/1);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    patterns.add<ConvertExpM1>(converter, &getContext(), /*benefit=*/3);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    // Device kernels are compiled for each architecture on their own.
    target.addLegalOp<gpu::GPUModuleOp>();
    target.markOpRecursivelyLegal<gpu::GPUModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tpc
