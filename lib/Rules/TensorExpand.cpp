// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes slices, insertions, paddings, concatenations and reshapes of sharded
// dims with what they fetch from other ranks: windows, and an elementwise
// choice where several tensors meet in one result.

#include "LinalgBody.h"
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

namespace {

SmallVector<int64_t> offsetsOf(const OperandWindow &window) {
  return llvm::map_to_vector(window.dims,
                             [](const WindowDim &dim) { return dim.offset; });
}

SmallVector<int64_t> sourceShape(const OperandWindow &window) {
  return llvm::map_to_vector(window.dims,
                             [](const WindowDim &dim) { return dim.source; });
}

SmallVector<int64_t> resultShape(const OperandWindow &window) {
  return llvm::map_to_vector(window.dims,
                             [](const WindowDim &dim) { return dim.result; });
}

/// Groups that join the dims where `numbers` is -1 with a neighbour.
SmallVector<ReassociationIndices> groupsOf(ArrayRef<int> numbers) {
  SmallVector<ReassociationIndices> groups;
  bool open = true;
  for (auto [dim, number] : llvm::enumerate(numbers)) {
    if (groups.empty() || (number >= 0 && !open))
      groups.emplace_back();
    groups.back().push_back(dim);
    open = open && number < 0;
  }
  // All dims are lacking: a scalar.
  if (llvm::all_of(numbers, [](int number) { return number < 0; }))
    groups.clear();
  return groups;
}

/// Leaves in `offsets` and `strides` the cuts that no window makes, along dims
/// that are never sharded; false when there are none.
bool keepOtherCuts(const OperandWindow &window, OpBuilder &builder,
                   MutableArrayRef<OpFoldResult> offsets,
                   MutableArrayRef<OpFoldResult> strides) {
  bool cuts = false;
  for (unsigned dim = 0; dim < window.dims.size(); ++dim) {
    if (!window.moves(dim) && !(isConstantIntValue(offsets[dim], 0) &&
                                isConstantIntValue(strides[dim], 1))) {
      cuts = true;
      continue;
    }
    offsets[dim] = builder.getIndexAttr(0);
    strides[dim] = builder.getIndexAttr(1);
  }
  return cuts;
}

struct ExtractSliceExpand
    : ExpandOpInterface::ExternalModel<ExtractSliceExpand,
                                       tensor::ExtractSliceOp> {
  LogicalResult expand(Operation *rawOp, OpBuilder &builder,
                       SmallVectorImpl<Value> &results) const {
    auto op = cast<tensor::ExtractSliceOp>(rawOp);
    OperandWindow window = getWindows(op)[0];
    PlacedBuilder placed(builder, op);
    Window geometry = window.place(placed.placementOf(op.getSource()),
                                   placed.placementOf(op.getResult()));
    if (!isNeeded(geometry))
      return success();
    // First what is cut with a stride or at a place not known.
    Value source = op.getSource();
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                              strides = op.getMixedStrides();
    if (keepOtherCuts(window, builder, offsets, strides))
      source = tensor::ExtractSliceOp::create(
          builder, op.getLoc(),
          placed.type(source, sourceShape(window), geometry.from), source,
          offsets,
          getAsIndexOpFoldResult(builder.getContext(), sourceShape(window)),
          strides);
    Value result = placed.window(
        source, placed.type(source, resultShape(window), geometry.to),
        offsetsOf(window), "a slice of a dim that is sharded");
    if (window.lacksDims())
      result =
          tensor::CollapseShapeOp::create(builder, op.getLoc(), op.getType(),
                                          result, groupsOf(window.resultDims));
    results.push_back(result);
    return success();
  }
};

/// A zero of the element type.
Value createZero(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(getElementTypeOrSelf(type)));
}

struct InsertSliceExpand
    : ExpandOpInterface::ExternalModel<InsertSliceExpand,
                                       tensor::InsertSliceOp> {
  LogicalResult expand(Operation *rawOp, OpBuilder &builder,
                       SmallVectorImpl<Value> &results) const {
    auto op = cast<tensor::InsertSliceOp>(rawOp);
    OperandWindow window = getWindows(op)[0];
    PlacedBuilder placed(builder, op);
    Window geometry = window.place(placed.placementOf(op.getSource()),
                                   placed.placementOf(op.getResult()));
    if (!isNeeded(geometry))
      return success();
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    SmallVector<Value> inputs;
    Value zero;
    if (window.isZero) {
      zero = createZero(builder, loc, type);
    } else {
      Value source = op.getSource();
      if (window.lacksDims())
        source = tensor::ExpandShapeOp::create(
            builder, loc,
            placed.type(source, sourceShape(window), geometry.from), source,
            groupsOf(window.operandDims));
      inputs.push_back(placed.window(
          source, placed.type(source, resultShape(window), geometry.to),
          offsetsOf(window), "an insertion along a dim that is sharded"));
    }
    // What is inserted with a stride or at a place not known.
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                              strides = op.getMixedStrides();
    if (keepOtherCuts(window, builder, offsets, strides)) {
      if (window.isZero) {
        Value empty = placed.empty(
            placed.type(op.getDest(), resultShape(window), geometry.to));
        inputs.push_back(
            linalg::FillOp::create(builder, loc, zero, empty).getResult(0));
        zero = nullptr;
      }
      inputs[0] = tensor::InsertSliceOp::create(
          builder, loc, inputs[0], op.getDest(), offsets,
          getAsIndexOpFoldResult(builder.getContext(), resultShape(window)),
          strides);
    }
    Value destZero;
    if (isKnownZero(op.getDest()))
      destZero = zero ? zero : createZero(builder, loc, type);
    else
      inputs.push_back(op.getDest());
    results.push_back(placed.elementwise(
        inputs, type,
        [&](OpBuilder &b, function_ref<Value(unsigned)> index,
            ValueRange args) {
          Value inserted = zero ? zero : args[0];
          Value kept = destZero ? destZero : args[inputs.size() - 1];
          for (auto [dim, d] : llvm::enumerate(window.dims))
            if (window.moves(dim))
              if (Value inside = isInside(b, loc, index(dim), -d.offset,
                                          d.source - d.offset, d.result))
                inserted =
                    arith::SelectOp::create(b, loc, inside, inserted, kept);
          return inserted;
        }));
    return success();
  }
};

