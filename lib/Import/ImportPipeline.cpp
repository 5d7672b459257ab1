// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the import stage.

#include "tpc/Import/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tpc {

void buildImportPipeline(OpPassManager &pm) {
  pm.addPass(createCheckSignaturesPass());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  // Before the first clean-up, which then removes what only they needed.
  pm.addPass(createDropAssertsPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createNormalizeControlFlowPass());
  pm.addPass(createGeneralizeOpsPass());
  pm.addPass(createRaiseGathersPass());
  pm.addPass(createRaiseArgmaxPass());
  // Transposes sit between contractions and the reshapes of their operands.
  pm.addPass(createFoldDataMovementPass());
  pm.addPass(createFoldReshapesPass());
  pm.addPass(createFoldDataMovementPass());
  pm.addPass(createCanonicalizerPass());
  // Again: the clean-up makes a select on tensors of an empty branch.
  pm.addPass(createGeneralizeOpsPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCSEPass());
  // Behind the clean-up, which would fold the scalars back.
  pm.addPass(createSeparateAddendsPass());
  // Behind CSE, which would join them again.
  pm.addPass(createSeparateInitsPass());
  pm.addPass(createVerifyImportPass());
}

void registerImportExtensions(DialectRegistry &registry) {
  func::registerInlinerExtension(registry);
}

} // namespace tpc
