// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of everything tpc knows about operations.

#include "mlir/IR/DialectRegistry.h"
#include "tpc/Rules/Rules.h"

void tpc::registerAllRules(mlir::DialectRegistry &registry) {
  registerLinalgShardingRules(registry);
  registerTensorShardingRules(registry);
  registerTensorSliceShardingRules(registry);
  registerTensorExpansions(registry);
  registerLinalgExpansions(registry);
  registerLinalgAdjoints(registry);
  registerTensorAdjoints(registry);
  registerArithMathAdjoints(registry);
  registerLinalgPartitioning(registry);
  registerTensorPartitioning(registry);
  registerTPAdjoints(registry);
  registerTPPartitioning(registry);
  registerTPShardingRules(registry);
  registerCumsumExpansion(registry);
}
