// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes linalg operations on local tensors.
//
// Loops keep their meaning; their extents shrink to the local shapes. Some
// things need care. `linalg.index` must count in global coordinates. Where a
// reduction loop runs over an unevenly sharded dim, elements behind this
// rank's chunk are padding: a contraction gets both operands masked with zero
// (zero times padding would keep a NaN), any other reduction keeps its
// accumulator there. Parallel loops may compute on padding: nothing reads it.
// What traps there is an integer division, so none divides by what may be zero.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;
using namespace tpc;

namespace {

/// The tensor dim that a loop runs over.
struct LoopDim {
  int64_t length = 0;
  unsigned dim = 0;
  tp::PlacementAttr placement;
  bool sharded = false;
  bool even = true;
};

SmallVector<LoopDim> findLoopDims(linalg::LinalgOp op, const Mesh &mesh) {
  SmallVector<LoopDim> loops(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    tp::PlacementAttr attr = tp::getPlacement(operand.get().getType());
    if (!type || !attr)
      continue;
    Placement placement = attr.resolve(mesh);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || placement.shardAxes(dim).empty())
        continue;
      LoopDim &info = loops[loop.getPosition()];
      info.sharded = true;
      info.length = type.getDimSize(dim);
      info.dim = dim;
      info.placement = attr;
      info.even = placement.isEven(mesh, dim, info.length);
    }
  }
  return loops;
}

/// A copy of `local`, the local tensor of `operand`, with zero behind this
/// rank's chunk along the dims of `loops` that are reduced unevenly.
Value maskWithZero(OpBuilder &builder, linalg::LinalgOp op, OpOperand &operand,
                   Value local, ArrayRef<LoopDim> loops) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = cast<RankedTensorType>(local.getType());
  SmallVector<std::pair<unsigned, Value>> masked;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || loops[loop.getPosition()].even ||
        op.getIteratorTypesArray()[loop.getPosition()] !=
            utils::IteratorType::reduction)
      continue;
    const LoopDim &info = loops[loop.getPosition()];
    masked.push_back({dim, tp::ChunkSizeOp::create(
                               builder, op.getLoc(), builder.getIndexType(),
                               info.length, info.placement, info.dim)});
  }
  if (masked.empty())
    return local;
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                        type.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, op.getLoc(), builder.getZeroAttr(type.getElementType()));
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, op.getLoc(), type, local, empty,
      ArrayRef<AffineMap>{identity, identity}, parallel,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value result = args[0];
        for (auto [dim, size] : masked) {
          Value index = linalg::IndexOp::create(b, loc, dim);
          Value inside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, index, size);
          result = arith::SelectOp::create(b, loc, inside, result, zero);
        }
        linalg::YieldOp::create(b, loc, result);
      });
  return generic.getResult(0);
}

/// Adds the chunk's offset to every `linalg.index` of a sharded loop.
void globaliseIndices(OpBuilder &builder, linalg::LinalgOp local,
                      ArrayRef<LoopDim> loops) {
  SmallVector<Value> offsets(loops.size());
  SmallVector<linalg::IndexOp> indices(
      local.getBlock()->getOps<linalg::IndexOp>());
  for (linalg::IndexOp index : indices) {
    const LoopDim &info = loops[index.getDim()];
    if (!info.sharded)
      continue;
    Value &offset = offsets[index.getDim()];
    if (!offset) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(local);
      offset = tp::ChunkOffsetOp::create(builder, local.getLoc(),
                                         builder.getIndexType(), info.length,
                                         info.placement, info.dim);
    }
    OpBuilder inside(builder.getContext());
    inside.setInsertionPointAfter(index);
    Value global = arith::AddIOp::create(inside, index.getLoc(), index, offset);
    index.getResult().replaceAllUsesExcept(global, global.getDefiningOp());
  }
}

