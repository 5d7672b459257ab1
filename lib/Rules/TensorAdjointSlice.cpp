// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a sum of insertions into zeros: the adjoint of a padding behind the
// adjoint of a convolution.

#include "TensorAdjointSlice.h"
#include "LinalgBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tpc/Interfaces/Adjoint.h"

using namespace mlir;

namespace tpc {

/// An insertion without strides of a tensor of as many dims into zeros.
static tensor::InsertSliceOp matchInsertion(Value value) {
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || !isKnownZero(insert.getDest()) ||
      insert.getSourceType().getRank() != insert.getDestType().getRank() ||
      ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
      llvm::any_of(insert.getStaticStrides(),
                   [](int64_t stride) { return stride != 1; }))
    return nullptr;
  return insert;
}

/// An elementwise sum of two tensors that nothing else needs.
static linalg::GenericOp matchSum(Value value) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || !(value.use_empty() || value.hasOneUse()) ||
      generic.getNumDpsInputs() != 2 ||
      generic.getNumParallelLoops() != generic.getNumLoops() ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  Operation *sum =
      generic.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp>(sum) ||
      sum->getOperand(0) != generic.getRegionInputArgs()[0] ||
      sum->getOperand(1) != generic.getRegionInputArgs()[1])
    return nullptr;
  return generic;
}

static bool isSumOfInsertions(Value value) {
  if (linalg::GenericOp sum = matchSum(value))
    return llvm::all_of(sum.getInputs(), isSumOfInsertions);
  return matchInsertion(value) != nullptr;
}

static Value slice(OpBuilder &builder, Location loc, Value value,
                   RankedTensorType type, ArrayRef<int64_t> offsets) {
  if (type == value.getType())
    return value;
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      builder, loc, type, value,
      getAsIndexOpFoldResult(builder.getContext(), offsets),
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()), strides);
}

static Value partOf(OpBuilder &builder, Location loc, Value value,
                    RankedTensorType type, ArrayRef<int64_t> offsets) {
  if (linalg::GenericOp sum = matchSum(value))
    return createSum(builder, loc,
                     partOf(builder, loc, sum.getInputs()[0], type, offsets),
                     partOf(builder, loc, sum.getInputs()[1], type, offsets));
  tensor::InsertSliceOp insert = matchInsertion(value);
  // What of the insertion lies in the part, from either's beginning.
  SmallVector<int64_t> within, at, shape;
  for (auto [offset, first, source, length] :
       llvm::zip_equal(offsets, insert.getStaticOffsets(),
                       insert.getSourceType().getShape(), type.getShape())) {
    int64_t begin = std::max(offset, first);
    int64_t end = std::min(offset + length, first + source);
    within.push_back(begin - first);
    at.push_back(begin - offset);
    shape.push_back(std::max<int64_t>(0, end - begin));
  }
  Value zeros = createSplat(builder, loc, type, 0);
  if (llvm::is_contained(shape, 0))
    return zeros;
  auto partType = RankedTensorType::get(shape, type.getElementType());
  Value part = slice(builder, loc, insert.getSource(), partType, within);
  if (partType == type)
    return part;
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(
      builder, loc, part, zeros,
      getAsIndexOpFoldResult(builder.getContext(), at),
      getAsIndexOpFoldResult(builder.getContext(), shape), strides);
}

Value createPart(OpBuilder &builder, Location loc, Value value,
                 RankedTensorType type, ArrayRef<int64_t> offsets) {
  if (type != value.getType() && isSumOfInsertions(value))
    return partOf(builder, loc, value, type, offsets);
  return slice(builder, loc, value, type, offsets);
}

} // namespace tpc
