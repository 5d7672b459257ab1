// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises the epilogues of matmul calls: result = round(act(x + bias)).
//
// Sum, ReLU and rounding are recognised by their operations. GELU has many
// spellings: its body may consist of analytic operations alone and is compared
// with the formula at points. A body of a few such operations that agrees there
// is the formula.
#include "Epilogue.h"
#include "Activation.h"
#include "ScalarValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Lower/Passes.h"
#include <cmath>

using namespace mlir;

namespace tpc::lower {

namespace {

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
    double expected = gelu(at);
    if (!is || !(std::fabs(is->real - expected) <=
                 tolerance * (std::fabs(expected) + 0.01)))
      return false;
  }
  return true;
}

/// True when `value` is `product`, or `product` and `bias`, which may be null.
bool matchBiasedSum(Value value, Value product, Value bias, int32_t &flags) {
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
  if (matchBiasedSum(value, product, bias, flags))
    return flags;
  flags = MatmulFlag::RELU;
  if (Value x = matchRelu(value)) {
    // Rounding before a ReLU gives what rounding behind it gives.
    if (auto rounding = x.getDefiningOp<arith::TruncFOp>())
      x = rounding.getIn();
    return matchBiasedSum(x, product, bias, flags) ? std::optional(flags)
                                                   : std::nullopt;
  }
  flags = MatmulFlag::GELU;
  for (Operation &op : body->without_terminator())
    if (isa<arith::AddFOp>(op) &&
        matchBiasedSum(op.getResult(0), product, bias, flags) &&
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

std::optional<ResultMatrix> resultMatrix(const Matmul &matmul) {
  bool isRow = matmul.cCol == 1;
  ResultMatrix matrix = isRow ? ResultMatrix{matmul.m, matmul.n}
                              : ResultMatrix{matmul.n, matmul.m};
  int64_t stride = isRow ? matmul.cRow : matmul.cCol;
  if (!matmul.batch.empty() || (matrix.outer > 1 && stride != matrix.inner))
    return std::nullopt;
  return matrix;
}

/// The contraction whose result lies as a consumer writes it.
static Contraction withResult(Contraction contraction, AffineMap productMap,
                              AffineMap resultMap, Type type) {
  AffineMap toLoops = contraction.maps[2];
  SmallVector<AffineExpr> results;
  for (AffineExpr dim : resultMap.getResults())
    results.push_back(toLoops.getResult(*productMap.getResultPosition(dim)));
  contraction.maps[2] =
      AffineMap::get(toLoops.getNumDims(), 0, results, type.getContext());
  contraction.elementTypes[2] = type;
  return contraction;
}

/// What `contraction` becomes with such a consumer, where that is one call.
static std::optional<Contraction> matchResult(linalg::GenericOp product,
                                              AffineMap productMap,
                                              AffineMap resultMap, Type type) {
  std::optional<Contraction> contraction = getContraction(product);
  if (!contraction || contraction->points() < kSmallProduct ||
      !productMap.isPermutation() || !resultMap.isPermutation())
    return std::nullopt;
  if (!startsFromZero(product))
    return std::nullopt;
  if (type != contraction->elementTypes[2] &&
      type != contraction->elementTypes[0])
    return std::nullopt;
  return withResult(*contraction, productMap, resultMap, type);
}

std::optional<Matmul> matchLayout(linalg::GenericOp product,
                                  AffineMap productMap, AffineMap resultMap,
                                  Type type) {
  std::optional<Contraction> contraction =
      matchResult(product, productMap, resultMap, type);
  return contraction ? matchMatmul(*contraction, /*mixed=*/true) : std::nullopt;
}

/// True when `bias` runs along the inner dim of the result and along no other.
static bool runsAlongInner(const Contraction &contraction, const Matmul &matmul,
                           AffineMap biasMap, AffineMap resultMap,
                           RankedTensorType bias) {
  if (!biasMap.isProjectedPermutation())
    return false;
  SmallVector<int64_t> biasStrides(contraction.extents.size(), 0);
  int64_t stride = 1;
  for (int64_t dim = bias.getRank() - 1; dim >= 0; --dim) {
    unsigned place = *resultMap.getResultPosition(biasMap.getResult(dim));
    biasStrides[contraction.maps[2].getDimPosition(place)] = stride;
    stride *= bias.getDimSize(dim);
  }
  int64_t inner = matmul.cCol == 1 ? matmul.n : matmul.m;
  SmallVector<int64_t> strides = operandStrides(contraction, 2);
  for (auto [loop, extent] : llvm::enumerate(contraction.extents)) {
    if (extent == 1 || strides[loop] == 0)
      continue;
    if (biasStrides[loop] != (strides[loop] < inner ? strides[loop] : 0))
      return false;
  }
  return true;
}

std::optional<int32_t> epilogueFlags(linalg::GenericOp product,
                                     linalg::GenericOp consumer) {
  if (auto flags = consumer->getAttrOfType<IntegerAttr>(kEpilogue))
    return flags.getInt();
  unsigned inputs = consumer.getNumDpsInputs();
  unsigned self = consumer.getInputs()[0] == product.getResult(0) ? 0 : 1;
  Block *block = consumer.getBody();
  std::optional<int32_t> flags =
      matchBody(block, block->getArgument(self),
                inputs == 2 ? block->getArgument(1 - self) : Value());
  bool hasBias = flags && *flags & MatmulFlag::ADD_BIAS;
  return flags && inputs == (hasBias ? 2u : 1u) ? flags : std::nullopt;
}

std::optional<FusedMatmul> matchFusedMatmul(linalg::GenericOp product,
                                            linalg::GenericOp consumer) {
  unsigned inputs = consumer.getNumDpsInputs();
  if (inputs == 0 || inputs > 2 ||
      consumer.getNumLoops() != consumer.getNumParallelLoops())
    return std::nullopt;
  unsigned self = consumer.getInputs()[0] == product.getResult(0) ? 0 : 1;
  if (self >= inputs || consumer.getInputs()[self] != product.getResult(0))
    return std::nullopt;
  std::optional<int32_t> flags = epilogueFlags(product, consumer);
  if (!flags)
    return std::nullopt;
  // What nobody reads was dropped.
  if (consumer->getNumResults() == 1)
    *flags &= ~MatmulFlag::WRITE_AUX;
  bool writesAux = *flags & MatmulFlag::WRITE_AUX;
  if (consumer->getNumResults() != (writesAux ? 2u : 1u))
    return std::nullopt;

  SmallVector<AffineMap> maps = consumer.getIndexingMapsArray();
  AffineMap out = maps[inputs];
  Type type = getElementTypeOrSelf(consumer.getResult(0));
  std::optional<Contraction> contraction =
      matchResult(product, maps[self], out, type);
  std::optional<Matmul> matmul =
      contraction ? matchMatmul(*contraction, /*mixed=*/true) : std::nullopt;
  // The runtime does several batch dims in turn and has epilogues for one
  // product; the library's f64 has none.
  if (!matmul || (*flags && (matmul->batch.size() > 1 || type.isF64())))
    return std::nullopt;
  FusedMatmul fused{*matmul, {}, {}, {}};
  fused.matmul.flags = *flags;
  Value other = inputs == 2 ? consumer.getInputs()[1 - self] : Value();
  if (*flags & MatmulFlag::ADD_BIAS) {
    fused.bias = other;
    auto biasType = dyn_cast<RankedTensorType>(other.getType());
    if (!biasType || biasType.getElementType() != type ||
        !runsAlongInner(*contraction, *matmul, maps[1 - self], out, biasType))
      return std::nullopt;
  }
  if (writesAux)
    fused.aux = consumer.getResult(1);
  int32_t gradient =
      *flags & (MatmulFlag::RELU_GRADIENT | MatmulFlag::GELU_GRADIENT);
  if (gradient)
    fused.argument = other;
  if (!gradient && !writesAux)
    return fused;
  std::optional<ResultMatrix> matrix = resultMatrix(*matmul);
  bool isMask = gradient & MatmulFlag::RELU_GRADIENT;
  if (!matrix || matrix->inner % (isMask ? kMaskUnit : kArgumentUnit) != 0)
    return std::nullopt;
  // An argument lies like the result.
  Value argument = writesAux ? fused.aux : fused.argument;
  AffineMap map = writesAux ? maps[inputs + 1] : maps[1 - self];
  if (!isMask && (map != out || getElementTypeOrSelf(argument) != type))
    return std::nullopt;
  fused.matmul.auxStride = matrix->inner;
  return fused;
}

linalg::GenericOp fusedConsumer(linalg::GenericOp product) {
  if (!product->hasOneUse())
    return {};
  auto consumer = dyn_cast<linalg::GenericOp>(*product->user_begin());
  if (!consumer || !consumer->hasAttr(kEpilogue) ||
      consumer->getBlock() != product->getBlock() ||
      !matchFusedMatmul(product, consumer))
    return {};
  return consumer;
}

std::optional<FusedMatmul> matchCall(linalg::GenericOp product) {
  if (linalg::GenericOp consumer = fusedConsumer(product))
    return matchFusedMatmul(product, consumer);
  std::optional<Contraction> contraction = getContraction(product);
  if (!contraction || contraction->points() < kSmallProduct)
    return std::nullopt;
  std::optional<Matmul> matmul = matchMatmul(*contraction, /*mixed=*/true);
  if (!matmul)
    return std::nullopt;
  return FusedMatmul{*matmul, {}, {}, {}};
}

Value behindReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

int32_t matchSum(linalg::GenericOp product, const FusedMatmul &call,
                 Value matrix, int64_t length) {
  const Matmul &matmul = call.matmul;
  std::optional<ResultMatrix> result = resultMatrix(matmul);
  // The library's sums are of the result's type and f32 at least.
  if (!startsFromZero(product) || !result || matmul.isF64())
    return 0;
  if (linalg::GenericOp consumer = fusedConsumer(product);
      consumer && consumer.getResult(0) == matrix) {
    bool isGradient =
        matmul.flags & (MatmulFlag::RELU_GRADIENT | MatmulFlag::GELU_GRADIENT);
    return isGradient && result->inner == length ? MatmulFlag::SUM_RESULT : 0;
  }
  if (matmul.flags)
    return 0;
  bool innerIsN = matmul.cCol == 1;
  if (behindReshapes(product.getInputs()[0]) == matrix && matmul.aRow == 1 &&
      matmul.aCol == length && matmul.m == length)
    return innerIsN ? MatmulFlag::SUM_OUTER : MatmulFlag::SUM_INNER;
  if (behindReshapes(product.getInputs()[1]) == matrix && matmul.bCol == 1 &&
      matmul.bRow == length && matmul.n == length)
    return innerIsN ? MatmulFlag::SUM_INNER : MatmulFlag::SUM_OUTER;
  return 0;
}

linalg::GenericOp findSum(linalg::GenericOp product, const FusedMatmul &call) {
  SmallVector<Value> names = {behindReshapes(product.getInputs()[0]),
                              behindReshapes(product.getInputs()[1])};
  if (linalg::GenericOp consumer = fusedConsumer(product))
    names.push_back(consumer.getResult(0));
  for (unsigned next = 0; next < names.size(); ++next)
    for (Operation *user : names[next].getUsers()) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        names.push_back(user->getResult(0));
      auto sum = dyn_cast<linalg::GenericOp>(user);
      auto flag = user->getAttrOfType<IntegerAttr>(kEpilogue);
      if (!sum || !flag || sum.getNumReductionLoops() == 0 ||
          user->getBlock() != product->getBlock())
        continue;
      auto type = cast<RankedTensorType>(sum.getResult(0).getType());
      if (flag.getInt() == matchSum(product, call,
                                    behindReshapes(sum.getInputs()[0]),
                                    type.getNumElements()))
        return sum;
    }
  return {};
}

} // namespace tpc::lower
