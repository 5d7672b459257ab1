// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language of the table of scalar derivatives, the look-up in it, and the
// adjoints of arithmetic outside of structured operations, from the same table.

#include "ArithMathAdjoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tpc {

Value Term::materialize(ScalarContext &target, Type type) const {
  switch (kind) {
  case Kind::None:
    return nullptr;
  case Kind::Value:
    return value;
  case Kind::Forward:
    return target.forward(value);
  case Kind::Literal:
    break;
  }
  TypedAttr attr =
      target.builder.getFloatAttr(getElementTypeOrSelf(type), literal);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, Attribute(attr));
  return arith::ConstantOp::create(target.builder, target.loc, attr);
}

//===----------------------------------------------------------------------===//
// The language of the table
//===----------------------------------------------------------------------===//

namespace {
constexpr double ln2 = 0.69314718055994530942;
constexpr double ln10 = 2.30258509299404568402;
constexpr double twoOverSqrtPi = 1.12837916709551257390;

/// Creates `Op` on the given terms. Null when any of them cannot be had.
template <typename Op, typename... Args>
Term emit(ScalarContext &context, Args... args) {
  return Term::get(context,
                   context.builder.createOrFold<Op>(context.loc, args...));
}

template <typename Op> Term unary(const Term &x) {
  ScalarContext &context = *x.getContext();
  Value value = x.materialize(context, {});
  return value ? emit<Op>(context, value) : Term();
}

/// The two values of a binary operation; a literal takes the other's type.
struct Pair {
  Pair(const Term &x, const Term &y)
      : context(*(x.isLiteral() ? y : x).getContext()) {
    Type type = (x.isLiteral() ? y : x).getType();
    lhs = x.materialize(context, type);
    rhs = y.materialize(context, type);
  }
  explicit operator bool() const { return lhs && rhs; }
  ScalarContext &context;
  Value lhs, rhs;
};

template <typename Op> Term binary(const Term &x, const Term &y) {
  Pair pair(x, y);
  return pair ? emit<Op>(pair.context, pair.lhs, pair.rhs) : Term();
}

Term compare(arith::CmpFPredicate predicate, const Term &x, const Term &y) {
  Pair pair(x, y);
  return pair ? emit<arith::CmpFOp>(pair.context, predicate, pair.lhs, pair.rhs)
              : Term();
}

Term operator-(const Term &x) { return unary<arith::NegFOp>(x); }
Term operator+(const Term &x, const Term &y) {
  return binary<arith::AddFOp>(x, y);
}
Term operator-(const Term &x, const Term &y) {
  return binary<arith::SubFOp>(x, y);
}
Term operator*(const Term &x, const Term &y) {
  return binary<arith::MulFOp>(x, y);
}
Term operator/(const Term &x, const Term &y) {
  return binary<arith::DivFOp>(x, y);
}
Term operator>(const Term &x, const Term &y) {
  return compare(arith::CmpFPredicate::OGT, x, y);
}
Term operator<(const Term &x, const Term &y) {
  return compare(arith::CmpFPredicate::OLT, x, y);
}
Term operator==(const Term &x, const Term &y) {
  return compare(arith::CmpFPredicate::OEQ, x, y);
}
Term exp(const Term &x) { return unary<math::ExpOp>(x); }
Term log(const Term &x) { return unary<math::LogOp>(x); }
Term sin(const Term &x) { return unary<math::SinOp>(x); }
Term cos(const Term &x) { return unary<math::CosOp>(x); }
Term sinh(const Term &x) { return unary<math::SinhOp>(x); }
Term cosh(const Term &x) { return unary<math::CoshOp>(x); }
Term sqrt(const Term &x) { return unary<math::SqrtOp>(x); }
Term trunc(const Term &x) { return unary<math::TruncOp>(x); }
Term pow(const Term &x, const Term &y) { return binary<math::PowFOp>(x, y); }

/// `condition ? x : y` for each element.
Term where(const Term &condition, const Term &x, const Term &y) {
  if (!condition)
    return Term();
  Pair pair(x, y);
  Value flag = condition.materialize(pair.context, {});
  return pair && flag
             ? emit<arith::SelectOp>(pair.context, flag, pair.lhs, pair.rhs)
             : Term();
}

/// `x` in the floating-point type of `like`.
Term convert(const Term &x, const Term &like) {
  ScalarContext &context = *x.getContext();
  Value value = x.materialize(context, {});
  Type type = like.getType();
  unsigned from = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (from < to)
    return Term::get(context, arith::ExtFOp::create(context.builder,
                                                    context.loc, type, value));
  return Term::get(context, arith::TruncFOp::create(context.builder,
                                                    context.loc, type, value));
}

/// ct n x^(n-1) for an integer n.
Term fpowiDerivative(const Term &ct, const Term &x, const Term &power) {
  ScalarContext &context = *ct.getContext();
  Value base = x.materialize(context, {});
  Value n = power.materialize(context, {});
  if (!base || !n)
    return Term();
  OpBuilder &builder = context.builder;
  TypedAttr oneAttr =
      builder.getIntegerAttr(getElementTypeOrSelf(n.getType()), 1);
  if (auto shaped = dyn_cast<ShapedType>(n.getType()))
    oneAttr = DenseElementsAttr::get(shaped, Attribute(oneAttr));
  Value one = arith::ConstantOp::create(builder, context.loc, oneAttr);
  Value less = builder.createOrFold<arith::SubIOp>(context.loc, n, one);
  Value lower = math::FPowIOp::create(builder, context.loc, base, less);
  Value factor =
      arith::SIToFPOp::create(builder, context.loc, base.getType(), n);
  return ct * (Term::get(context, factor) * Term::get(context, lower));
}
} // namespace

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

