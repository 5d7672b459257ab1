// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes tensor operations and constants on local tensors. What moves along
// dims that are cut, padded or joined has been written as windows; where the
// operations are left these dims are not sharded, so every other dim shrinks to
// its local extent and nothing else changes.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;
using namespace tpc;

namespace {

RankedTensorType localType(Operation *op, Type type) {
  tp::PlacementAttr placement = tp::getPlacement(type);
  Mesh mesh = tp::lookupMesh(op, placement.getMesh()).getMesh();
  return tp::getLocalType(cast<RankedTensorType>(type), placement.resolve(mesh),
                          mesh);
}

/// Operations whose only shape is that of their result type.
template <typename Op>
struct RetypedPartition
    : public PartitionOpInterface::ExternalModel<RetypedPartition<Op>, Op> {
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(localType(op, op->getResult(0).getType()));
    state.addAttributes(op->getAttrs());
    results.push_back(builder.create(state)->getResult(0));
    return success();
  }
};

struct ConstantPartition
    : public PartitionOpInterface::ExternalModel<ConstantPartition,
                                                 arith::ConstantOp> {
  LogicalResult partition(Operation *rawOp, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<arith::ConstantOp>(rawOp);
    RankedTensorType type = localType(op, op.getType());
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (dense && dense.isSplat()) {
      results.push_back(arith::ConstantOp::create(
          builder, op.getLoc(),
          DenseElementsAttr::get(type, dense.getSplatValue<Attribute>())));
      return success();
    }
    auto global = cast<RankedTensorType>(op.getType());
    if (type.getShape() != global.getShape())
      return op.emitError("after 'plan': expected a constant that differs by "
                          "element to be replicated; this is a tpc bug");
    Attribute value = op.getValue();
    if (dense)
      value = dense.reshape(type);
    else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
      value = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    results.push_back(arith::ConstantOp::create(builder, op.getLoc(), type,
                                                cast<TypedAttr>(value)));
    return success();
  }
};

struct ExpandPartition
    : public PartitionOpInterface::ExternalModel<ExpandPartition,
                                                 tensor::ExpandShapeOp> {
  LogicalResult partition(Operation *rawOp, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<tensor::ExpandShapeOp>(rawOp);
    results.push_back(tensor::ExpandShapeOp::create(
        builder, op.getLoc(), localType(op, op.getType()), operands[0],
        op.getReassociationIndices()));
    return success();
  }
};

/// Sizes of a cut along dims that keep their full extent follow the local
/// tensor; the others keep what was written.
SmallVector<OpFoldResult> localSizes(OpBuilder &builder,
                                     ArrayRef<OpFoldResult> sizes,
                                     ArrayRef<int64_t> globalShape,
                                     ArrayRef<int64_t> localShape) {
  SmallVector<OpFoldResult> result(sizes);
  for (auto [dim, size] : llvm::enumerate(result))
    if (getConstantIntValue(size) == globalShape[dim])
      size = builder.getIndexAttr(localShape[dim]);
  return result;
}

struct ExtractSlicePartition
    : public PartitionOpInterface::ExternalModel<ExtractSlicePartition,
                                                 tensor::ExtractSliceOp> {
  LogicalResult partition(Operation *rawOp, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<tensor::ExtractSliceOp>(rawOp);
    auto source = cast<RankedTensorType>(operands[0].getType());
    results.push_back(tensor::ExtractSliceOp::create(
        builder, op.getLoc(), localType(op, op.getType()), operands[0],
        op.getMixedOffsets(),
        localSizes(builder, op.getMixedSizes(), op.getSourceType().getShape(),
                   source.getShape()),
        op.getMixedStrides()));
    return success();
  }
};

struct InsertSlicePartition
    : public PartitionOpInterface::ExternalModel<InsertSlicePartition,
                                                 tensor::InsertSliceOp> {
  LogicalResult partition(Operation *rawOp, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<tensor::InsertSliceOp>(rawOp);
    auto dest = cast<RankedTensorType>(operands[1].getType());
    results.push_back(tensor::InsertSliceOp::create(
        builder, op.getLoc(), operands[0], operands[1], op.getMixedOffsets(),
        localSizes(builder, op.getMixedSizes(), op.getDestType().getShape(),
                   dest.getShape()),
        op.getMixedStrides()));
    return success();
  }
};

struct PadPartition
    : public PartitionOpInterface::ExternalModel<PadPartition, tensor::PadOp> {
  LogicalResult partition(Operation *rawOp, OpBuilder &builder,
                          ValueRange operands,
                          SmallVectorImpl<Value> &results) const {
    auto op = cast<tensor::PadOp>(rawOp);
    Value padding = op.getConstantPaddingValue();
    if (!padding)
      return op.emitError(
          "unsupported: padding that differs by element; write it as a "
          "linalg.generic");
    results.push_back(tensor::PadOp::create(
        builder, op.getLoc(), localType(op, op.getType()), operands[0],
        op.getMixedLowPad(), op.getMixedHighPad(), padding, op.getNofold()));
    return success();
  }
};

} // namespace

void tpc::registerTensorPartitioning(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<RetypedPartition<tensor::EmptyOp>>(
        *context);
    tensor::SplatOp::attachInterface<RetypedPartition<tensor::SplatOp>>(
        *context);
    tensor::CastOp::attachInterface<RetypedPartition<tensor::CastOp>>(*context);
    tensor::ConcatOp::attachInterface<RetypedPartition<tensor::ConcatOp>>(
        *context);
    tensor::CollapseShapeOp::attachInterface<
        RetypedPartition<tensor::CollapseShapeOp>>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandPartition>(*context);
    tensor::ExtractSliceOp::attachInterface<ExtractSlicePartition>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSlicePartition>(*context);
    tensor::PadOp::attachInterface<PadPartition>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<ConstantPartition>(*context);
  });
}
