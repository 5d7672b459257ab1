// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one operation computes of the pieces of its operands that somebody
// holds: the whole tensors for the global program, boxes for a rank.
#ifndef TPC_TEST_LIB_SIMULATE_OPERATIONS_H
#define TPC_TEST_LIB_SIMULATE_OPERATIONS_H

#include "Scalars.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tpc::simulate {

/// What the one who computes holds of a value.
using Lookup = llvm::function_ref<const Piece &(mlir::Value)>;

/// Computes an operation for one after another.
class OperationEvaluator {
public:
  explicit OperationEvaluator(mlir::Operation *op) : op(op) {}

  /// Fails, after an error on it, for an operation that is not known.
  llvm::LogicalResult prepare();
  /// Fills `results`, whose boxes say what is wanted. A structured operation
  /// runs those iterations of which all tensors that it reads or writes through
  /// plain loop indices are held; everything it does not get is undefined.
  llvm::LogicalResult evaluate(Lookup lookup,
                               llvm::MutableArrayRef<Piece> results);

  /// False once a float was computed that is no integer doubles hold exactly.
  bool isExact() const { return program.isExact(); }

private:
  llvm::LogicalResult evaluateStructured(mlir::linalg::LinalgOp structured,
                                         Lookup lookup,
                                         llvm::MutableArrayRef<Piece> results);
  llvm::LogicalResult checkProgram();

  mlir::Operation *op;
  ScalarProgram program;
};

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_OPERATIONS_H
