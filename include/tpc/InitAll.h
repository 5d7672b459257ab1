// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers what the tools need: dialects, rules, passes and pipelines.
#ifndef TPC_INITALL_H
#define TPC_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tpc {

/// The dialects tpc reads and writes, with the rules attached.
void registerAllDialects(mlir::DialectRegistry &registry);
/// All passes and named pipelines, for tpc-opt.
void registerAllPasses();

} // namespace tpc

#endif // TPC_INITALL_H
