// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells for each element of a result which element of an operand it is.

#include "DataMovement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tpc::simulate {

using Index = SmallVector<int64_t, 4>;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Constants, and values of the program where `lookup` has them.
static Index resolve(ArrayRef<OpFoldResult> mixed, Lookup lookup) {
  Index index;
  for (OpFoldResult entry : mixed) {
    std::optional<int64_t> constant = getConstantIntValue(entry);
    index.push_back(constant ? *constant
                             : lookup(cast<Value>(entry)).read({}).integer);
  }
  return index;
}

/// The index in `to` of the element that is at `index` in `from`, both being
/// row-major shapes of one sequence of elements.
static Index reshape(ArrayRef<int64_t> index, ArrayRef<int64_t> from,
                     ArrayRef<int64_t> to) {
  int64_t position = 0;
  for (auto [i, length] : llvm::zip_equal(index, from))
    position = position * length + i;
  Index result(to.size());
  for (size_t dim = to.size(); dim-- > 0;) {
    result[dim] = position % to[dim];
    position /= to[dim];
  }
  return result;
}

static Scalar read(tensor::ExtractSliceOp op, ArrayRef<int64_t> index,
                   Lookup lookup) {
  Index source = resolve(op.getMixedOffsets(), lookup);
  Index strides = resolve(op.getMixedStrides(), lookup);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (size_t dim = 0, next = 0; dim < source.size(); ++dim)
    if (!dropped.test(dim))
      source[dim] += strides[dim] * index[next++];
  return lookup(op.getSource()).read(source);
}

static Scalar read(tensor::InsertSliceOp op, ArrayRef<int64_t> index,
                   Lookup lookup) {
  Index offsets = resolve(op.getMixedOffsets(), lookup);
  Index sizes = resolve(op.getMixedSizes(), lookup);
  Index strides = resolve(op.getMixedStrides(), lookup);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Index source;
  for (size_t dim = 0; dim < index.size(); ++dim) {
    int64_t distance = index[dim] - offsets[dim];
    if (distance < 0 || distance % strides[dim] != 0 ||
        distance / strides[dim] >= sizes[dim])
      return lookup(op.getDest()).read(index);
    if (!dropped.test(dim))
      source.push_back(distance / strides[dim]);
  }
  return lookup(op.getSource()).read(source);
}

static Scalar read(tensor::PadOp op, ArrayRef<int64_t> index, Lookup lookup) {
  Index source(index), low = resolve(op.getMixedLowPad(), lookup);
  for (auto [dim, length] : llvm::enumerate(shapeOf(op.getSource()))) {
    source[dim] -= low[dim];
    if (source[dim] >= 0 && source[dim] < length)
      continue;
    Value padding = op.getConstantPaddingValue();
    Attribute constant;
    if (!padding)
      return {};
    return matchPattern(padding, m_Constant(&constant))
               ? toScalar(constant)
               : lookup(padding).read({});
  }
  return lookup(op.getSource()).read(source);
}

static Scalar read(tensor::ConcatOp op, ArrayRef<int64_t> index,
                   Lookup lookup) {
  Index source(index);
  for (Value input : op.getInputs()) {
    int64_t length = shapeOf(input)[op.getDim()];
    if (source[op.getDim()] < length)
      return lookup(input).read(source);
    source[op.getDim()] -= length;
  }
  return {};
}

static Scalar read(tensor::ExtractOp op, Lookup lookup) {
  return lookup(op.getTensor())
      .read(resolve(getAsOpFoldResult(op.getIndices()), lookup));
}

bool isDataMovement(Operation *op) {
  return isa<tensor::CastOp, tensor::SplatOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ExtractSliceOp,
             tensor::InsertSliceOp, tensor::PadOp, tensor::ConcatOp,
             tensor::ExtractOp, tensor::EmptyOp>(op);
}

Scalar readMoved(Operation *operation, ArrayRef<int64_t> index, Lookup lookup) {
  return TypeSwitch<Operation *, Scalar>(operation)
      .Case(
          [&](tensor::CastOp op) { return lookup(op.getSource()).read(index); })
      .Case([&](tensor::SplatOp op) { return lookup(op.getInput()).read({}); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto op) {
        return lookup(op.getSrc())
            .read(
                reshape(index, shapeOf(op.getResult()), shapeOf(op.getSrc())));
      })
      .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::PadOp,
            tensor::ConcatOp>([&](auto op) { return read(op, index, lookup); })
      .Case([&](tensor::ExtractOp op) { return read(op, lookup); })
      // Nothing is in a tensor.empty.
      .Default([](Operation *) { return Scalar(); });
}

} // namespace tpc::simulate
