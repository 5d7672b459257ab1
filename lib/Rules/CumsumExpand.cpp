// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cumulative sum along a sharded dim: what the ranks exchange, and how it is
// written.
//
// The dim is cut into one block per shard. Every rank sums its block on its
// own; the totals of all blocks, one element each, are gathered; and the totals
// of the blocks before its own are added to every element. Blocks must be of
// one size, so the shards must be even.

#include "CumsumExpand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

/// 16-bit floats are summed in 32 bits.
static Type getSumType(Type elementType) {
  if (isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(elementType.getContext());
  return elementType;
}

static Placement withoutAxes(const Placement &placement,
                             ArrayRef<unsigned> axes) {
  Placement result = placement;
  for (unsigned axis : axes)
    result = result.withReplicated(axis);
  return result;
}

std::optional<ShardingRule::OwnSteps>
getCumsumSteps(RankedTensorType type, unsigned dim, const Mesh &mesh,
               const Placement &placement) {
  ShardingRule::OwnSteps steps;
  SmallVector<unsigned> axes = placement.shardAxes(dim);
  int64_t blocks = 1;
  for (unsigned axis : axes)
    blocks *= mesh.size(axis);
  if (blocks == 1)
    return steps;
  if (type.getDimSize(dim) % blocks != 0)
    return std::nullopt;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = blocks;
  std::optional<Step> step =
      classifyStep(mesh, shape, placement, withoutAxes(placement, axes));
  if (!step)
    return std::nullopt;
  int64_t elementBytes = tp::getElementBytes(getSumType(type.getElementType()));
  steps.push_back({step->kind, step->axes,
                   stepBytes(mesh, shape, elementBytes, *step),
                   stepStarts(mesh, shape, *step)});
  return steps;
}

namespace {
/// The expansion of one operation. `b` (block) and `i` (place in it) are what
/// its dim is cut into.
class Expansion {
public:
  Expansion(tp::CumsumOp op, OpBuilder &builder, tp::MeshOp meshOp)
      : op(op), b(op.getLoc(), builder), mesh(meshOp.getMesh()),
        type(op.getInput().getType()), dim(op.getDim()),
        symbol(tp::getPlacement(type).getMesh()),
        placement(tp::getPlacement(type).resolve(mesh)),
        sumType(getSumType(type.getElementType())) {
    axes = placement.shardAxes(dim);
    for (unsigned axis : axes)
      blocks *= mesh.size(axis);
  }

  /// False where the dim is not sharded.
  bool isNeeded() const { return blocks > 1; }
  Value run();

private:
  using Body = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  /// The placement of a tensor with the dim cut in two: dims behind it move.
  Placement cutPlacement() const {
    SmallVector<Placement::Entry> entries(placement.entries());
    for (Placement::Entry &entry : entries)
      if (entry.isShard() && entry.dim > dim)
        ++entry.dim;
    return Placement(entries);
  }
  RankedTensorType place(ArrayRef<int64_t> shape, Type elementType,
                         const Placement &to) {
    return RankedTensorType::get(
        shape, elementType,
        tp::PlacementAttr::get(b.getContext(), symbol, mesh, to));
  }
  Value sum(Value input, RankedTensorType result, ArrayRef<AffineMap> maps,
            ArrayRef<utils::IteratorType> iterators, Body term);
  Value sumBlocks(Value cut);
  Value gather(Value totals);
  Value sumBefore(Value totals);
  Value addToBlocks(Value local, Value before);
  Value convert(ImplicitLocOpBuilder &builder, Value scalar, Type to) {
    if (scalar.getType() == to)
      return scalar;
    if (to == sumType)
      return arith::ExtFOp::create(builder, to, scalar);
    return arith::TruncFOp::create(builder, to, scalar);
  }
  Value add(ImplicitLocOpBuilder &builder, Value x, Value y) {
    if (isa<FloatType>(sumType))
      return arith::AddFOp::create(builder, x, y);
    return arith::AddIOp::create(builder, x, y);
  }

  tp::CumsumOp op;
  ImplicitLocOpBuilder b;
  Mesh mesh;
  RankedTensorType type;
  unsigned dim;
  FlatSymbolRefAttr symbol;
  Placement placement;
  Type sumType;
  SmallVector<unsigned> axes;
  int64_t blocks = 1;
};

/// A sum of `term` into zeros of type `result`.
Value Expansion::sum(Value input, RankedTensorType result,
                     ArrayRef<AffineMap> maps,
                     ArrayRef<utils::IteratorType> iterators, Body term) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
  Value empty = tensor::EmptyOp::create(b, result.getShape(), sumType,
                                        result.getEncoding());
  Value zeros = linalg::FillOp::create(b, zero, empty).getResult(0);
  return linalg::GenericOp::create(
             b, result, input, zeros, maps, iterators,
             [&](OpBuilder &builder, Location loc, ValueRange args) {
               ImplicitLocOpBuilder inside(loc, builder);
               Value value = add(inside, args[1], term(inside, args));
               linalg::YieldOp::create(inside, value);
             })
      .getResult(0);
}

/// The total of every block.
Value Expansion::sumBlocks(Value cut) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = blocks;
  AffineMap whole = b.getMultiDimIdentityMap(type.getRank() + 1);
  SmallVector<utils::IteratorType> iterators(type.getRank() + 1,
                                             utils::IteratorType::parallel);
  iterators[dim + 1] = utils::IteratorType::reduction;
  return sum(cut, place(shape, sumType, placement),
             {whole, whole.dropResult(dim + 1)}, iterators,
             [&](ImplicitLocOpBuilder &inside, ValueRange args) {
               return convert(inside, args[0], sumType);
             });
}

