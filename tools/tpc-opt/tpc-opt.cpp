// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads IR, runs the passes and pipelines named on the command line, prints IR.

#include "TestPasses.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tpc/InitAll.h"

int main(int argc, char **argv) {
  tpc::registerAllPasses();
  tpc::test::registerTestPasses();
  mlir::DialectRegistry registry;
  tpc::registerAllDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "tpc-opt: runs passes of tpc on MLIR\n", registry));
}
