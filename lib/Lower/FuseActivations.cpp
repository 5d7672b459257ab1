// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes activations and their derivatives part of matmul calls.
//
// A GELU needs its argument again for the derivative: the call that computes
// both writes both. The derivative of a ReLU needs a bit per element. The
// library would write these too, with ones where the argument is 0, unlike most
// programs: so a kernel of the program makes them of the tensor that the
// program compares with 0.
#include "FuseActivations.h"
#include "Activation.h"
#include "Epilogue.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc::lower {

Value reshape(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  Location loc = value.getLoc();
  auto all = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector(llvm::seq<int64_t>(0, rank))};
  };
  if (type.getRank() != 1)
    value = tensor::CollapseShapeOp::create(builder, loc, value,
                                            all(type.getRank()));
  if (shape.size() != 1)
    value = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        value, all(shape.size()));
  return value;
}

namespace {

using Body =
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, ValueRange)>;

/// A contraction and what its call does so far.
struct Call {
  linalg::GenericOp product, consumer;
  Value result;
  /// Of the consumer: how it reads the product, and writes the result.
  AffineMap productMap, resultMap;
  int32_t flags = 0;

  explicit Call(linalg::GenericOp product)
      : product(product), consumer(fusedConsumer(product)) {
    if (!consumer) {
      result = product.getResult(0);
      productMap = resultMap = AffineMap::getMultiDimIdentityMap(
          cast<RankedTensorType>(result.getType()).getRank(),
          product.getContext());
      return;
    }
    result = consumer.getResult(0);
    flags = *epilogueFlags(product, consumer);
    SmallVector<AffineMap> maps = consumer.getIndexingMapsArray();
    unsigned self = consumer.getInputs()[0] == product.getResult(0) ? 0 : 1;
    productMap = maps[self];
    resultMap = maps[consumer.getNumDpsInputs()];
  }

  RankedTensorType type() const {
    return cast<RankedTensorType>(result.getType());
  }
};

/// A marked generic at the builder's place.
linalg::GenericOp makeEpilogue(IRRewriter &rewriter, Location loc,
                               ValueRange inputs, ArrayRef<AffineMap> maps,
                               RankedTensorType type, unsigned results,
                               int32_t flags, Body body) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<Value> inits(results, empty);
  SmallVector<Type> types(results, type);
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, types, inputs, inits, maps, loops,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        ImplicitLocOpBuilder b(bodyLoc, builder);
        linalg::YieldOp::create(b, body(b, args));
      });
  generic->setAttr(kEpilogue, rewriter.getI32IntegerAttr(flags));
  return generic;
}

Value toType(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(b, type, value);
  return from > to ? arith::TruncFOp::create(b, type, value) : value;
}

/// The parts of tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)), in f32.
struct GeluTerms {
  GeluTerms(ImplicitLocOpBuilder &b, Value argument) : b(b) {
    x = toType(b, argument, b.getF32Type());
    square = arith::MulFOp::create(b, x, x);
    Value inner = add(constant(1), mul(constant(0.044715), square));
    tanh = math::TanhOp::create(b, mul(mul(constant(kScale), x), inner));
  }
  Value constant(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value add(Value u, Value v) { return arith::AddFOp::create(b, u, v); }
  Value mul(Value u, Value v) { return arith::MulFOp::create(b, u, v); }

  Value value() { return mul(mul(constant(0.5), x), add(constant(1), tanh)); }
  Value slope() {
    Value rest = arith::SubFOp::create(b, constant(1), mul(tanh, tanh));
    Value inner =
        add(constant(kScale), mul(constant(3 * 0.044715 * kScale), square));
    return add(mul(constant(0.5), add(constant(1), tanh)),
               mul(mul(constant(0.5), x), mul(rest, inner)));
  }

  static constexpr double kScale = 0.79788456080286536;
  ImplicitLocOpBuilder &b;
  Value x, square, tanh;
};

} // namespace