/// Keeps the accumulator where a reduction loop runs behind this rank's chunk.
void maskReductions(OpBuilder &builder, linalg::LinalgOp local,
                    ArrayRef<LoopDim> loops) {
  Block *body = local.getBlock();
  Operation *yield = body->getTerminator();
  for (auto [loop, info] : llvm::enumerate(loops)) {
    if (info.even ||
        local.getIteratorTypesArray()[loop] != utils::IteratorType::reduction)
      continue;
    Value size;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(local);
      size = tp::ChunkSizeOp::create(builder, local.getLoc(),
                                     builder.getIndexType(), info.length,
                                     info.placement, info.dim);
    }
    OpBuilder inside(yield);
    Value index = linalg::IndexOp::create(inside, local.getLoc(), loop);
    Value valid = arith::CmpIOp::create(inside, local.getLoc(),
                                        arith::CmpIPredicate::ult, index, size);
    unsigned numInputs = local.getNumDpsInputs();
    for (OpOperand &operand : yield->getOpOperands()) {
      Value accumulator =
          body->getArgument(numInputs + operand.getOperandNumber());
      operand.set(arith::SelectOp::create(inside, local.getLoc(), valid,
                                          operand.get(), accumulator));
    }
  }
}

/// Makes integer divisions total: by zero, and the one signed division that
/// overflows, become divisions by one. Processors trap on both.
void guardDivisions(linalg::LinalgOp local) {
  local.getBlock()->walk([&](Operation *op) {
    bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
                        arith::CeilDivSIOp>(op);
    if (!isSigned &&
        !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op))
      return;
    Value divisor = op->getOperand(1);
    Type type = divisor.getType();
    APInt known;
    if (!type.isIntOrIndex() ||
        (matchPattern(divisor, m_ConstantInt(&known)) && !known.isZero() &&
         !(isSigned && known.isAllOnes())))
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                    : type.getIntOrFloatBitWidth();
    auto constant = [&](const APInt &value) {
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
    };
    auto equal = [&](Value value, const APInt &other) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value,
                                   constant(other));
    };
    Value traps = equal(divisor, APInt::getZero(width));
    if (isSigned)
      traps = arith::OrIOp::create(
          b, traps,
          arith::AndIOp::create(
              b, equal(divisor, APInt::getAllOnes(width)),
              equal(op->getOperand(0), APInt::getSignedMinValue(width))));
    op->setOperand(1, arith::SelectOp::create(
                          b, traps, constant(APInt(width, 1)), divisor));
  });
}

struct LinalgPartition
    : public PartitionOpInterface::FallbackModel<LinalgPartition> {
  LogicalResult partition(Operation *rawOp, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<linalg::LinalgOp>(rawOp);
    Operation *symbol = rawOp;
    tp::PlacementAttr placed = tp::getPlacement(op->getResult(0).getType());
    Mesh mesh = tp::lookupMesh(symbol, placed.getMesh()).getMesh();
    SmallVector<LoopDim> loops = findLoopDims(op, mesh);

    bool unevenReduction = false;
    for (auto [loop, info] : llvm::enumerate(loops))
      unevenReduction |= !info.even && op.getIteratorTypesArray()[loop] ==
                                           utils::IteratorType::reduction;
    bool contraction = linalg::isaContractionOpInterface(op);

    SmallVector<Value> locals(operands);
    if (unevenReduction && contraction)
      for (OpOperand *input : op.getDpsInputOperands())
        locals[input->getOperandNumber()] = maskWithZero(
            builder, op, *input, locals[input->getOperandNumber()], loops);

    SmallVector<Type> types;
    for (OpOperand &init : op.getDpsInitsMutable())
      types.push_back(locals[init.getOperandNumber()].getType());
    auto local = cast<linalg::LinalgOp>(clone(builder, rawOp, types, locals));
    // First: the indices that masks compare are local ones.
    globaliseIndices(builder, local, loops);
    if (unevenReduction && !contraction)
      maskReductions(builder, local, loops);
    guardDivisions(local);
    for (NamedAttribute attr : rawOp->getDiscardableAttrs())
      local->setDiscardableAttr(attr.getName(), attr.getValue());
    llvm::append_range(results, local->getResults());
    return success();
  }
};

template <typename... Ops> void attachAll(MLIRContext *context) {
  (Ops::template attachInterface<LinalgPartition>(*context), ...);
}

} // namespace

void tpc::registerLinalgPartitioning(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachAll<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}
