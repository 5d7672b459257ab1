// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the tp dialect's operations on local tensors.
//
// Indices of gathers and scatters are global. Where a rank holds a chunk of the
// dim at an index, the index is moved to count from the start of the chunk, or
// becomes -1, which reads as 0 and drops an update. Where updates behind a
// rank's chunk are padding and would be added to something that is not, an
// index of theirs becomes -1 as well.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;
using namespace tpc;

namespace {

/// The part of a dim that this rank holds.
struct Chunk {
  Value offset, size;
};

/// What must be done to the indices of one index tensor.
struct Adjustment {
  /// The chunk of the dim they point into, if it is sharded.
  std::optional<Chunk> target;
  /// Per dim of the index tensor: how many indices are not padding, or null.
  SmallVector<Value> valid;

  bool empty() const { return !target && llvm::none_of(valid, isNotNull); }

private:
  static bool isNotNull(Value value) { return bool(value); }
};

class IndexedPartitioner {
public:
  IndexedPartitioner(tp::IndexedOpInterface op, OpBuilder &builder)
      : op(op), b(op.getLoc(), builder) {
    tp::PlacementAttr placed = tp::getPlacement(op.getIndexed().getType());
    mesh = tp::lookupMesh(op, placed.getMesh()).getMesh();
  }

  /// The local index tensors, from `locals` of those of the operation.
  SmallVector<Value> adjustIndices(ValueRange locals);

  RankedTensorType localType(Type type) {
    return tp::getLocalType(cast<RankedTensorType>(type),
                            tp::getPlacement(type).resolve(mesh), mesh);
  }

private:
  void addTargets(MutableArrayRef<Adjustment> adjustments);
  void addPadding(MutableArrayRef<Adjustment> adjustments);
  Value apply(const Adjustment &adjustment, Value indices);

  Value chunkSize(int64_t length, tp::PlacementAttr placement, unsigned dim) {
    return tp::ChunkSizeOp::create(b, b.getIndexType(), length, placement, dim);
  }

  tp::IndexedOpInterface op;
  ImplicitLocOpBuilder b;
  Mesh mesh;
};

void IndexedPartitioner::addTargets(MutableArrayRef<Adjustment> adjustments) {
  auto type = cast<RankedTensorType>(op.getIndexed().getType());
  tp::PlacementAttr placement = tp::getPlacement(type);
  Placement resolved = placement.resolve(mesh);
  for (auto [dim, expr] : llvm::enumerate(op.getIndexedMap().getResults())) {
    auto index = dyn_cast<AffineSymbolExpr>(expr);
    if (!index || resolved.shardAxes(dim).empty())
      continue;
    int64_t length = type.getDimSize(dim);
    adjustments[index.getPosition()].target = {
        tp::ChunkOffsetOp::create(b, b.getIndexType(), length, placement, dim),
        chunkSize(length, placement, dim)};
  }
}

/// Padding matters along a loop that is no dim of the tensor added to. Some
/// index is read at every such loop [I4].
void IndexedPartitioner::addPadding(MutableArrayRef<Adjustment> adjustments) {
  auto type = cast<RankedTensorType>(op.getElements().getType());
  tp::PlacementAttr placement = tp::getPlacement(type);
  Placement resolved = placement.resolve(mesh);
  for (int64_t loop = 0; loop < type.getRank(); ++loop) {
    int64_t length = type.getDimSize(loop);
    if (op.getIndexedMap().isFunctionOfDim(loop) ||
        resolved.isEven(mesh, loop, length))
      continue;
    Value size = chunkSize(length, placement, loop);
    auto expr = getAffineDimExpr(loop, op.getContext());
    for (auto [number, adjustment] : llvm::enumerate(adjustments))
      if (std::optional<unsigned> dim =
              op.getIndexMap(number).getResultPosition(expr)) {
        adjustment.valid[*dim] = size;
        break;
      }
  }
}

Value IndexedPartitioner::apply(const Adjustment &adjustment, Value indices) {
  auto type = cast<RankedTensorType>(indices.getType());
  Value empty =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inside(loc, builder);
    Value index =
        arith::IndexCastOp::create(inside, inside.getIndexType(), args[0]);
    Value isMine;
    auto require = [&](Value value, Value bound) {
      Value below = arith::CmpIOp::create(inside, arith::CmpIPredicate::ult,
                                          value, bound);
      isMine = isMine ? arith::AndIOp::create(inside, isMine, below) : below;
    };
    if (adjustment.target) {
      // As an unsigned number what lies before the chunk is beyond it.
      index = arith::SubIOp::create(inside, index, adjustment.target->offset);
      require(index, adjustment.target->size);
    }
    for (auto [dim, size] : llvm::enumerate(adjustment.valid))
      if (size)
        require(linalg::IndexOp::create(inside, dim), size);
    Value none = arith::ConstantIndexOp::create(inside, -1);
    Value chosen = arith::SelectOp::create(inside, isMine, index, none);
    Value result =
        arith::IndexCastOp::create(inside, type.getElementType(), chosen);
    linalg::YieldOp::create(inside, result);
  };
  return linalg::GenericOp::create(b, type, indices, empty, maps, parallel,
                                   body)
      .getResult(0);
}