void fuseGelu(linalg::GenericOp product, IRRewriter &rewriter) {
  Call call(product);
  std::optional<Contraction> contraction = getContraction(product);
  if (call.flags & ~MatmulFlag::ADD_BIAS || !contraction ||
      contraction->points() < kSmallProduct)
    return;
  Elementwise region(call.result);
  Value result = findGelu(call.result, region);
  if (!result)
    return;
  bool writesAux = !region.endsIn(result);
  SmallVector<Value> inputs = {call.result};
  SmallVector<AffineMap> maps = {call.productMap};
  if (call.consumer) {
    inputs = call.consumer.getInputs();
    maps = call.consumer.getIndexingMapsArray();
    maps.resize(inputs.size());
  }
  maps.append(writesAux ? 2 : 1, call.resultMap);
  Operation *last = call.consumer ? call.consumer : product;
  rewriter.setInsertionPointAfter(last);
  int32_t flags = call.flags | MatmulFlag::GELU |
                  (writesAux ? int32_t(MatmulFlag::WRITE_AUX) : 0);
  Type type = call.type().getElementType();
  linalg::GenericOp fused = makeEpilogue(
      rewriter, last->getLoc(), inputs, maps, call.type(), writesAux ? 2 : 1,
      flags, [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value x = args[0];
        if (call.consumer) {
          IRMapping mapping;
          Block *body = call.consumer.getBody();
          for (unsigned number = 0; number < inputs.size(); ++number)
            mapping.map(body->getArgument(number), args[number]);
          for (Operation &op : body->without_terminator())
            b.clone(op, mapping);
          x = mapping.lookupOrDefault(body->getTerminator()->getOperand(0));
          if (auto rounding = x.getDefiningOp<arith::TruncFOp>())
            x = rounding.getIn();
        }
        SmallVector<Value> results = {toType(b, GeluTerms(b, x).value(), type)};
        if (writesAux)
          results.push_back(toType(b, x, type));
        return results;
      });
  // The consumer is still another user of the product.
  if (!matchFusedMatmul(product, fused))
    return rewriter.eraseOp(fused);
  Value shaped = reshape(rewriter, fused.getResult(0),
                         cast<RankedTensorType>(result.getType()).getShape());
  rewriter.replaceAllUsesWith(result, shaped);
  if (writesAux)
    rewriter.replaceUsesWithIf(
        call.result, fused.getResult(1),
        [&](OpOperand &use) { return use.getOwner() != fused; });
  region.eraseDead(rewriter);
  if (call.consumer && call.consumer->use_empty())
    rewriter.eraseOp(call.consumer);
}

/// A bit per element of the [outer, inner] matrix `argument`, in bytes.
static Value makeMask(IRRewriter &rewriter, Location loc, Value argument,
                      ResultMatrix matrix, arith::CmpFPredicate predicate) {
  Type byte = rewriter.getI8Type();
  SmallVector<int64_t> shape = {matrix.outer, matrix.inner / 8};
  Value bits = reshape(rewriter, argument, {shape[0], shape[1], 8});
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getI8IntegerAttr(0));
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, byte);
  Value init = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  MLIRContext *context = rewriter.getContext();
  AffineMap maps[] = {AffineMap::getMultiDimIdentityMap(3, context),
                      AffineMap::getMultiDimMapWithTargets(3, {0, 1}, context)};
  utils::IteratorType loops[] = {utils::IteratorType::parallel,
                                 utils::IteratorType::parallel,
                                 utils::IteratorType::reduction};
  return linalg::GenericOp::create(
             rewriter, loc, init.getType(), bits, init, maps, loops,
             [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
               ImplicitLocOpBuilder b(bodyLoc, builder);
               Value none = arith::ConstantOp::create(
                   b, b.getFloatAttr(args[0].getType(), 0));
               Value keeps = arith::CmpFOp::create(b, predicate, args[0], none);
               Value number = arith::IndexCastOp::create(
                   b, byte, linalg::IndexOp::create(b, 2));
               Value bit = arith::ShLIOp::create(
                   b, arith::ExtUIOp::create(b, byte, keeps), number);
               linalg::YieldOp::create(
                   b, arith::OrIOp::create(b, args[1], bit).getResult());
             })
      .getResult(0);
}

