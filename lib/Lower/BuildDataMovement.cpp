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

HostOffsets makeHostOffsets(ArrayRef<Value> indices, ArrayRef<int64_t> spans,
                            ArrayRef<int64_t> shape) {
  HostOffsets offsets;
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    if (indices[dim])
      offsets.push_back({indices[dim],
                         std::max<int64_t>(0, shape[dim] - spans[dim]),
                         stride});
  return offsets;
}

Action ProgramBuilder::makeFill(BufferId buffer, RankedTensorType type,
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
  return action;
}

ProgramBuilder::Box ProgramBuilder::wholeBox(BufferId buffer,
                                             RankedTensorType type) {
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  return {buffer, type, zeros, ones, {}};
}

ProgramBuilder::Box
ProgramBuilder::sliceBox(BufferId buffer, RankedTensorType type,
                         OffsetSizeAndStrideOpInterface slice) {
  Box box{buffer, type, {}, llvm::to_vector(slice.getStaticStrides()), {}};
  SmallVector<Value> indices;
  SmallVector<int64_t> spans;
  for (auto [offset, size, stride] :
       llvm::zip_equal(slice.getMixedOffsets(), slice.getStaticSizes(),
                       slice.getStaticStrides())) {
    spans.push_back((size - 1) * stride + 1);
    int64_t last = type.getDimSize(spans.size() - 1) - spans.back();
    std::optional<int64_t> constant = getConstantIntValue(offset);
    // Like a computed offset a constant one may lie outside.
    box.offsets.push_back(std::clamp<int64_t>(constant.value_or(0), 0,
                                              std::max<int64_t>(0, last)));
    indices.push_back(constant ? Value() : cast<Value>(offset));
  }
  box.hostOffsets = makeHostOffsets(indices, spans, type.getShape());
  return box;
}

void ProgramBuilder::addBoxCopy(Location loc, const Box &source,
                                const Box &target, ArrayRef<int64_t> sizes) {
  auto access = [&](const Box &box) -> Access {
    SmallVector<AffineExpr> indices;
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      indices.push_back(getAffineDimExpr(dim, context) * box.strides[dim] +
                        box.offsets[dim]);
    return {box.buffer, box.type.getElementType(),
            linearAddress(indices, box.type.getShape(), context),
            box.hostOffsets};
  };
  Action action(Action::Kind::Loops, loc);
  Nest &nest = action.nest;
  nest.extents = llvm::to_vector(sizes);
  nest.reduction.assign(sizes.size(), false);
  nest.accesses = {access(source), access(target)};
  nest.inputs = {{Nest::Source::Kind::Access, 0}};
  nest.outputs.resize(1);
  nest.outputs[0].access = 1;
  action.reads = {source.buffer};
  action.writes = {target.buffer};
  append(std::move(action));
}

void ProgramBuilder::addCopy(Location loc, BufferId source, BufferId target,
                             RankedTensorType type) {
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  addBoxCopy(loc, wholeBox(source, flat), wholeBox(target, flat),
             flat.getShape());
  Action &copy = bodies.back().actions.back();
  copy.kind = Action::Kind::Copy;
  copy.reuse = {{target, source}};
}

/// Why a slice cannot be copied as a box, if so.
static StringRef whyNoBox(OffsetSizeAndStrideOpInterface slice) {
  if (ShapedType::isDynamicShape(slice.getStaticSizes()) ||
      ShapedType::isDynamicShape(slice.getStaticStrides()))
    return "a slice with dynamic sizes or strides";
  return {};
}

LogicalResult ProgramBuilder::addExtractSlice(tensor::ExtractSliceOp op) {
  if (StringRef why = whyNoBox(op); !why.empty())
    return unsupported(op) << why;
  BufferId source = use(op.getSource());
  BufferId target = define(op.getResult());
  auto targetType =
      RankedTensorType::get(op.getStaticSizes(), op.getType().getElementType());
  addBoxCopy(op.getLoc(), sliceBox(source, op.getSourceType(), op),
             wholeBox(target, targetType), op.getStaticSizes());
  return success();
}

LogicalResult ProgramBuilder::addInsertSlice(tensor::InsertSliceOp op) {
  if (StringRef why = whyNoBox(op); !why.empty())
    return unsupported(op) << why;
  BufferId source = use(op.getSource());
  BufferId target;
  if (std::optional<BufferId> carried = carriedTarget(op))
    target = bufferOf[op.getResult()] = *carried;
  else
    target = startFrom(op.getDest(), op.getResult(), op.getLoc());
  auto sourceType =
      RankedTensorType::get(op.getStaticSizes(), op.getType().getElementType());
  addBoxCopy(op.getLoc(), wholeBox(source, sourceType),
             sliceBox(target, op.getDestType(), op), op.getStaticSizes());
  return success();
}

LogicalResult ProgramBuilder::addConcat(tensor::ConcatOp op) {
  RankedTensorType type = op.getResultType();
  SmallVector<BufferId> sources;
  for (Value input : op.getInputs())
    sources.push_back(use(input));
  Box target = wholeBox(define(op.getResult()), type);
  for (auto [input, source] : llvm::zip_equal(op.getInputs(), sources)) {
    auto sourceType = cast<RankedTensorType>(input.getType());
    addBoxCopy(op.getLoc(), wholeBox(source, sourceType), target,
               sourceType.getShape());
    target.offsets[op.getDim()] += sourceType.getDimSize(op.getDim());
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
  BufferId source = use(op.getSource());
  Box target = wholeBox(define(op.getResult()), type);
  append(makeFill(target.buffer, type, asScalar(scalar), op.getLoc()));
  target.offsets = llvm::to_vector(op.getStaticLow());
  addBoxCopy(op.getLoc(), wholeBox(source, op.getSourceType()), target,
             op.getSourceType().getShape());
  return success();
}

} // namespace tpc::lower