SmallVector<Value> IndexedPartitioner::adjustIndices(ValueRange locals) {
  SmallVector<Adjustment> adjustments(locals.size());
  for (auto [adjustment, indices] : llvm::zip_equal(adjustments, locals))
    adjustment.valid.resize(
        cast<RankedTensorType>(indices.getType()).getRank());
  addTargets(adjustments);
  if (isa<tp::ScatterOp>(op))
    addPadding(adjustments);
  SmallVector<Value> adjusted;
  for (auto [adjustment, indices] : llvm::zip_equal(adjustments, locals))
    adjusted.push_back(adjustment.empty() ? indices
                                          : apply(adjustment, indices));
  return adjusted;
}

struct GatherPartition
    : PartitionOpInterface::ExternalModel<GatherPartition, tp::GatherOp> {
  LogicalResult partition(Operation *raw, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<tp::GatherOp>(raw);
    IndexedPartitioner partitioner(op, builder);
    SmallVector<Value> indices =
        partitioner.adjustIndices(operands.drop_front());
    results.push_back(tp::GatherOp::create(builder, op.getLoc(),
                                           partitioner.localType(op.getType()),
                                           operands[0], indices, op.getMaps()));
    return success();
  }
};

struct ScatterPartition
    : PartitionOpInterface::ExternalModel<ScatterPartition, tp::ScatterOp> {
  LogicalResult partition(Operation *raw, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<tp::ScatterOp>(raw);
    IndexedPartitioner partitioner(op, builder);
    SmallVector<Value> indices =
        partitioner.adjustIndices(operands.drop_front(2));
    results.push_back(tp::ScatterOp::create(
        builder, op.getLoc(), partitioner.localType(op.getType()), operands[0],
        operands[1], indices, op.getMaps()));
    return success();
  }
};

/// The dim that is summed along is not sharded.
struct CumsumPartition
    : PartitionOpInterface::ExternalModel<CumsumPartition, tp::CumsumOp> {
  LogicalResult partition(Operation *raw, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<tp::CumsumOp>(raw);
    results.push_back(tp::CumsumOp::create(
        builder, op.getLoc(), operands[0].getType(), operands[0], op.getDim(),
        op.getReverse(), op.getExclusive()));
    return success();
  }
};

} // namespace

void tpc::registerTPPartitioning(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tp::TPDialect *) {
    tp::GatherOp::attachInterface<GatherPartition>(*context);
    tp::ScatterOp::attachInterface<ScatterPartition>(*context);
    tp::CumsumOp::attachInterface<CumsumPartition>(*context);
  });
}
