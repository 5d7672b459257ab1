// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attaches everything tpc knows about upstream operations.
#ifndef TPC_RULES_RULES_H
#define TPC_RULES_RULES_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tpc {

void registerLinalgShardingRules(mlir::DialectRegistry &registry);
void registerTensorShardingRules(mlir::DialectRegistry &registry);
/// Of slices, insertions, paddings and concatenations.
void registerTensorSliceShardingRules(mlir::DialectRegistry &registry);
/// How these and reshapes are written where they exchange data.
void registerTensorExpansions(mlir::DialectRegistry &registry);
/// The same of convolutions.
void registerLinalgExpansions(mlir::DialectRegistry &registry);
void registerLinalgAdjoints(mlir::DialectRegistry &registry);
void registerTensorAdjoints(mlir::DialectRegistry &registry);
/// Adjoints of arithmetic on scalars between tensors.
void registerArithMathAdjoints(mlir::DialectRegistry &registry);
void registerLinalgPartitioning(mlir::DialectRegistry &registry);
void registerTensorPartitioning(mlir::DialectRegistry &registry);
/// The tp dialect's own operations.
void registerTPAdjoints(mlir::DialectRegistry &registry);
void registerTPPartitioning(mlir::DialectRegistry &registry);
void registerTPShardingRules(mlir::DialectRegistry &registry);
void registerCumsumExpansion(mlir::DialectRegistry &registry);

/// All of the above.
void registerAllRules(mlir::DialectRegistry &registry);

} // namespace tpc

#endif // TPC_RULES_RULES_H
