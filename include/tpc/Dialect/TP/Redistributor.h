// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The path search for a module's mesh, from what pass options say.
#ifndef TPC_DIALECT_TP_REDISTRIBUTOR_H
#define TPC_DIALECT_TP_REDISTRIBUTOR_H

#include "tpc/Dialect/TP/TP.h"
#include "tpc/Support/Redistribution.h"

namespace tpc::tp {

/// A redistributor for the only mesh of `module`. `objective` is time, bytes or
/// count; `targetSpec` a preset or a JSON file. Null after an error on the
/// module when one of them is wrong.
std::unique_ptr<Redistributor> makeRedistributor(mlir::ModuleOp module,
                                                 llvm::StringRef objective,
                                                 llvm::StringRef targetSpec);

} // namespace tpc::tp

#endif // TPC_DIALECT_TP_REDISTRIBUTOR_H
