// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises activations and their derivatives by what they compute.
//
// An activation has many spellings, in one operation or several, and what
// differentiation makes of it has more. A tensor is evaluated at some elements,
// with numbers given for the tensors that it may depend on, and compared with
// the formula. Samples see neither a bound beyond them nor a mask between them,
// so the code is looked at first: all elements are computed alike, and either
// analytically, where a short composition that agrees at the samples is the
// formula, or by comparing the argument with zero and with nothing else.
#include "Activation.h"
#include "Contraction.h"
#include "Epilogue.h"
#include "TensorValues.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tpc/Lower/Passes.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;

namespace tpc::lower {

namespace {

/// More operations than any activation and its derivative have.
constexpr unsigned kMostValues = 96;

int64_t numElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

bool isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

bool isAnalytic(Operation &op) {
  return isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
             arith::DivFOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
             math::TanhOp, math::ExpOp, math::PowFOp, math::FPowIOp,
             math::SqrtOp>(op);
}

bool isElementwise(linalg::GenericOp generic) {
  if (!generic || generic->getNumResults() != 1 ||
      generic.getNumLoops() != generic.getNumParallelLoops() ||
      generic->hasAttr(kEpilogue) || matchContraction(generic))
    return false;
  return llvm::all_of(
      generic.getBody()->without_terminator(), [](Operation &op) {
        return isAnalytic(op) || isa<arith::CmpFOp, arith::SelectOp>(op);
      });
}

/// True when `value` is computed from `given` and constants alone, by reshapes
/// and generics whose bodies are `allowed`, the same for each element.
bool consistsOf(Value value, ArrayRef<Value> given,
                function_ref<bool(linalg::GenericOp)> allowed) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned next = 0; next < values.size(); ++next) {
    if (llvm::is_contained(given, values[next]))
      continue;
    Operation *op = values[next].getDefiningOp();
    if (!op || next >= kMostValues)
      return false;
    if (isUniform(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!isReshape(op) && !(isElementwise(generic) && allowed(generic)))
      return false;
    for (Value operand :
         op->getOperands().take_front(generic ? generic.getNumDpsInputs() : 1))
      if (isa<RankedTensorType>(operand.getType()))
        values.insert(operand);
      else if (!matchPattern(operand, m_Constant()))
        return false;
  }
  return true;
}

bool isAnalyticBody(linalg::GenericOp generic) {
  return llvm::all_of(generic.getBody()->without_terminator(), isAnalytic);
}

/// True when the body selects, and by nothing but comparisons of `argument`
/// with zero. A product with a mask of zeros and ones is another thing where
/// the factor is infinite.
bool selectsBySign(linalg::GenericOp generic, Value argument) {
  auto isArgument = [&](Value value) {
    auto operand = dyn_cast<BlockArgument>(stripExtension(value));
    return operand && operand.getOwner() == generic.getBody() &&
           operand.getArgNumber() < generic.getNumDpsInputs() &&
           behindReshapes(generic->getOperand(operand.getArgNumber())) ==
               behindReshapes(argument);
  };
  return llvm::all_of(
      generic.getBody()->without_terminator(), [&](Operation &op) {
        if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
          Value left = compare.getLhs(), right = compare.getRhs();
          if (matchPattern(left, m_AnyZeroFloat()))
            std::swap(left, right);
          return matchPattern(right, m_AnyZeroFloat()) && isArgument(left);
        }
        return isa<arith::ConstantOp, arith::SelectOp, arith::ExtFOp,
                   arith::TruncFOp>(op);
      });
}

/// Evaluates `value` at one place, where the other tensors have the numbers.
class Probe {
public:
  Probe(Value value, std::pair<Value, double> x, std::pair<Value, double> y,
        int64_t at) {
    bool elsewhere = false;
    TensorValues values(
        [&](Value tensor, int64_t element) -> std::optional<Scalar> {
          if (tensor != x.first && tensor != y.first)
            return std::nullopt;
          elsewhere |= element != at;
          return Scalar::of(tensor == x.first ? x.second : y.second);
        });
    std::optional<Scalar> scalar = values.get(value, at);
    if (scalar && scalar->isFloat && !elsewhere)
      result = scalar->real;
  }

  bool isNear(double expected, double tolerance) const {
    return result && std::fabs(*result - expected) <=
                         tolerance * (std::fabs(expected) + 0.05);
  }
  bool is(double expected) const { return result && *result == expected; }

private:
  std::optional<double> result;
};

/// The place of sample `number`: the last one, and others all over the tensor,
/// which is not empty.
int64_t placeOf(Value value, int number) {
  int64_t count = numElements(value);
  return number == 0 ? count - 1 : number * (count * 5 / 13 + 1) % count;
}

constexpr int kSamples = 64;
double argumentOf(int number) { return (number - kSamples / 2) * 0.13 + 0.017; }
double factorOf(int number) { return 0.3 + number % 7 - 3; }

/// result = product * slope(argument)
bool isGeluGradient(Value result, Value product, Value argument,
                    double tolerance) {
  if (!consistsOf(result, {product, argument}, isAnalyticBody))
    return false;
  for (int number = 0; number < kSamples; ++number) {
    double x = argumentOf(number), factor = factorOf(number);
    if (!Probe(result, {product, factor}, {argument, x},
               placeOf(result, number))
             .isNear(factor * geluSlope(x), tolerance))
      return false;
  }
  return true;
}

