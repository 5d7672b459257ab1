// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which generics are contractions, and which of those one matmul call can do.
#ifndef TPC_LOWER_CONTRACTION_H
#define TPC_LOWER_CONTRACTION_H

#include "Program.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tpc::lower {

/// `value` before it was widened, or `value`.
mlir::Value stripExtension(mlir::Value value);

/// What the loop dims of a contraction are: in both operands and the result,
/// in one operand and the result, or summed over.
struct ContractionDims {
  llvm::SmallVector<unsigned> batch, m, n, k;
};

/// The dims of `generic` when it adds products of its two operands, with a dim
/// summed over and a dim that only one operand has. Unit dims are left out.
/// The operands and the sum may be widened and the result rounded.
std::optional<ContractionDims>
matchContraction(mlir::linalg::GenericOp generic);

/// True when the first result of `generic` starts from a fill of zeros.
bool startsFromZero(mlir::linalg::GenericOp generic);

/// A contraction as maps and types, however it is written.
struct Contraction {
  ContractionDims dims;
  llvm::SmallVector<int64_t> extents;
  /// Of A, B and C: which loop dims they have, in which order.
  llvm::SmallVector<mlir::AffineMap, 3> maps;
  llvm::SmallVector<mlir::Type, 3> elementTypes;

  /// Multiply-adds.
  int64_t points() const;
};

std::optional<Contraction> getContraction(mlir::linalg::GenericOp generic);

/// Products of fewer multiply-adds are loops: a call of the matrix library
/// costs about as much as these.
inline constexpr int64_t kSmallProduct = 2048;

/// The matmul call for a contraction: neighbouring dims with fitting strides
/// merged into m, n and k, the rest as batch. Nothing when the layout or the
/// element types do not fit. `mixed`: f32 sums of 16-bit floats are possible.
std::optional<Matmul> matchMatmul(const Contraction &contraction,
                                  bool mixed = false);

/// True for an f32 sum of products of 16-bit floats of one type.
bool isMixed(const Contraction &contraction);

/// Per loop dim, its stride in operand `side` (0: a, 1: b, 2: c).
llvm::SmallVector<int64_t> operandStrides(const Contraction &contraction,
                                          unsigned side);

/// Turns the named operations of `function` that are `wanted` into generics;
/// returns all of its generics, in order.
llvm::SmallVector<mlir::linalg::GenericOp>
generalize(mlir::func::FuncOp function, mlir::RewriterBase &rewriter,
           llvm::function_ref<bool(mlir::linalg::LinalgOp)> wanted);

} // namespace tpc::lower

#endif // TPC_LOWER_CONTRACTION_H
