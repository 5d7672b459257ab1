// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations whose result elements are elements of their operands.
#ifndef TPC_TEST_LIB_SIMULATE_DATAMOVEMENT_H
#define TPC_TEST_LIB_SIMULATE_DATAMOVEMENT_H

#include "Operations.h"

namespace tpc::simulate {

bool isDataMovement(mlir::Operation *op);

/// The element of the operation's only result at `index`.
Scalar readMoved(mlir::Operation *op, llvm::ArrayRef<int64_t> index,
                 Lookup lookup);

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_DATAMOVEMENT_H
