// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serves editors with diagnostics, definitions and completions for tpc's IR.

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tpc/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tpc::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
