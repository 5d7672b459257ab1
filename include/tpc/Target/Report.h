// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collective report: every collective, what it moves, and why it is there.
#ifndef TPC_TARGET_REPORT_H
#define TPC_TARGET_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "tpc/Support/CostModel.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tpc {

/// What the report says about a module after the schedule stage, as the JSON of
/// docs/Report.md. Bytes per rank of the worst rank, seconds as predicted by
/// `machine`. Local steps are not collectives and are left out.
llvm::json::Object buildReport(mlir::ModuleOp module,
                               const MachineDescription &machine);

/// The same as text, one line per collective.
void printReport(const llvm::json::Object &report, llvm::raw_ostream &os);

/// Adds the device kernels, as the manifest lists them, to the report: with
/// each the least traffic as a share of what is predicted, and the sum.
void addKernels(llvm::json::Object &report, llvm::json::Array kernels);
/// Those lines of the text.
void printKernels(const llvm::json::Object &report, llvm::raw_ostream &os);

/// Adds the products that are calls of a device's matrix library, with what
/// each call does besides.
void addProducts(llvm::json::Object &report, mlir::ModuleOp lowered);
/// Those lines of the text.
void printProducts(const llvm::json::Object &report, llvm::raw_ostream &os);

/// The per-operation trace of a module after the redistribute stage: operation,
/// global and local shape and placement of operands and results, source, and
/// the collectives that feed it.
llvm::json::Array buildTrace(mlir::ModuleOp module,
                             const MachineDescription &machine);
void printTrace(const llvm::json::Array &trace, llvm::raw_ostream &os);

} // namespace tpc

#endif // TPC_TARGET_REPORT_H
