// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which windows operations fetch, prices them and writes them.

#include "Windows.h"
#include "LinalgBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tpc/Dialect/TP/Steps.h"

using namespace mlir;

namespace tpc {

//===----------------------------------------------------------------------===//
// Which windows
//===----------------------------------------------------------------------===//

bool OperandWindow::moves(unsigned dim) const {
  const WindowDim &d = dims[dim];
  return d.source != d.result || d.offset != 0 || d.block != 0;
}

Window OperandWindow::place(const Placement &operand,
                            const Placement &result) const {
  auto renumber = [&](const Placement &placement, ArrayRef<int> numbers) {
    SmallVector<Placement::Entry> entries(placement.entries());
    for (Placement::Entry &entry : entries)
      if (entry.isShard())
        entry.dim = llvm::find(numbers, int(entry.dim)) - numbers.begin();
    return Placement(entries);
  };
  return {dims, renumber(operand, operandDims), renumber(result, resultDims)};
}

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A window over the dims of `big`, of which `small` has all but `dropped`.
/// Along dims cut with a stride or at a place not known nothing moves.
static OperandWindow
makeWindow(ArrayRef<int64_t> big, ArrayRef<OpFoldResult> offsets,
           ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides,
           const llvm::SmallBitVector &dropped, bool extracts) {
  OperandWindow window;
  int small = 0;
  for (auto [d, extent] : llvm::enumerate(big)) {
    int64_t size = *getConstantIntValue(sizes[d]);
    std::optional<int64_t> offset = getConstantIntValue(offsets[d]);
    int number = dropped.test(d) ? -1 : small++;
    window.operandDims.push_back(extracts ? int(d) : number);
    window.resultDims.push_back(extracts ? number : int(d));
    WindowDim &dim = window.dims.emplace_back();
    dim.source = dim.result = size;
    if (!offset || getConstantIntValue(strides[d]) != 1)
      continue;
    (extracts ? dim.source : dim.result) = extent;
    dim.offset = extracts ? *offset : -*offset;
  }
  return window;
}

SmallVector<OperandWindow, 2> getWindows(tensor::ExtractSliceOp op) {
  OperandWindow window = makeWindow(
      op.getSourceType().getShape(), op.getMixedOffsets(), op.getMixedSizes(),
      op.getMixedStrides(), op.getDroppedDims(), /*extracts=*/true);
  window.elementBytes = tp::getElementBytes(op.getType());
  return {window};
}

SmallVector<OperandWindow, 2> getWindows(tensor::InsertSliceOp op) {
  OperandWindow window = makeWindow(
      op.getDestType().getShape(), op.getMixedOffsets(), op.getMixedSizes(),
      op.getMixedStrides(), op.getDroppedDims(), /*extracts=*/false);
  window.elementBytes = tp::getElementBytes(op.getType());
  window.isZero = isKnownZero(op.getSource());
  return {window};
}

SmallVector<OperandWindow, 2> getWindows(tensor::PadOp op) {
  OperandWindow window;
  for (auto [d, extent] : llvm::enumerate(op.getSourceType().getShape())) {
    std::optional<int64_t> low = getConstantIntValue(op.getMixedLowPad()[d]);
    std::optional<int64_t> high = getConstantIntValue(op.getMixedHighPad()[d]);
    if (!low || !high || *low < 0 || *high < 0)
      return {};
    WindowDim &dim = window.dims.emplace_back();
    dim.source = extent;
    dim.result = extent + *low + *high;
    dim.offset = -*low;
    window.operandDims.push_back(d);
    window.resultDims.push_back(d);
  }
  window.elementBytes = tp::getElementBytes(op.getType());
  return {window};
}

SmallVector<OperandWindow, 2> getWindows(tensor::ConcatOp op) {
  SmallVector<OperandWindow, 2> windows;
  int64_t begin = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<int64_t> shape = typeOf(operand.get()).getShape();
    OperandWindow window;
    window.operand = operand.getOperandNumber();
    window.elementBytes = tp::getElementBytes(op.getType());
    for (auto [d, extent] : llvm::enumerate(shape)) {
      WindowDim &dim = window.dims.emplace_back();
      dim.source = dim.result = extent;
      if (d == op.getDim()) {
        dim.result = typeOf(op.getResult()).getDimSize(d);
        dim.offset = -begin;
      }
      window.operandDims.push_back(d);
      window.resultDims.push_back(d);
    }
    window.isZero = isKnownZero(operand.get());
    begin += shape[op.getDim()];
    windows.push_back(std::move(window));
  }
  return windows;
}

ReshapeWindow::ReshapeWindow(tensor::CollapseShapeOp op)
    : shape(op.getSrcType().getShape()), groups(op.getReassociationIndices()),
      elementBytes(tp::getElementBytes(op.getType())) {}

ReshapeWindow::ReshapeWindow(tensor::ExpandShapeOp op)
    : shape(op.getType().getShape()), groups(op.getReassociationIndices()),
      splits(true), elementBytes(tp::getElementBytes(op.getType())) {}

std::optional<unsigned> ReshapeWindow::majorDim(unsigned group) const {
  SmallVector<unsigned> longer;
  for (int64_t dim : groups[group])
    if (shape[dim] != 1)
      longer.push_back(dim);
  if (longer.size() < 2 || llvm::is_contained(shape, 0))
    return std::nullopt;
  return longer.front();
}

bool ReshapeWindow::isNeeded(const Mesh &mesh, const Placement &operand,
                             const Placement &result) const {
  const Placement &split = splits ? result : operand;
  for (unsigned group = 0; group < groups.size(); ++group)
    if (std::optional<unsigned> dim = majorDim(group))
      if (!split.isEven(mesh, *dim, shape[*dim]))
        return true;
  return false;
}