/// The place of an element of the result in row-major order.
static AffineExpr placeOf(RankedTensorType type, AffineMap map) {
  AffineExpr place = getAffineConstantExpr(0, type.getContext());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    place = place * type.getDimSize(dim) + expr;
  return place;
}

void fuseGradient(linalg::GenericOp product, IRRewriter &rewriter) {
  Call call(product);
  std::optional<Contraction> contraction = getContraction(product);
  if (call.flags || !contraction || contraction->points() < kSmallProduct)
    return;
  Elementwise region(call.result);
  SmallVector<Type> types = {contraction->elementTypes[0]};
  if (contraction->elementTypes[2] != types[0])
    types.push_back(contraction->elementTypes[2]);
  std::optional<ActivationGradient> found =
      findActivationGradient(call.result, region, types);
  if (!found)
    return;
  Type element = getElementTypeOrSelf(found->result);
  RankedTensorType type = call.type().clone(element);
  std::optional<Matmul> matmul =
      matchLayout(product, call.productMap, call.resultMap, element);
  std::optional<ResultMatrix> matrix =
      matmul ? resultMatrix(*matmul) : std::nullopt;
  if (!matrix ||
      matrix->inner % (found->isGelu ? kArgumentUnit : kMaskUnit) != 0)
    return;
  Operation *point = found->result.getDefiningOp();
  Location loc = point->getLoc();
  rewriter.setInsertionPoint(point);
  Value argument;
  AffineMap argumentMap = call.resultMap;
  AffineExpr place = placeOf(type, call.resultMap);
  if (found->isGelu) {
    argument = reshape(rewriter, found->argument, type.getShape());
  } else {
    argument =
        makeMask(rewriter, loc, found->argument, *matrix, found->predicate);
    argumentMap = AffineMap::get(
        type.getRank(), 0,
        {place.floorDiv(matrix->inner), (place % matrix->inner).floorDiv(8)},
        rewriter.getContext());
  }
  int32_t flag =
      found->isGelu ? MatmulFlag::GELU_GRADIENT : MatmulFlag::RELU_GRADIENT;
  linalg::GenericOp fused = makeEpilogue(
      rewriter, loc, {product.getResult(0), argument},
      {call.productMap, argumentMap, call.resultMap}, type, 1, flag,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        if (found->isGelu) {
          Value wide = toType(b, args[0], b.getF32Type());
          Value value =
              arith::MulFOp::create(b, wide, GeluTerms(b, args[1]).slope());
          return {toType(b, value, element)};
        }
        Value index = arith::ConstantIndexOp::create(b, 0);
        SmallVector<Value> loops;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          loops.push_back(linalg::IndexOp::create(b, dim));
        for (auto [dim, expr] : llvm::enumerate(call.resultMap.getResults())) {
          Value size = arith::ConstantIndexOp::create(b, type.getDimSize(dim));
          index = arith::AddIOp::create(
              b, arith::MulIOp::create(b, index, size),
              loops[cast<AffineDimExpr>(expr).getPosition()]);
        }
        Value eight = arith::ConstantIndexOp::create(b, 8);
        Value number = arith::IndexCastOp::create(
            b, args[1].getType(), arith::RemUIOp::create(b, index, eight));
        Value keeps = arith::TruncIOp::create(
            b, b.getI1Type(), arith::ShRUIOp::create(b, args[1], number));
        Value zero = arith::ConstantOp::create(b, b.getFloatAttr(element, 0));
        Value value = toType(b, args[0], element);
        return {arith::SelectOp::create(b, keeps, value, zero)};
      });
  if (Attribute phase = point->getAttr("tp.phase"))
    fused->setAttr("tp.phase", phase);
  Value shaped =
      reshape(rewriter, fused.getResult(0),
              cast<RankedTensorType>(found->result.getType()).getShape());
  rewriter.replaceAllUsesWith(found->result, shaped);
  region.eraseDead(rewriter);
  if (call.consumer && call.consumer->use_empty())
    rewriter.eraseOp(call.consumer);
}

} // namespace tpc::lower
