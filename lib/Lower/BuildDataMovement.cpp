// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills and copies of boxes: what slices, insertions, concatenations and
// padding are made of.
#include "ProgramBuilder.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tpc::lower {

/// The place of an element in a row-major tensor of `shape`.
AffineExpr linearAddress(ArrayRef<AffineExpr> indices, ArrayRef<int64_t> shape,
                         MLIRContext *context) {
  AffineExpr address = getAffineConstantExpr(0, context);
  for (auto [index, size] : llvm::zip_equal(indices, shape))
    address = address * size + index;
  return address;
}

void ProgramBuilder::addFill(BufferId buffer, RankedTensorType type,
                             OpFoldResult scalar, Location loc) {
  Action action(Action::Kind::Loops, loc);
  Nest &nest = action.nest;
  nest.extents = {type.getNumElements()};
  nest.reduction = {false};
  nest.accesses = {
      {buffer, type.getElementType(), getAffineDimExpr(0, context)}};
  nest.scalars = {scalar};
  nest.inputs = {{Nest::Source::Kind::Scalar, 0}};
  nest.outputs.resize(1);
  action.writes = {buffer};
  program.actions.push_back(std::move(action));
}

void ProgramBuilder::addBoxCopy(Location loc, BufferId source,
                                RankedTensorType sourceType,
                                ArrayRef<int64_t> sourceOffsets,
                                ArrayRef<int64_t> sourceStrides,
                                BufferId target, RankedTensorType targetType,
                                ArrayRef<int64_t> targetOffsets,
                                ArrayRef<int64_t> targetStrides,
                                ArrayRef<int64_t> sizes) {
  auto address = [&](RankedTensorType type, ArrayRef<int64_t> offsets,
                     ArrayRef<int64_t> strides) {
    SmallVector<AffineExpr> indices;
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      indices.push_back(getAffineDimExpr(dim, context) * strides[dim] +
                        offsets[dim]);
    return linearAddress(indices, type.getShape(), context);
  };
  Action action(Action::Kind::Loops, loc);
  Nest &nest = action.nest;
  nest.extents = llvm::to_vector(sizes);
  nest.reduction.assign(sizes.size(), false);
  Type elementType = sourceType.getElementType();
  nest.accesses = {
      {source, elementType, address(sourceType, sourceOffsets, sourceStrides)},
      {target, elementType, address(targetType, targetOffsets, targetStrides)}};
  nest.inputs = {{Nest::Source::Kind::Access, 0}};
  nest.outputs.resize(1);
  nest.outputs[0].access = 1;
  action.reads = {source};
  action.writes = {target};
  program.actions.push_back(std::move(action));
}

void ProgramBuilder::addCopy(Location loc, BufferId source, BufferId target,
                             RankedTensorType type) {
  SmallVector<int64_t> zeros(1, 0), ones(1, 1);
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  addBoxCopy(loc, source, flat, zeros, ones, target, flat, zeros, ones,
             flat.getShape());
  program.actions.back().kind = Action::Kind::Copy;
  program.actions.back().reuse = {{target, source}};
}

LogicalResult ProgramBuilder::addExtractSlice(tensor::ExtractSliceOp op) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()))
    return unsupported(op) << "a slice with dynamic offsets, sizes or strides";
  BufferId source = use(op.getSource());
  BufferId target = define(op.getResult());
  SmallVector<int64_t> zeros(op.getStaticSizes().size(), 0);
  SmallVector<int64_t> ones(op.getStaticSizes().size(), 1);
  auto targetType =
      RankedTensorType::get(op.getStaticSizes(), op.getType().getElementType());
  addBoxCopy(op.getLoc(), source, op.getSourceType(), op.getStaticOffsets(),
             op.getStaticStrides(), target, targetType, zeros, ones,
             op.getStaticSizes());
  return success();
}

LogicalResult ProgramBuilder::addInsertSlice(tensor::InsertSliceOp op) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()))
    return unsupported(op) << "a slice with dynamic offsets, sizes or strides";
  BufferId source = use(op.getSource());
  BufferId whole = use(op.getDest());
  BufferId target = define(op.getResult());
  addCopy(op.getLoc(), whole, target, op.getDestType());
  SmallVector<int64_t> zeros(op.getStaticSizes().size(), 0);
  SmallVector<int64_t> ones(op.getStaticSizes().size(), 1);
  auto sourceType =
      RankedTensorType::get(op.getStaticSizes(), op.getType().getElementType());
  addBoxCopy(op.getLoc(), source, sourceType, zeros, ones, target,
             op.getDestType(), op.getStaticOffsets(), op.getStaticStrides(),
             op.getStaticSizes());
  return success();
}

LogicalResult ProgramBuilder::addConcat(tensor::ConcatOp op) {
  RankedTensorType type = op.getResultType();
  SmallVector<int64_t> offsets(type.getRank(), 0), zeros(type.getRank(), 0);
  SmallVector<int64_t> ones(type.getRank(), 1);
  SmallVector<BufferId> sources;
  for (Value input : op.getInputs())
    sources.push_back(use(input));
  BufferId target = define(op.getResult());
  for (auto [input, source] : llvm::zip_equal(op.getInputs(), sources)) {
    auto sourceType = cast<RankedTensorType>(input.getType());
    addBoxCopy(op.getLoc(), source, sourceType, zeros, ones, target, type,
               offsets, ones, sourceType.getShape());
    offsets[op.getDim()] += sourceType.getDimSize(op.getDim());
  }
  return success();
}

LogicalResult ProgramBuilder::addPad(tensor::PadOp op) {
  Value scalar = op.getConstantPaddingValue();
  if (!scalar)
    return unsupported(op) << "padding with a value that is not constant";
  RankedTensorType type = op.getResultType();
  if (ShapedType::isDynamicShape(op.getStaticLow()) ||
      llvm::any_of(op.getStaticLow(), [](int64_t low) { return low < 0; }) ||
      llvm::any_of(op.getStaticHigh(), [](int64_t high) { return high < 0; }))
    return unsupported(op) << "padding by dynamic or negative amounts";
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  BufferId source = use(op.getSource());
  BufferId target = define(op.getResult());
  addFill(target, type, asScalar(scalar), op.getLoc());
  addBoxCopy(op.getLoc(), source, op.getSourceType(), zeros, ones, target, type,
             op.getStaticLow(), ones, op.getSourceType().getShape());
  return success();
}

} // namespace tpc::lower
