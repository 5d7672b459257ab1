// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the lower stage's passes.
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {

void buildLowerPipeline(OpPassManager &manager, const LowerOptions &options) {
  // Numbers first: whatever is cleaned up later, the manifest lists all.
  manager.addPass(createNumberCollectivesPass());
  bool fusesProducts = options.target == "cuda";
  if (fusesProducts) {
    manager.addNestedPass<func::FuncOp>(createNarrowContractionsPass());
    // Two reshapes of one tensor are one operand.
    manager.addNestedPass<func::FuncOp>(createCSEPass());
  }
  if (fusesProducts && options.attention != "unfused")
    manager.addNestedPass<func::FuncOp>(createFuseAttentionPass(
        {options.attention == "fused",
         options.attention == "fused" || options.hasAttentionLibrary}));
  // Copies of operands are there when fusion looks for who makes them.
  manager.addNestedPass<func::FuncOp>(
      createPackContractionsPass({fusesProducts}));
  // Kernels of a GPU carry them so themselves. Before fusion, for the
  // roundings.
  if (options.target == "cpu")
    manager.addNestedPass<func::FuncOp>(createWidenSumsPass());
  // Before fusion, which would compute an epilogue in each of its users.
  if (fusesProducts)
    manager.addNestedPass<func::FuncOp>(createFuseEpiloguesPass());
  manager.addNestedPass<func::FuncOp>(createFuseLookupsPass());
  FuseElementwisePassOptions elementwise;
  if (options.target == "cuda")
    elementwise.maxDuplicatedCost = 24;
  manager.addNestedPass<func::FuncOp>(createFuseElementwisePass(elementwise));
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  // After fusion, which does not look through the parts.
  manager.addNestedPass<func::FuncOp>(
      createSplitReductionsPass({options.target}));
  manager.addPass(createLowerToRuntimePass({options.target, options.tf32,
                                            options.sharedLimit,
                                            options.productWorkspace}));
  if (options.hostImage)
    manager.addPass(createConvertDeviceToHostPass());
  manager.addNestedPass<gpu::GPUModuleOp>(createConvertDeviceToNVVMPass());
  manager.addPass(createConvertToLLVMPass());
}

} // namespace tpc
