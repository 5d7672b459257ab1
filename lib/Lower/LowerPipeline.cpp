// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the lower stage's passes.
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {

void buildLowerPipeline(OpPassManager &manager) {
  // Numbers first: whatever is cleaned up later, the manifest lists all.
  manager.addPass(createNumberCollectivesPass());
  manager.addNestedPass<func::FuncOp>(createFuseElementwisePass());
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  manager.addPass(createLowerToRuntimePass());
  manager.addPass(createConvertToLLVMPass());
}

} // namespace tpc
