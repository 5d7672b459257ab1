// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tensors are the GELU of another one, and which are a product's result
// times the derivative of an activation.
#ifndef TPC_LOWER_ACTIVATION_H
#define TPC_LOWER_ACTIVATION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tpc::lower {

/// What is computed from one tensor, each element from the one at its place in
/// row-major order, by operations that activations are made of.
class Elementwise {
public:
  explicit Elementwise(mlir::Value source);

  /// In an order in which operands come first.
  llvm::ArrayRef<mlir::Value> values() const { return derived; }
  /// True when all that is done with the source ends in `value`.
  bool endsIn(mlir::Value value) const;
  /// Erases what nobody uses any more.
  void eraseDead(mlir::RewriterBase &rewriter);

private:
  mlir::Value source;
  llvm::SmallVector<mlir::Value> derived;
};

/// GELU in its tanh form.
double gelu(double x);
double geluSlope(double x);
/// How far a formula with constants of `type` may be off.
double toleranceOf(mlir::Type type);

/// The tensor of `argument`'s type that is its GELU.
mlir::Value findGelu(mlir::Value argument, const Elementwise &region);

/// result = product * slope(argument), element by element.
struct ActivationGradient {
  mlir::Value result, argument;
  /// Of GELU; else 1 where `argument` compares with 0 as `predicate` says.
  bool isGelu = false;
  mlir::arith::CmpFPredicate predicate = mlir::arith::CmpFPredicate::OGT;
};

/// What all that is done with `product` ends in, of one of `types`.
std::optional<ActivationGradient>
findActivationGradient(mlir::Value product, const Elementwise &region,
                       llvm::ArrayRef<mlir::Type> types);

} // namespace tpc::lower

#endif // TPC_LOWER_ACTIVATION_H