/// The comparison with zero that says where `result` is `product`, and where 0.
std::optional<arith::CmpFPredicate>
matchReluGradient(Value result, Value product, Value argument) {
  if (!consistsOf(result, {product, argument}, [&](linalg::GenericOp generic) {
        return selectsBySign(generic, argument);
      }))
    return std::nullopt;
  auto probe = [&](double x, int number) {
    return Probe(result, {product, factorOf(number)}, {argument, x},
                 placeOf(result, number));
  };
  for (int number = 0; number < kSamples; ++number) {
    double x = argumentOf(number);
    if (!probe(x, number).is(x > 0 ? factorOf(number) : 0))
      return std::nullopt;
  }
  auto passesAt = [&](double x) -> std::optional<bool> {
    if (probe(x, 1).is(factorOf(1)))
      return true;
    return probe(x, 1).is(0) ? std::optional(false) : std::nullopt;
  };
  std::optional<bool> atZero = passesAt(0), atNan = passesAt(NAN);
  if (!atZero || !atNan)
    return std::nullopt;
  if (*atZero)
    return *atNan ? arith::CmpFPredicate::UGE : arith::CmpFPredicate::OGE;
  return *atNan ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::OGT;
}

/// What `result` is computed from elementwise, nearest first, without what
/// `region` has.
SmallVector<Value> argumentsOf(Value result, Value product,
                               const Elementwise &region) {
  llvm::SetVector<Value> values;
  values.insert(result);
  SmallVector<Value> arguments;
  for (unsigned next = 0; next < values.size() && next < kMostValues; ++next) {
    Value value = values[next];
    if (value == product)
      continue;
    if (!llvm::is_contained(region.values(), value)) {
      if (numElements(value) != numElements(result) ||
          !isa<FloatType>(getElementTypeOrSelf(value)))
        continue;
      arguments.push_back(value);
    }
    Operation *op = value.getDefiningOp();
    auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
    if (!op || !(isReshape(op) || isElementwise(generic)))
      continue;
    ValueRange operands = op->getOperands();
    for (Value operand :
         operands.take_front(generic ? generic.getNumDpsInputs() : 1))
      if (isa<RankedTensorType>(operand.getType()))
        values.insert(operand);
  }
  return arguments;
}

} // namespace

Elementwise::Elementwise(Value source) : source(source) {
  llvm::SetVector<Value> values;
  values.insert(source);
  for (unsigned next = 0; next < values.size(); ++next)
    for (Operation *user : values[next].getUsers()) {
      if (user->getBlock() != source.getParentBlock() ||
          values.size() >= kMostValues)
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(user);
      if ((isReshape(user) || isElementwise(generic)) &&
          numElements(user->getResult(0)) == numElements(source))
        values.insert(user->getResult(0));
    }
  derived.append(std::next(values.begin()), values.end());
  llvm::sort(derived, [](Value x, Value y) {
    return x.getDefiningOp()->isBeforeInBlock(y.getDefiningOp());
  });
}

bool Elementwise::endsIn(Value value) const {
  llvm::SmallSetVector<Value, 16> reached;
  reached.insert(source);
  for (unsigned next = 0; next < reached.size(); ++next) {
    if (reached[next] == value)
      continue;
    for (Operation *user : reached[next].getUsers()) {
      if (user->getNumResults() != 1 ||
          !llvm::is_contained(derived, user->getResult(0)))
        return false;
      reached.insert(user->getResult(0));
    }
  }
  return reached.contains(value);
}

void Elementwise::eraseDead(RewriterBase &rewriter) {
  while (!derived.empty()) {
    Operation *op = derived.pop_back_val().getDefiningOp();
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  }
}

double gelu(double x) {
  double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
}

double geluSlope(double x) {
  double scale = std::sqrt(2 / M_PI);
  double t = std::tanh(scale * (x + 0.044715 * x * x * x));
  return (1 + t) / 2 + x / 2 * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
}

double toleranceOf(Type type) {
  return type.isF64() ? 1e-9 : type.isF32() ? 1e-6 : 1e-2;
}

Value findGelu(Value argument, const Elementwise &region) {
  Type type = getElementTypeOrSelf(argument);
  for (Value value : region.values()) {
    if (getElementTypeOrSelf(value) != type || isReshape(value.getDefiningOp()))
      continue;
    bool matches = consistsOf(value, argument, isAnalyticBody);
    for (int number = 0; matches && number < kSamples; ++number)
      matches = Probe(value, {argument, argumentOf(number)}, {},
                      placeOf(value, number))
                    .isNear(gelu(argumentOf(number)), toleranceOf(type));
    if (matches)
      return value;
  }
  return {};
}

std::optional<ActivationGradient>
findActivationGradient(Value product, const Elementwise &region,
                       ArrayRef<Type> types) {
  for (Type type : types)
    for (Value result : llvm::reverse(region.values())) {
      if (getElementTypeOrSelf(result) != type || !region.endsIn(result))
        continue;
      for (Value argument : argumentsOf(result, product, region)) {
        if (std::optional<arith::CmpFPredicate> predicate =
                matchReluGradient(result, product, argument))
          return ActivationGradient{result, argument, false, *predicate};
        if (getElementTypeOrSelf(argument) == type &&
            isGeluGradient(result, product, argument, toleranceOf(type)))
          return ActivationGradient{result, argument, true, {}};
      }
    }
  return std::nullopt;
}

} // namespace tpc::lower
