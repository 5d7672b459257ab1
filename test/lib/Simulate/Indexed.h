// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes at computed places, and scans.
#ifndef TPC_TEST_LIB_SIMULATE_INDEXED_H
#define TPC_TEST_LIB_SIMULATE_INDEXED_H

#include "Operations.h"

namespace tpc::simulate {

/// tp.gather, tp.scatter and tp.cumsum.
bool isIndexed(mlir::Operation *op);

/// Fills the operation's only result.
void computeIndexed(mlir::Operation *op, Lookup lookup, Piece &result);

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_INDEXED_H