Value Expansion::gather(Value totals) {
  auto from = cast<RankedTensorType>(totals.getType());
  auto moved = tp::RedistributeOp::create(
      b, place(from.getShape(), sumType, withoutAxes(placement, axes)), totals);
  moved->setAttr(tp::TPDialect::kWhy,
                 b.getStringAttr("every shard of a cumulative sum needs the "
                                 "totals of those before it"));
  moved->setAttr(tp::TPDialect::kValue,
                 b.getStringAttr(tp::getUserName(op.getOutput())));
  return moved;
}

/// Per block, the sum of the totals of the blocks before it.
Value Expansion::sumBefore(Value totals) {
  unsigned rank = type.getRank(), other = rank;
  AffineMap result = AffineMap::getMultiDimIdentityMap(rank + 1, b.getContext())
                         .dropResult(rank);
  SmallVector<AffineExpr> read(result.getResults());
  read[dim] = getAffineDimExpr(other, b.getContext());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  auto from = cast<RankedTensorType>(totals.getType());
  auto isBefore =
      op.getReverse() ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult;
  return sum(totals, place(from.getShape(), sumType, placement),
             {AffineMap::get(rank + 1, 0, read, b.getContext()), result},
             iterators, [&](ImplicitLocOpBuilder &inside, ValueRange args) {
               Value counted = arith::CmpIOp::create(
                   inside, isBefore, linalg::IndexOp::create(inside, other),
                   linalg::IndexOp::create(inside, dim));
               Value zero = arith::ConstantOp::create(
                   inside, inside.getZeroAttr(sumType));
               return arith::SelectOp::create(inside, counted, args[0], zero)
                   .getResult();
             });
}

Value Expansion::addToBlocks(Value local, Value before) {
  auto cut = cast<RankedTensorType>(local.getType());
  AffineMap whole = b.getMultiDimIdentityMap(cut.getRank());
  SmallVector<utils::IteratorType> parallel(cut.getRank(),
                                            utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, cut.getShape(), cut.getElementType(),
                                        cut.getEncoding());
  return linalg::GenericOp::create(
             b, cut, ValueRange{local, before}, empty,
             ArrayRef<AffineMap>{whole, whole.dropResult(dim + 1), whole},
             parallel,
             [&](OpBuilder &builder, Location loc, ValueRange args) {
               ImplicitLocOpBuilder inside(loc, builder);
               Value wide = convert(inside, args[0], sumType);
               linalg::YieldOp::create(
                   inside, convert(inside, add(inside, wide, args[1]),
                                   cut.getElementType()));
             })
      .getResult(0);
}

Value Expansion::run() {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= blocks;
  shape.insert(shape.begin() + dim, blocks);
  SmallVector<ReassociationIndices> groups(type.getRank());
  for (int64_t d = 0; d <= type.getRank(); ++d)
    groups[d <= dim ? d : d - 1].push_back(d);
  Value cut = tensor::ExpandShapeOp::create(
      b, place(shape, type.getElementType(), cutPlacement()), op.getInput(),
      groups);
  Value local = tp::CumsumOp::create(b, cut.getType(), cut, dim + 1,
                                     op.getReverse(), op.getExclusive());
  Value before = sumBefore(gather(sumBlocks(cut)));
  return tensor::CollapseShapeOp::create(b, type, addToBlocks(local, before),
                                         groups);
}

struct CumsumExpand
    : ExpandOpInterface::ExternalModel<CumsumExpand, tp::CumsumOp> {
  LogicalResult expand(Operation *raw, OpBuilder &builder,
                       SmallVectorImpl<Value> &results) const {
    auto op = cast<tp::CumsumOp>(raw);
    tp::PlacementAttr placed = tp::getPlacement(op.getType());
    Expansion expansion(op, builder, tp::lookupMesh(raw, placed.getMesh()));
    if (expansion.isNeeded())
      results.push_back(expansion.run());
    return success();
  }
};
} // namespace

void registerCumsumExpansion(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tp::TPDialect *) {
    tp::CumsumOp::attachInterface<CumsumExpand>(*context);
  });
}

} // namespace tpc