static llvm::StringMap<ScalarDerivative> buildTable() {
  using Terms = ScalarDerivative::Terms;
  llvm::StringMap<ScalarDerivative> table;
  // Every entry becomes a function of the terms by name.
#define TPC_RULE(EXPRESSION)                                                   \
  [](const Terms &terms) -> Term {                                             \
    [[maybe_unused]] const Term &a = terms.a, &b = terms.b, &c = terms.c,      \
                                &y = terms.y, &ct = terms.ct, none{};          \
    return EXPRESSION;                                                         \
  }
#define TPC_RULES_1(A) TPC_RULE(A)
#define TPC_RULES_2(A, B) TPC_RULE(A), TPC_RULE(B)
#define TPC_RULES_3(A, B, C) TPC_RULE(A), TPC_RULE(B), TPC_RULE(C)
#define TPC_SELECT(A, B, C, RULES, ...) RULES
#define TPC_DERIVATIVE(OP, ...)                                                \
  table[OP::getOperationName()] = {{TPC_SELECT(                                \
      __VA_ARGS__, TPC_RULES_3, TPC_RULES_2, TPC_RULES_1, )(__VA_ARGS__)}};
#include "ArithMathAdjoint.def"
#undef TPC_SELECT
#undef TPC_RULES_3
#undef TPC_RULES_2
#undef TPC_RULES_1
#undef TPC_RULE
  return table;
}

const ScalarDerivative *findScalarDerivative(Operation *op) {
  static const llvm::StringMap<ScalarDerivative> table = buildTable();
  auto it = table.find(op->getName().getStringRef());
  return it == table.end() ? nullptr : &it->second;
}

Value buildScalarAdjoint(ScalarContext &context, Operation *op, unsigned index,
                         Value cotangent, const ScalarDerivative &derivative) {
  auto operand = [&](unsigned i) {
    return i < op->getNumOperands() ? Term::lazy(context, op->getOperand(i))
                                    : Term();
  };
  Term result = derivative.rules[index]({operand(0), operand(1), operand(2),
                                         Term::lazy(context, op->getResult(0)),
                                         Term::get(context, cotangent)});
  return result.materialize(context, op->getOperand(index).getType());
}

Value matchSigmoid(Operation *op) {
  auto div = dyn_cast<arith::DivFOp>(op);
  if (!div || !matchPattern(div.getLhs(), m_OneFloat()))
    return nullptr;
  auto sum = div.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum)
    return nullptr;
  Value power = sum.getLhs(), one = sum.getRhs();
  if (!matchPattern(one, m_OneFloat()))
    std::swap(power, one);
  auto exp = power.getDefiningOp<math::ExpOp>();
  if (!exp || !matchPattern(one, m_OneFloat()))
    return nullptr;
  auto neg = exp.getOperand().getDefiningOp<arith::NegFOp>();
  return neg ? neg.getOperand() : nullptr;
}

Value buildSigmoidAdjoint(ScalarContext &context, Operation *op,
                          Value cotangent) {
  Term y = Term::lazy(context, op->getResult(0));
  Term ct = Term::get(context, cotangent);
  Term result = ct * (y * (1 - y));
  return result.materialize(context, cotangent.getType());
}

//===----------------------------------------------------------------------===//
// Outside of structured operations
//===----------------------------------------------------------------------===//

namespace {
/// An operation of the table on scalars between tensors.
template <typename OpTy>
struct ScalarAdjoint
    : AdjointOpInterface::ExternalModel<ScalarAdjoint<OpTy>, OpTy> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto forward = [](Value value) { return value; };
    ScalarContext context{builder, op->getLoc(), forward};
    const ScalarDerivative &derivative = *findScalarDerivative(op);
    contributions.assign(op->getNumOperands(), nullptr);
    for (unsigned i = 0, e = derivative.rules.size(); i < e; ++i)
      if (needed[i])
        contributions[i] =
            buildScalarAdjoint(context, op, i, cotangents[0], derivative);
    return success();
  }
};
} // namespace

void registerArithMathAdjoints(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, arith::ArithDialect *, math::MathDialect *) {
#define TPC_DERIVATIVE(OP, ...)                                                \
  OP::attachInterface<ScalarAdjoint<OP>>(*context);
#include "ArithMathAdjoint.def"
      });
}

} // namespace tpc
