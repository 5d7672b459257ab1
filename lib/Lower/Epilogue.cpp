// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises the epilogues of matmul calls: result = round(act(x + bias)).
//
// Sum, ReLU and rounding are recognised by their operations. GELU has many
// spellings: its body may consist of analytic operations alone and is compared
// with the formula at points. A body of a few such operations that agrees there
// is the formula.
#include "Epilogue.h"
#include "ScalarValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;

namespace tpc::lower {

namespace {

Value stripExtension(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    return extension.getIn();
  return value;
}

bool isZero(Value value) { return matchPattern(value, m_AnyZeroFloat()); }

/// x when `value` is max(x, 0) and NaN where x is.
Value matchRelu(Value value) {
  if (auto maximum = value.getDefiningOp<arith::MaximumFOp>()) {
    if (isZero(maximum.getRhs()))
      return maximum.getLhs();
    return isZero(maximum.getLhs()) ? maximum.getRhs() : Value();
  }
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return {};
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || !isZero(compare.getRhs()))
    return {};
  Value x = compare.getLhs();
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::UGT:
  case arith::CmpFPredicate::UGE:
    return select.getTrueValue() == x && isZero(select.getFalseValue())
               ? x
               : Value();
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
    return select.getFalseValue() == x && isZero(select.getTrueValue())
               ? x
               : Value();
  default:
    return {};
  }
}

/// How far a formula whose constants are of `type` may be off.
double toleranceOf(Type type) {
  return type.isF64() ? 1e-9 : type.isF32() ? 1e-6 : 1e-2;
}

/// True when `value` is GELU in its tanh form of `x`.
bool isGelu(Value value, Value x, Block *body) {
  unsigned tanhs = 0;
  for (Operation &op : body->without_terminator()) {
    if (!isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
             arith::DivFOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
             math::TanhOp, math::ExpOp, math::PowFOp, math::FPowIOp,
             math::SqrtOp>(op))
      return false;
    tanhs += isa<math::TanhOp, math::ExpOp>(op);
  }
  if (!tanhs)
    return false;
  double tolerance = toleranceOf(value.getType());
  for (int point = -40; point <= 40; ++point) {
    double at = point * 0.13 + 0.0171;
    ScalarValues values;
    values.known[x] = Scalar::of(at);
    std::optional<Scalar> is = values.get(value);
    double inner = std::sqrt(2 / M_PI) * (at + 0.044715 * at * at * at);
    double expected = at / 2 * (1 + std::tanh(inner));
    if (!is || !(std::fabs(is->real - expected) <=
                 tolerance * (std::fabs(expected) + 0.01)))
      return false;
  }
  return true;
}

/// True when `value` is `product`, or `product` and `bias`, which may be null.
bool matchSum(Value value, Value product, Value bias, int32_t &flags) {
  flags &= ~MatmulFlag::ADD_BIAS;
  if (stripExtension(value) == product)
    return true;
  auto sum = value.getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value left = stripExtension(sum.getLhs());
  Value right = stripExtension(sum.getRhs());
  flags |= MatmulFlag::ADD_BIAS;
  return bias && ((left == product && right == bias) ||
                  (left == bias && right == product));
}

/// The flags of a body that is an epilogue.
std::optional<int32_t> matchBody(Block *body, Value product, Value bias) {
  Value value = body->getTerminator()->getOperand(0);
  if (auto rounding = value.getDefiningOp<arith::TruncFOp>())
    value = rounding.getIn();
  int32_t flags = 0;
  if (matchSum(value, product, bias, flags))
    return flags;
  flags = MatmulFlag::RELU;
  if (Value x = matchRelu(value))
    return matchSum(x, product, bias, flags) ? std::optional(flags)
                                             : std::nullopt;
  flags = MatmulFlag::GELU;
  for (Operation &op : body->without_terminator())
    if (isa<arith::AddFOp>(op) &&
        matchSum(op.getResult(0), product, bias, flags) &&
        isGelu(value, op.getResult(0), body))
      return flags;
  flags = MatmulFlag::GELU;
  if (isGelu(value, product, body))
    return flags;
  return std::nullopt;
}

} // namespace