std::optional<Window> ReshapeWindow::place(const Placement &operand,
                                           const Placement &result) const {
  SmallVector<int64_t> lengths, units;
  std::optional<Placement> joined =
      joinDims(shape, splits ? result : operand, groups, lengths, units);
  if (!joined)
    return std::nullopt;
  Window window;
  window.from = splits ? operand : *joined;
  window.to = splits ? *joined : result;
  for (auto [length, unit] : llvm::zip_equal(lengths, units)) {
    WindowDim &dim = window.dims.emplace_back();
    dim.source = dim.result = length;
    (splits ? dim.resultUnit : dim.sourceUnit) = unit;
  }
  return window;
}

//===----------------------------------------------------------------------===//
// What they cost
//===----------------------------------------------------------------------===//

std::optional<ShardingRule::OwnSteps>
getOwnSteps(const Mesh &mesh, ArrayRef<std::pair<Window, int64_t>> windows) {
  std::vector<int64_t> received(mesh.numRanks(), 0);
  ShardingRule::OwnStep step{StepKind::SendRecv, {}, {}, 1};
  for (const auto &[window, bytes] : windows) {
    if (findFault(mesh, window))
      return std::nullopt;
    for (auto [sum, lacking] :
         llvm::zip_equal(received, lackingElements(mesh, window)))
      sum += lacking * bytes;
    step.starts = std::max(step.starts, windowPeers(mesh, window));
    llvm::append_range(step.axes, windowAxes(window));
  }
  int64_t most = *llvm::max_element(received);
  if (most == 0)
    return ShardingRule::OwnSteps();
  llvm::sort(step.axes);
  step.axes.erase(llvm::unique(step.axes), step.axes.end());
  step.bytes = {most, most};
  return ShardingRule::OwnSteps{step};
}

bool isNeeded(const Window &window) {
  for (auto [number, dim] : llvm::enumerate(window.dims))
    if ((dim.source != dim.result || dim.offset != 0 || dim.block != 0) &&
        !(window.from.shardAxes(number).empty() &&
          window.to.shardAxes(number).empty()))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// How they are written
//===----------------------------------------------------------------------===//

PlacedBuilder::PlacedBuilder(OpBuilder &builder, Operation *op)
    : builder(builder), loc(op->getLoc()),
      meshOp(tp::lookupMesh(
          op, tp::getPlacement(op->getResult(0).getType()).getMesh())),
      mesh(meshOp.getMesh()), name(tp::getUserName(op->getResult(0))) {}

RankedTensorType PlacedBuilder::type(Value like, ArrayRef<int64_t> shape,
                                     const Placement &placement) {
  return RankedTensorType::get(
      shape, typeOf(like).getElementType(),
      tp::PlacementAttr::get(builder.getContext(),
                             FlatSymbolRefAttr::get(meshOp.getSymNameAttr()),
                             mesh, placement));
}

Placement PlacedBuilder::placementOf(Value value) {
  return tp::getPlacement(value.getType()).resolve(mesh);
}

Value PlacedBuilder::empty(RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType(), type.getEncoding());
}

Value PlacedBuilder::window(Value source, RankedTensorType type,
                            ArrayRef<int64_t> offsets, StringRef why,
                            ArrayRef<int64_t> blocks) {
  auto list = [&](ArrayRef<int64_t> numbers) {
    return builder.getArrayAttr(
        {Attribute(builder.getDenseI64ArrayAttr(numbers))});
  };
  auto op = tp::WindowOp::create(
      builder, loc, TypeRange{type}, ValueRange{source},
      builder.getStrArrayAttr({}), list(offsets),
      blocks.empty() ? ArrayAttr() : list(blocks), /*parts=*/ArrayAttr());
  auto collective = cast<tp::CollectiveOpInterface>(op.getOperation());
  SmallVector<StringRef> axes;
  for (unsigned axis : windowAxes(*collective.getWindow(0, mesh)))
    axes.push_back(mesh.name(axis));
  op.setAxesAttr(builder.getStrArrayAttr(axes));
  op->setAttr(tp::TPDialect::kWhy, builder.getStringAttr(why));
  op->setAttr(tp::TPDialect::kValue, builder.getStringAttr(name));
  return op.getOutputs()[0];
}

Value PlacedBuilder::elementwise(
    ValueRange inputs, RankedTensorType type,
    function_ref<Value(OpBuilder &, function_ref<Value(unsigned)>, ValueRange)>
        body) {
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type}, inputs, ValueRange{empty(type)},
             maps, parallel,
             [&](OpBuilder &b, Location l, ValueRange args) {
               auto index = [&](unsigned dim) -> Value {
                 return linalg::IndexOp::create(b, l, dim);
               };
               linalg::YieldOp::create(b, l, body(b, index, args));
             })
      .getResult(0);
}

Value isInside(OpBuilder &builder, Location loc, Value index, int64_t begin,
               int64_t end, int64_t length) {
  auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) -> Value {
    Value constant = arith::ConstantIndexOp::create(builder, loc, bound);
    return arith::CmpIOp::create(builder, loc, predicate, index, constant);
  };
  Value low, high;
  if (begin > 0)
    low = compare(arith::CmpIPredicate::sge, begin);
  if (end < length)
    high = compare(arith::CmpIPredicate::slt, end);
  if (low && high)
    return arith::AndIOp::create(builder, loc, low, high);
  return low ? low : high;
}

} // namespace tpc
