// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives contractions operands that one matmul call can take.
//
// A call wants one k dim, and rows or columns that are contiguous. Where the
// operands' layouts do not allow that, the cheapest set of operands is copied
// to the order (batch, m, k), (batch, k, n), (batch, m, n); the copies are
// generics of their own, so that fusion can move them into whoever makes or
// uses the tensor. Operands of a narrower type than the sum's are widened.
#include "Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_PACKCONTRACTIONSPASS
#include "tpc/Lower/Passes.h.inc"

using lower::Contraction;

namespace {

/// What is to be done about one contraction.
struct Packing {
  /// Per operand (A, B, C): the loop dims in their new order, or empty.
  std::array<SmallVector<unsigned>, 3> order;
};

/// The dims of `map` in the order in which they are written.
SmallVector<unsigned> dimsOf(AffineMap map) {
  SmallVector<unsigned> dims;
  for (unsigned result = 0; result < map.getNumResults(); ++result)
    dims.push_back(map.getDimPosition(result));
  return dims;
}

/// `dims` in the order in which `map` has them.
SmallVector<unsigned> orderedBy(AffineMap map, ArrayRef<unsigned> dims) {
  return llvm::filter_to_vector(
      dimsOf(map), [&](unsigned dim) { return llvm::is_contained(dims, dim); });
}

/// The order of operand `side` when `packed` sides may be reordered: groups as
/// the call wants them, and within a group as the side that stays has them.
SmallVector<unsigned> packedOrder(const Contraction &contraction, unsigned side,
                                  ArrayRef<bool> packed) {
  const lower::ContractionDims &dims = contraction.dims;
  // Of the two sides that share a kind of dims, the one that sets its order.
  auto leader = [&](unsigned first, unsigned second) {
    return contraction.maps[packed[first] && !packed[second] ? second : first];
  };
  SmallVector<unsigned> order;
  // Unit dims have no say in the layout.
  for (unsigned dim : dimsOf(contraction.maps[side]))
    if (contraction.extents[dim] == 1)
      order.push_back(dim);
  llvm::append_range(order,
                     orderedBy(leader(2, side == 1 ? 1 : 0), dims.batch));
  SmallVector<unsigned> m = orderedBy(leader(2, 0), dims.m);
  SmallVector<unsigned> n = orderedBy(leader(2, 1), dims.n);
  SmallVector<unsigned> k = orderedBy(leader(0, 1), dims.k);
  if (side != 1)
    llvm::append_range(order, m);
  if (side == 0 || side == 1)
    llvm::append_range(order, k);
  if (side != 0)
    llvm::append_range(order, n);
  return order;
}

AffineMap toMap(ArrayRef<unsigned> order, const Contraction &contraction) {
  MLIRContext *context = contraction.maps[0].getContext();
  return AffineMap::getMultiDimMapWithTargets(contraction.extents.size(), order,
                                              context);
}

int64_t sizeOf(const Contraction &contraction, unsigned side) {
  int64_t size = 1;
  for (unsigned dim : dimsOf(contraction.maps[side]))
    size *= contraction.extents[dim];
  return size;
}

/// The cheapest set of operands to copy so that a call can do the rest.
std::optional<Packing> choosePacking(const Contraction &contraction,
                                     bool mixed) {
  std::optional<Packing> best;
  int64_t bestSize = 0;
  for (unsigned set = 1; set < 8; ++set) {
    bool packed[3] = {bool(set & 1), bool(set & 2), bool(set & 4)};
    Contraction changed = contraction;
    Packing packing;
    int64_t size = 0;
    for (unsigned side = 0; side < 3; ++side) {
      if (!packed[side])
        continue;
      packing.order[side] = packedOrder(contraction, side, packed);
      changed.maps[side] = toMap(packing.order[side], contraction);
      size += sizeOf(contraction, side);
    }
    if ((!best || size < bestSize) && lower::matchMatmul(changed, mixed)) {
      best = packing;
      bestSize = size;
    }
  }
  return best;
}

class ContractionRewriter {
public:
  ContractionRewriter(linalg::GenericOp op, IRRewriter &rewriter, bool mixed)
      : op(op), rewriter(rewriter), loc(op.getLoc()), mixed(mixed) {}

  void run();

private:
  /// Before `op`, and before the loops around it in which `value` is the same.
  void setInsertionPointFor(Value value);
  /// A copy of `value`, whose dims are the loop dims `from`, in the order `to`.
  Value transpose(Value value, ArrayRef<unsigned> from, ArrayRef<unsigned> to);
  Value widen(Value value, Type elementType);
  Value makeInit(Value init, ArrayRef<unsigned> from, ArrayRef<unsigned> to);
  void addMultiplyAdd(OpBuilder &builder, Location bodyLoc, ValueRange args);

