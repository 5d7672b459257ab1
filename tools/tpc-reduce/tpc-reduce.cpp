// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shrinks a module while a test script still finds it interesting.

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "tpc/InitAll.h"

int main(int argc, char **argv) {
  tpc::registerAllPasses();
  mlir::DialectRegistry registry;
  tpc::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
