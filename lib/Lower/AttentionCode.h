// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether samples can tell what is computed from the scores of an attention.
#ifndef TPC_LOWER_ATTENTIONCODE_H
#define TPC_LOWER_ATTENTIONCODE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <string>

namespace tpc::lower {

/// What a dim of a tensor of an attention is. `Unit` is one without meaning.
enum AttentionAxis : unsigned { Batch, Head, Row, Feature, Column };
inline constexpr unsigned kUnit = ~0u;

/// What lies between the scores and a product that reads what is computed from
/// them.
struct AttentionCode {
  /// Why rows of samples do not tell what it computes; empty when they do. Then
  /// it depends on the scores and on the gradient of the probabilities alone,
  /// is analytic in them, and a mask depends on the difference of row and
  /// column alone: a first and a last row show all of it.
  std::string reason;
  /// It has exponentials of the scores and adds what is made of them.
  bool hasExponential = false, hasSum = false;
};

/// Looks at `end`, a tensor of the shape of the result of `scores`, whose dims
/// are `axes`.
AttentionCode lookAtAttention(mlir::Value end, mlir::linalg::GenericOp scores,
                              llvm::ArrayRef<unsigned> axes);

/// More tensors than there are between the scores of an attention and its
/// products, with its gradient.
inline constexpr unsigned kMostAttentionValues = 96;

/// `value` for messages: its argument's name or its operation.
std::string nameOf(mlir::Value value);

} // namespace tpc::lower

#endif // TPC_LOWER_ATTENTIONCODE_H
