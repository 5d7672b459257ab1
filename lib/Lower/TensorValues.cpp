// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates linalg.generic element by element; every element once.
#include "TensorValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tpc::lower {

namespace {

int64_t flatten(ArrayRef<int64_t> indices, ArrayRef<int64_t> shape) {
  int64_t element = 0;
  for (auto [index, size] : llvm::zip_equal(indices, shape))
    element = element * size + index;
  return element;
}

SmallVector<int64_t> unflatten(int64_t element, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> indices(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    indices[dim] = element % shape[dim];
    element /= shape[dim];
  }
  return indices;
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<Scalar> scalarOf(Value value) {
  return ScalarValues().get(value);
}

std::optional<Scalar> elementOf(DenseElementsAttr elements, int64_t element) {
  if (elements.isSplat())
    element = 0;
  if (isa<FloatType>(elements.getElementType()))
    return Scalar::of(
        (*(elements.value_begin<FloatAttr>() + element)).getValueAsDouble());
  if (!elements.getElementType().isIntOrIndex())
    return std::nullopt;
  APInt value = *(elements.value_begin<APInt>() + element);
  return Scalar::of(value.getBitWidth() == 1 ? int64_t(value.getBoolValue())
                                             : value.getSExtValue());
}

} // namespace

bool isUniform(Operation *op) {
  if (isa<linalg::FillOp, tensor::SplatOp>(op))
    return matchPattern(op->getOperand(0), m_Constant());
  SplatElementsAttr elements;
  return matchPattern(op, m_Constant(&elements));
}

std::optional<Scalar> TensorValues::get(Value value, int64_t element) {
  if (std::optional<Scalar> scalar = given(value, element))
    return scalar;
  std::pair key(value, element);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  std::optional<Scalar> result = compute(value, element);
  if (result)
    known[key] = *result;
  else if (!culprit)
    culprit = value;
  return result;
}

std::optional<Scalar> TensorValues::compute(Value value, int64_t element) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return scalarOf(fill.value());
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return scalarOf(splat.getInput());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements ? elementOf(elements, element) : std::nullopt;
  }
  // A reshape keeps the row-major order.
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return get(op->getOperand(0), element);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return computeGeneric(generic, cast<OpResult>(value).getResultNumber(),
                          element);
  return std::nullopt;
}

std::optional<Scalar> TensorValues::computeGeneric(linalg::GenericOp generic,
                                                   unsigned result,
                                                   int64_t element) {
  // One value is computed, and those that the body carries besides are not.
  if (generic->getNumResults() != 1)
    return std::nullopt;
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  AffineMap out = maps.back();
  if (!out.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  SmallVector<int64_t> extents = generic.getStaticLoopRanges();
  Value target = generic->getResult(result);
  SmallVector<int64_t> place = unflatten(element, shapeOf(target));
  SmallVector<int64_t> loops(extents.size(), -1);
  for (auto [dim, expr] : llvm::enumerate(out.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      loops[loop.getPosition()] = place[dim];
  SmallVector<unsigned> free;
  int64_t steps = 1;
  for (auto [loop, index] : llvm::enumerate(loops))
    if (index < 0) {
      free.push_back(loop);
      steps *= extents[loop];
    }

  Block *body = generic.getBody();
  auto inputs = generic.getInputs();
  BlockArgument carried = body->getArgument(inputs.size());
  std::optional<Scalar> value;
  if (!carried.use_empty()) {
    value = get(generic.getOutputs()[0], element);
    if (!value)
      return std::nullopt;
  }
  for (int64_t step = 0; step < steps; ++step) {
    int64_t rest = step;
    for (unsigned loop : llvm::reverse(free)) {
      loops[loop] = rest % extents[loop];
      rest /= extents[loop];
    }
    ScalarValues scalars;
    scalars.indices = loops;
    if (value)
      scalars.known[carried] = *value;
    for (auto [number, input] : llvm::enumerate(inputs)) {
      BlockArgument argument = body->getArgument(number);
      if (argument.use_empty())
        continue;
      std::optional<Scalar> scalar;
      if (isa<RankedTensorType>(input.getType()))
        scalar =
            get(input, flatten(maps[number].compose(loops), shapeOf(input)));
      else
        scalar = scalarOf(input);
      if (!scalar)
        return std::nullopt;
      scalars.known[argument] = *scalar;
    }
    value = scalars.get(body->getTerminator()->getOperand(0));
    if (!value)
      return std::nullopt;
  }
  return value;
}

} // namespace tpc::lower