struct PadExpand : ExpandOpInterface::ExternalModel<PadExpand, tensor::PadOp> {
  LogicalResult expand(Operation *rawOp, OpBuilder &builder,
                       SmallVectorImpl<Value> &results) const {
    auto op = cast<tensor::PadOp>(rawOp);
    SmallVector<OperandWindow, 2> windows = getWindows(op);
    if (windows.empty())
      return success();
    const OperandWindow &window = windows[0];
    PlacedBuilder placed(builder, op);
    Placement from = placed.placementOf(op.getSource()),
              to = placed.placementOf(op.getResult());
    if (!isNeeded(window.place(from, to)))
      return success();
    Value padding = op.getConstantPaddingValue();
    Value moved = placed.window(op.getSource(), op.getType(), offsetsOf(window),
                                "padding along a dim that is sharded");
    results.push_back(placed.elementwise(
        moved, op.getType(),
        [&](OpBuilder &b, function_ref<Value(unsigned)> index,
            ValueRange args) {
          Value result = args[0];
          for (auto [dim, d] : llvm::enumerate(window.dims))
            if (window.moves(dim))
              if (Value inside = isInside(b, op.getLoc(), index(dim), -d.offset,
                                          d.source - d.offset, d.result))
                result = arith::SelectOp::create(b, op.getLoc(), inside, result,
                                                 padding);
          return result;
        }));
    return success();
  }
};

struct ConcatExpand
    : ExpandOpInterface::ExternalModel<ConcatExpand, tensor::ConcatOp> {
  LogicalResult expand(Operation *rawOp, OpBuilder &builder,
                       SmallVectorImpl<Value> &results) const {
    auto op = cast<tensor::ConcatOp>(rawOp);
    PlacedBuilder placed(builder, op);
    if (placed.placementOf(op.getResult()).shardAxes(op.getDim()).empty())
      return success();
    Location loc = op.getLoc();
    SmallVector<OperandWindow, 2> windows = getWindows(op);
    SmallVector<Value> inputs;
    Value zero = createZero(builder, loc, op.getType());
    for (const OperandWindow &window : windows)
      if (!window.isZero)
        inputs.push_back(placed.window(
            op->getOperand(window.operand), op.getResultType(),
            offsetsOf(window), "concatenation along a dim that is sharded"));
    results.push_back(placed.elementwise(
        inputs, op.getResultType(),
        [&](OpBuilder &b, function_ref<Value(unsigned)> index,
            ValueRange args) {
          Value at = index(op.getDim()), result;
          for (const OperandWindow &window : windows) {
            Value element = zero;
            if (!window.isZero) {
              element = args.front();
              args = args.drop_front();
            }
            const WindowDim &dim = window.dims[op.getDim()];
            Value behind =
                isInside(b, loc, at, -dim.offset, dim.result, dim.result);
            result = result && behind ? arith::SelectOp::create(b, loc, behind,
                                                                element, result)
                                      : element;
          }
          return result;
        }));
    return success();
  }
};

template <typename OpTy>
struct ReshapeExpand
    : ExpandOpInterface::ExternalModel<ReshapeExpand<OpTy>, OpTy> {
  LogicalResult expand(Operation *rawOp, OpBuilder &builder,
                       SmallVectorImpl<Value> &results) const {
    auto op = cast<OpTy>(rawOp);
    ReshapeWindow window(op);
    PlacedBuilder placed(builder, op);
    if (window.isNeeded(placed.mesh, placed.placementOf(op.getSrc()),
                        placed.placementOf(op.getResult())))
      results.push_back(
          placed.window(op.getSrc(), cast<RankedTensorType>(op.getType()),
                        SmallVector<int64_t>(window.groups.size(), 0),
                        "a reshape of a dim that is sharded unevenly"));
    return success();
  }
};

} // namespace

void registerTensorExpansions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<ExtractSliceExpand>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceExpand>(*context);
    tensor::PadOp::attachInterface<PadExpand>(*context);
    tensor::ConcatOp::attachInterface<ConcatExpand>(*context);
    tensor::CollapseShapeOp::attachInterface<
        ReshapeExpand<tensor::CollapseShapeOp>>(*context);
    tensor::ExpandShapeOp::attachInterface<
        ReshapeExpand<tensor::ExpandShapeOp>>(*context);
  });
}

} // namespace tpc
