// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers dialects, rules, passes and pipelines for the tools.

#include "tpc/InitAll.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "tpc/Autodiff/Passes.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Import/Passes.h"
#include "tpc/Lower/Passes.h"
#include "tpc/Partition/Passes.h"
#include "tpc/Pipeline/Pipeline.h"
#include "tpc/Place/Passes.h"
#include "tpc/Plan/Passes.h"
#include "tpc/Redistribute/Passes.h"
#include "tpc/Rules/Rules.h"
#include "tpc/Schedule/Passes.h"

void tpc::registerAllDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
              mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
              mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect,
              mlir::vector::VectorDialect, mlir::LLVM::LLVMDialect,
              mlir::linalg::LinalgDialect, mlir::ml_program::MLProgramDialect,
              mlir::math::MathDialect, mlir::scf::SCFDialect,
              mlir::tensor::TensorDialect, tp::TPDialect>();
  registerAllRules(registry);
  registerImportExtensions(registry);
}

void tpc::registerAllPasses() {
  registerImportPasses();
  registerPlacePasses();
  registerAutodiffPasses();
  registerPlanPasses();
  registerRedistributePasses();
  registerPartitionPasses();
  registerSchedulePasses();
  registerLowerPasses();
  mlir::registerTransformsPasses();
  registerPipelines();
}
