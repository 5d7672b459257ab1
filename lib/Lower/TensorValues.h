// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tensor code computes at single elements, from numbers given for some of
// its tensors.
#ifndef TPC_LOWER_TENSORVALUES_H
#define TPC_LOWER_TENSORVALUES_H

#include "ScalarValue.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <functional>

namespace tpc::lower {

/// True for the maker of a tensor whose elements are one constant.
bool isUniform(mlir::Operation *op);

/// Elements of tensors, on demand: of constants, fills, reshapes and generics.
class TensorValues {
public:
  using Given =
      std::function<std::optional<Scalar>(mlir::Value, int64_t element)>;

  /// `given` decides the elements of the tensors it knows, by their place in
  /// row-major order.
  explicit TensorValues(Given given) : given(std::move(given)) {}

  /// Nothing when the element depends on a tensor that is neither given nor
  /// computed; then `culprit` is that tensor.
  std::optional<Scalar> get(mlir::Value value, int64_t element);

  mlir::Value culprit;

private:
  std::optional<Scalar> compute(mlir::Value value, int64_t element);
  std::optional<Scalar> computeGeneric(mlir::linalg::GenericOp generic,
                                       unsigned result, int64_t element);

  Given given;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Scalar> known;
};

} // namespace tpc::lower

#endif // TPC_LOWER_TENSORVALUES_H