  linalg::GenericOp op;
  IRRewriter &rewriter;
  Location loc;
  bool mixed;
};

void ContractionRewriter::setInsertionPointFor(Value value) {
  Operation *point = op;
  for (auto loop = dyn_cast<LoopLikeOpInterface>(point->getParentOp());
       loop && loop.isDefinedOutsideOfLoop(value);
       loop = dyn_cast<LoopLikeOpInterface>(point->getParentOp()))
    point = loop;
  rewriter.setInsertionPoint(point);
}

Value ContractionRewriter::transpose(Value value, ArrayRef<unsigned> from,
                                     ArrayRef<unsigned> to) {
  setInsertionPointFor(value);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  SmallVector<unsigned> targets;
  for (unsigned dim : to)
    shape.push_back(type.getDimSize(llvm::find(from, dim) - from.begin()));
  for (unsigned dim : from)
    targets.push_back(llvm::find(to, dim) - to.begin());
  MLIRContext *context = op.getContext();
  AffineMap maps[] = {
      AffineMap::getMultiDimMapWithTargets(to.size(), targets, context),
      AffineMap::getMultiDimIdentityMap(to.size(), context)};
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  SmallVector<utils::IteratorType> loops(to.size(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), value, empty, maps, loops,
             [](OpBuilder &builder, Location bodyLoc, ValueRange args) {
               linalg::YieldOp::create(builder, bodyLoc, args[0]);
             })
      .getResult(0);
}

Value ContractionRewriter::widen(Value value, Type elementType) {
  setInsertionPointFor(value);
  auto type = cast<RankedTensorType>(value.getType());
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, type.getShape(), elementType);
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), value, empty,
             ArrayRef<AffineMap>{identity, identity}, loops,
             [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
               Value wide = arith::ExtFOp::create(builder, bodyLoc, elementType,
                                                  args[0]);
               linalg::YieldOp::create(builder, bodyLoc, wide);
             })
      .getResult(0);
}

Value ContractionRewriter::makeInit(Value init, ArrayRef<unsigned> from,
                                    ArrayRef<unsigned> to) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return transpose(init, from, to);
  rewriter.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<int64_t> shape;
  for (unsigned dim : to)
    shape.push_back(type.getDimSize(llvm::find(from, dim) - from.begin()));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  return linalg::FillOp::create(rewriter, loc, fill.value(), empty)
      .getResult(0);
}

void ContractionRewriter::run() {
  std::optional<Contraction> contraction = lower::getContraction(op);
  if (!contraction || contraction->points() < lower::kSmallProduct)
    return;
  Type sumType = contraction->elementTypes[2];
  SmallVector<Value> operands = llvm::to_vector(op->getOperands());
  bool widened = false;
  mixed &= lower::isMixed(*contraction);
  for (unsigned side : {0, 1}) {
    if (mixed)
      break;
    Type &type = contraction->elementTypes[side];
    if (isa<FloatType>(type) && isa<FloatType>(sumType) &&
        type.getIntOrFloatBitWidth() < sumType.getIntOrFloatBitWidth()) {
      operands[side] = widen(operands[side], sumType);
      type = sumType;
      widened = true;
    }
  }
  Packing packing;
  if (!lower::matchMatmul(*contraction, mixed)) {
    std::optional<Packing> found = choosePacking(*contraction, mixed);
    if (!found && !widened)
      return;
    if (found)
      packing = *found;
  }
  bool packed = false;
  std::array<SmallVector<unsigned>, 3> from;
  for (unsigned side = 0; side < 3; ++side) {
    const SmallVector<unsigned> &order = packing.order[side];
    from[side] = dimsOf(contraction->maps[side]);
    if (order.empty() || order == from[side])
      continue;
    operands[side] = side == 2 ? makeInit(operands[side], from[side], order)
                               : transpose(operands[side], from[side], order);
    contraction->maps[side] = toMap(order, *contraction);
    packed = true;
  }
  if (!packed && !widened)
    return;

  rewriter.setInsertionPoint(op);
  auto product = linalg::GenericOp::create(
      rewriter, loc, operands[2].getType(), ValueRange(operands).take_front(2),
      operands[2], contraction->maps, op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        addMultiplyAdd(builder, bodyLoc, args);
      });
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Value result = product.getResult(0);
  if (!packing.order[2].empty() && packing.order[2] != from[2])
    result = transpose(result, packing.order[2], from[2]);
  rewriter.replaceOp(op, result);
}

void ContractionRewriter::addMultiplyAdd(OpBuilder &builder, Location bodyLoc,
                                         ValueRange args) {
  Type type = args[2].getType();
  Value result;
  if (isa<FloatType>(type)) {
    Value factors[] = {args[0], args[1]};
    for (Value &factor : factors)
      if (factor.getType() != type)
        factor = arith::ExtFOp::create(builder, bodyLoc, type, factor);
    Value product =
        arith::MulFOp::create(builder, bodyLoc, factors[0], factors[1]);
    result = arith::AddFOp::create(builder, bodyLoc, args[2], product);
  } else {
    Value product = arith::MulIOp::create(builder, bodyLoc, args[0], args[1]);
    result = arith::AddIOp::create(builder, bodyLoc, args[2], product);
  }
  linalg::YieldOp::create(builder, bodyLoc, result);
}

class PackContractions
    : public impl::PackContractionsPassBase<PackContractions> {
public:
  using PackContractionsPassBase::PackContractionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Fills stay what they are: fusion and reductions look for linalg.fill.
    auto isNoFill = [](linalg::LinalgOp op) {
      return !isa<linalg::FillOp>(op.getOperation());
    };
    for (linalg::GenericOp op :
         lower::generalize(getOperation(), rewriter, isNoFill))
      ContractionRewriter(op, rewriter, mixed).run();
  }
};

} // namespace
} // namespace tpc
