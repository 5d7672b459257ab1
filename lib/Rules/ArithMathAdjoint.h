// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derivatives of scalar arithmetic, and the terms they are written in.
//
// The table in ArithMathAdjoint.def has one line per operation. Its entries are
// expressions over terms: `a`, `b`, `c` the operands, `y` the result, `ct` the
// cotangent of the result. A term for a forward value is written into the new
// code only when an expression uses it, so a line that does not mention `a`
// costs nothing for `a`.
#ifndef TPC_RULES_ARITHMATHADJOINT_H
#define TPC_RULES_ARITHMATHADJOINT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tpc {

/// Where new scalar code is written, and how it gets at forward values.
struct ScalarContext {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// The forward value as seen from the new code; null, after an error, when it
  /// cannot be had there.
  llvm::function_ref<mlir::Value(mlir::Value)> forward;
};

/// A value in the new code, a forward value not yet fetched, or a literal that
/// takes the type of what it meets. Null when default-constructed: no flow.
class Term {
public:
  Term() = default;
  Term(double literal) : kind(Kind::Literal), literal(literal) {}
  static Term get(ScalarContext &context, mlir::Value value) {
    return Term(Kind::Value, context, value);
  }
  static Term lazy(ScalarContext &context, mlir::Value forward) {
    return Term(Kind::Forward, context, forward);
  }

  explicit operator bool() const { return kind != Kind::None; }
  bool isLiteral() const { return kind == Kind::Literal; }
  mlir::Type getType() const { return value.getType(); }
  ScalarContext *getContext() const { return context; }
  /// The value in the new code; a literal becomes a constant of `type`.
  mlir::Value materialize(ScalarContext &context, mlir::Type type) const;

private:
  enum class Kind { None, Value, Forward, Literal };
  Term(Kind kind, ScalarContext &context, mlir::Value value)
      : kind(kind), context(&context), value(value) {}

  Kind kind = Kind::None;
  ScalarContext *context = nullptr;
  mlir::Value value;
  double literal = 0;
};

/// The derivative of one operation: per operand, its contribution to that
/// operand's cotangent.
struct ScalarDerivative {
  struct Terms {
    Term a, b, c, y, ct;
  };
  using Rule = Term (*)(const Terms &);
  llvm::SmallVector<Rule, 3> rules;
};

/// The line of the table for `op`, or null.
const ScalarDerivative *findScalarDerivative(mlir::Operation *op);

/// Writes the contribution of `op`, whose result has cotangent `cotangent`, to
/// the cotangent of operand `index`. Null when there is none.
mlir::Value buildScalarAdjoint(ScalarContext &context, mlir::Operation *op,
                               unsigned index, mlir::Value cotangent,
                               const ScalarDerivative &derivative);

/// For `y = 1 / (1 + exp(-x))`, as frontends write the sigmoid: x. Its
/// derivative is y (1 - y), where the chain rule over the parts would multiply
/// zero by infinity once exp overflows.
mlir::Value matchSigmoid(mlir::Operation *op);
/// The contribution y (1 - y) ct of a sigmoid to its x.
mlir::Value buildSigmoidAdjoint(ScalarContext &context, mlir::Operation *op,
                                mlir::Value cotangent);

} // namespace tpc

#endif // TPC_RULES_ARITHMATHADJOINT_H
