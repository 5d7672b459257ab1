// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts the device module to the NVVM and LLVM dialects: thread numbers,
// barriers and shuffles become NVVM, math functions calls of libdevice.
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_CONVERTDEVICETONVVMPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

/// Square roots are rounded correctly, as divisions are; those of libdevice are
/// not unless asked for. 16-bit floats have been widened.
struct RoundedSqrt : ConvertOpToLLVMPattern<math::SqrtOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::SqrtOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::SqrtOp>(op, adaptor.getOperand());
    return success();
  }
};

class ConvertDeviceToNVVM
    : public impl::ConvertDeviceToNVVMPassBase<ConvertDeviceToNVVM> {
public:
  using ConvertDeviceToNVVMPassBase::ConvertDeviceToNVVMPassBase;

  void runOnOperation() override {
    gpu::GPUModuleOp device = getOperation();
    for (auto kernel : device.getOps<gpu::GPUFuncOp>())
      if (!kernel.getKnownBlockSizeAttr() || !kernel.getKnownGridSizeAttr()) {
        kernel.emitOpError("expected known_block_size and known_grid_size (a "
                           "bug of tpc in the lower stage)");
        return signalPassFailure();
      }

    LLVMTypeConverter converter(&getContext());
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(&getContext());
    // Before what the usual conversion makes of math functions: expm1 and log1p
    // are exact to the last digits in libdevice only.
    populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/10);
    patterns.add<RoundedSqrt>(converter, /*benefit=*/11);
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    configureGpuToNVVMConversionLegality(target);
    target.addLegalOp<gpu::GPUModuleOp, LLVM::SqrtOp>();
    if (failed(applyFullConversion(device, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tpc
