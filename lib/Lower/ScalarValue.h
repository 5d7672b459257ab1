// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What scalar code computes for given numbers, to recognise formulas by their
// values and not by how they are written.
#ifndef TPC_LOWER_SCALARVALUE_H
#define TPC_LOWER_SCALARVALUE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tpc::lower {

/// A number: floats of all types as f64, without their rounding; integers of
/// all types, indices and booleans as i64.
struct Scalar {
  bool isFloat = true;
  double real = 0;
  int64_t integer = 0;

  static Scalar of(double value) { return {true, value, 0}; }
  static Scalar of(int64_t value) { return {false, 0, value}; }
};

/// The values of a body of scalar operations.
class ScalarValues {
public:
  /// Given values, arguments of the body first of all.
  llvm::DenseMap<mlir::Value, Scalar> known;
  /// Of linalg.index.
  llvm::ArrayRef<int64_t> indices;

  /// Nothing when `value` depends on a value that is not known or on an
  /// operation that is not evaluated here.
  std::optional<Scalar> get(mlir::Value value);
};

} // namespace tpc::lower

#endif // TPC_LOWER_SCALARVALUE_H
