// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adjoints of operations that move elements: each puts the cotangent back where
// the elements came from.

#include "TensorAdjointSlice.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tpc/Interfaces/Adjoint.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

/// The contribution to operand 0 of an operation with one differentiable
/// operand.
using SingleAdjoint = Value (*)(Operation *, OpBuilder &, Value);

namespace {
template <typename OpTy, SingleAdjoint Build>
struct SingleOperandAdjoint
    : AdjointOpInterface::ExternalModel<SingleOperandAdjoint<OpTy, Build>,
                                        OpTy> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    contributions.assign(op->getNumOperands(), nullptr);
    if (needed[0])
      contributions[0] = Build(op, builder, cotangents[0]);
    return success();
  }
};
} // namespace

static Value collapseBack(Operation *op, OpBuilder &builder, Value cotangent) {
  auto expand = cast<tensor::ExpandShapeOp>(op);
  return tensor::CollapseShapeOp::create(builder, op->getLoc(),
                                         expand.getSrcType(), cotangent,
                                         expand.getReassociationIndices());
}

static Value expandBack(Operation *op, OpBuilder &builder, Value cotangent) {
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  return tensor::ExpandShapeOp::create(builder, op->getLoc(),
                                       collapse.getSrcType(), cotangent,
                                       collapse.getReassociationIndices());
}

static Value castBack(Operation *op, OpBuilder &builder, Value cotangent) {
  return tensor::CastOp::create(builder, op->getLoc(),
                                op->getOperand(0).getType(), cotangent);
}

/// A slice was read: its cotangent goes into a tensor of zeros.
static Value insertIntoZeros(Operation *op, OpBuilder &builder,
                             Value cotangent) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  Value zeros = createSplat(builder, op->getLoc(), slice.getSourceType(), 0);
  return tensor::InsertSliceOp::create(
      builder, op->getLoc(), cotangent, zeros, slice.getMixedOffsets(),
      slice.getMixedSizes(), slice.getMixedStrides());
}

/// One element was read.
static Value insertElementIntoZeros(Operation *op, OpBuilder &builder,
                                    Value cotangent) {
  auto extract = cast<tensor::ExtractOp>(op);
  Value zeros =
      createSplat(builder, op->getLoc(), extract.getTensor().getType(), 0);
  return tensor::InsertOp::create(builder, op->getLoc(), cotangent, zeros,
                                  extract.getIndices());
}

/// A scalar was written to every element.
static Value sumElements(Operation *op, OpBuilder &builder, Value cotangent) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(cotangent.getType());
  Value zero = createSplat(builder, loc,
                           RankedTensorType::get({}, type.getElementType()), 0);
  SmallVector<AffineMap> maps = {
      builder.getMultiDimIdentityMap(type.getRank()),
      AffineMap::get(type.getRank(), 0, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::reduction);
  auto sum = linalg::GenericOp::create(
      builder, loc, TypeRange{zero.getType()}, ValueRange{cotangent},
      ValueRange{zero}, maps, iterators,
      [](OpBuilder &b, Location l, ValueRange args) {
        Value next = arith::AddFOp::create(b, l, args[1], args[0]);
        linalg::YieldOp::create(b, l, next);
      });
  return tensor::ExtractOp::create(builder, loc, sum.getResult(0),
                                   ValueRange());
}

namespace {
/// A slice of the destination was replaced by the source.
struct InsertSliceAdjoint
    : AdjointOpInterface::ExternalModel<InsertSliceAdjoint,
                                        tensor::InsertSliceOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto insert = cast<tensor::InsertSliceOp>(op);
    Location loc = op->getLoc();
    contributions.assign(op->getNumOperands(), nullptr);
    if (needed[0])
      contributions[0] = tensor::ExtractSliceOp::create(
          builder, loc, insert.getSourceType(), cotangents[0],
          insert.getMixedOffsets(), insert.getMixedSizes(),
          insert.getMixedStrides());
    if (needed[1]) {
      Value zeros = createSplat(builder, loc, insert.getSourceType(), 0);
      contributions[1] = tensor::InsertSliceOp::create(
          builder, loc, zeros, cotangents[0], insert.getMixedOffsets(),
          insert.getMixedSizes(), insert.getMixedStrides());
    }
    return success();
  }
};