bool isRelu(linalg::GenericOp generic) {
  return generic.getNumDpsInputs() == 1 && generic->getNumResults() == 1 &&
         generic.getNumLoops() == generic.getNumParallelLoops() &&
         matchRelu(generic.getBody()->getTerminator()->getOperand(0)) ==
             generic.getBody()->getArgument(0);
}

std::optional<FusedMatmul> matchFusedMatmul(linalg::GenericOp product,
                                            linalg::GenericOp consumer) {
  std::optional<Contraction> contraction = getContraction(product);
  if (!contraction || contraction->points() < kSmallProduct ||
      consumer.getNumDpsInputs() == 0 || consumer.getNumDpsInputs() > 2 ||
      consumer->getNumResults() != 1 ||
      consumer.getNumLoops() != consumer.getNumParallelLoops())
    return std::nullopt;
  auto fill = product.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !isZero(fill.value()))
    return std::nullopt;
  unsigned inputs = consumer.getNumDpsInputs();
  unsigned self = consumer.getInputs()[0] == product.getResult(0) ? 0 : 1;
  unsigned other = 1 - self;
  if (self >= inputs || consumer.getInputs()[self] != product.getResult(0))
    return std::nullopt;
  Block *block = consumer.getBody();
  std::optional<int32_t> flags =
      matchBody(block, block->getArgument(self),
                inputs == 2 ? block->getArgument(other) : Value());
  bool hasBias = flags && *flags & MatmulFlag::ADD_BIAS;
  if (!flags || inputs != (hasBias ? 2 : 1))
    return std::nullopt;

  // The result's dims in terms of the contraction's loops.
  SmallVector<AffineMap> maps = consumer.getIndexingMapsArray();
  if (!maps[self].isPermutation() || !maps.back().isPermutation())
    return std::nullopt;
  AffineMap toLoops = contraction->maps[2];
  auto loopOf = [&](AffineExpr dim) {
    return toLoops.getResult(*maps[self].getResultPosition(dim));
  };
  SmallVector<AffineExpr> results;
  for (AffineExpr dim : maps.back().getResults())
    results.push_back(loopOf(dim));
  contraction->maps[2] =
      AffineMap::get(toLoops.getNumDims(), 0, results, product.getContext());
  Type resultType = getElementTypeOrSelf(consumer.getResult(0).getType());
  if (resultType != contraction->elementTypes[2] &&
      resultType != contraction->elementTypes[0])
    return std::nullopt;
  contraction->elementTypes[2] = resultType;
  std::optional<Matmul> matmul = matchMatmul(*contraction, /*mixed=*/true);
  if (!matmul)
    return std::nullopt;
  // The runtime does several batch dims in turn and has epilogues for one
  // product; the library's f64 has none.
  if (*flags && (matmul->batch.size() > 1 || resultType.isF64()))
    return std::nullopt;
  FusedMatmul fused{*matmul, {}};
  fused.matmul.flags = *flags;
  if (!hasBias)
    return fused;

  // The bias runs along the inner dim and along no other one.
  fused.bias = consumer.getInputs()[other];
  auto biasType = cast<RankedTensorType>(fused.bias.getType());
  if (biasType.getElementType() != resultType ||
      !maps[other].isProjectedPermutation())
    return std::nullopt;
  SmallVector<int64_t> biasStrides(toLoops.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t dim = biasType.getRank() - 1; dim >= 0; --dim) {
    AffineExpr loop = loopOf(maps[other].getResult(dim));
    biasStrides[cast<AffineDimExpr>(loop).getPosition()] = stride;
    stride *= biasType.getDimSize(dim);
  }
  int64_t inner = matmul->cCol == 1 ? matmul->n : matmul->m;
  SmallVector<int64_t> strides = operandStrides(*contraction, 2);
  for (auto [loop, extent] : llvm::enumerate(contraction->extents)) {
    if (extent == 1 || strides[loop] == 0)
      continue;
    int64_t expected = strides[loop] < inner ? strides[loop] : 0;
    if (biasStrides[loop] != expected)
      return std::nullopt;
  }
  return fused;
}

} // namespace tpc::lower