/// The elements of the source are a slice of the result. The padding value is
/// taken to be a constant: the autodiff stage refuses a region that reads an
/// active value.
struct PadAdjoint
    : AdjointOpInterface::ExternalModel<PadAdjoint, tensor::PadOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto pad = cast<tensor::PadOp>(op);
    contributions.assign(op->getNumOperands(), nullptr);
    if (!needed[0])
      return success();
    RankedTensorType type = pad.getSourceType();
    if (!ShapedType::isDynamicShape(pad.getStaticLow()) &&
        type.hasStaticShape()) {
      contributions[0] = createPart(builder, op->getLoc(), cotangents[0], type,
                                    pad.getStaticLow());
      return success();
    }
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(op->getContext(), type.getShape());
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    contributions[0] = tensor::ExtractSliceOp::create(
        builder, op->getLoc(), type, cotangents[0], pad.getMixedLowPad(), sizes,
        strides);
    return success();
  }
};

/// Each operand is a slice of the result.
struct ConcatAdjoint
    : AdjointOpInterface::ExternalModel<ConcatAdjoint, tensor::ConcatOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto concat = cast<tensor::ConcatOp>(op);
    unsigned dim = concat.getDim();
    contributions.assign(op->getNumOperands(), nullptr);
    int64_t offset = 0;
    for (auto [index, input] : llvm::enumerate(concat.getInputs())) {
      auto type = cast<RankedTensorType>(input.getType());
      if (needed[index]) {
        SmallVector<OpFoldResult> offsets(type.getRank(),
                                          builder.getIndexAttr(0));
        SmallVector<OpFoldResult> strides(type.getRank(),
                                          builder.getIndexAttr(1));
        offsets[dim] = builder.getIndexAttr(offset);
        contributions[index] = tensor::ExtractSliceOp::create(
            builder, op->getLoc(), type, cotangents[0], offsets,
            getAsIndexOpFoldResult(op->getContext(), type.getShape()), strides);
      }
      offset += type.getDimSize(dim);
    }
    return success();
  }
};

/// Each operand is one element of the result, in row-major order.
struct FromElementsAdjoint
    : AdjointOpInterface::ExternalModel<FromElementsAdjoint,
                                        tensor::FromElementsOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    contributions.assign(op->getNumOperands(), nullptr);
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
      if (!needed[i])
        continue;
      SmallVector<Value> indices(type.getRank());
      int64_t rest = i;
      for (int64_t dim = type.getRank(); dim-- > 0;) {
        indices[dim] = arith::ConstantIndexOp::create(
            builder, op->getLoc(), rest % type.getDimSize(dim));
        rest /= type.getDimSize(dim);
      }
      contributions[i] = tensor::ExtractOp::create(builder, op->getLoc(),
                                                   cotangents[0], indices);
    }
    return success();
  }
};
} // namespace

void registerTensorAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExpandShapeOp::attachInterface<
        SingleOperandAdjoint<tensor::ExpandShapeOp, collapseBack>>(*context);
    tensor::CollapseShapeOp::attachInterface<
        SingleOperandAdjoint<tensor::CollapseShapeOp, expandBack>>(*context);
    tensor::CastOp::attachInterface<
        SingleOperandAdjoint<tensor::CastOp, castBack>>(*context);
    tensor::ExtractSliceOp::attachInterface<
        SingleOperandAdjoint<tensor::ExtractSliceOp, insertIntoZeros>>(
        *context);
    tensor::ExtractOp::attachInterface<
        SingleOperandAdjoint<tensor::ExtractOp, insertElementIntoZeros>>(
        *context);
    tensor::SplatOp::attachInterface<
        SingleOperandAdjoint<tensor::SplatOp, sumElements>>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceAdjoint>(*context);
    tensor::PadOp::attachInterface<PadAdjoint>(*context);
    tensor::ConcatOp::attachInterface<ConcatAdjoint>(*context);
    tensor::FromElementsOp::attachInterface<FromElementsAdjoint>(*context);
  });
}

} // namespace tpc
