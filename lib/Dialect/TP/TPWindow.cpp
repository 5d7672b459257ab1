// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what a tp.window is in the terms of Support, and whether it is one.

#include "Verification.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

using Groups = SmallVector<SmallVector<int64_t, 2>>;

/// Consecutive dims of `big` whose products are the dims of `small`, each group
/// as short as it can be but the last; nothing when there are none.
static std::optional<Groups> groupDims(ArrayRef<int64_t> big,
                                       ArrayRef<int64_t> small) {
  Groups groups;
  size_t next = 0;
  for (int64_t length : small) {
    SmallVector<int64_t, 2> &group = groups.emplace_back();
    int64_t product = 1;
    do {
      if (next == big.size())
        return std::nullopt;
      product *= big[next];
      group.push_back(next++);
    } while (product < length);
    if (product != length)
      return std::nullopt;
  }
  for (; next < big.size(); ++next) {
    if (groups.empty() || big[next] != 1)
      return std::nullopt;
    groups.back().push_back(next);
  }
  return groups;
}

/// The window of operand `index`, or what is wrong.
static std::optional<std::string> buildWindow(WindowOp op, PartAttr part,
                                              unsigned index, const Mesh &mesh,
                                              Window &window) {
  RankedTensorType source = part.getType(), result = part.getResultType();
  window.from = part.getFrom().resolve(mesh);
  window.to = part.getTo().resolve(mesh);
  auto offsets = cast<DenseI64ArrayAttr>(op.getOffsets()[index]).asArrayRef();
  ArrayRef<int64_t> blocks;
  if (op.getBlocks())
    blocks = cast<DenseI64ArrayAttr>((*op.getBlocks())[index]).asArrayRef();

  SmallVector<int64_t> lengths(source.getShape()), units(lengths.size(), 1);
  SmallVector<int64_t> resultLengths(result.getShape()),
      resultUnits(resultLengths.size(), 1);
  if (source.getRank() != result.getRank()) {
    bool joins = source.getRank() > result.getRank();
    std::optional<Groups> groups =
        joins ? groupDims(source.getShape(), result.getShape())
              : groupDims(result.getShape(), source.getShape());
    bool legal = groups.has_value();
    if (legal && joins) {
      std::optional<Placement> joined =
          joinDims(source.getShape(), window.from, *groups, lengths, units);
      legal = joined.has_value();
      window.from = joined.value_or(Placement());
    } else if (legal) {
      std::optional<Placement> joined = joinDims(
          result.getShape(), window.to, *groups, resultLengths, resultUnits);
      legal = joined.has_value();
      window.to = joined.value_or(Placement());
    }
    if (!legal)
      return "expected dims that are joined or split, sharded along their "
             "major ones, got " +
             part.getFrom().str() + " and " + part.getTo().str();
  }
  if (offsets.size() != lengths.size() ||
      (!blocks.empty() && blocks.size() != 2 * lengths.size()))
    return "expected an offset per dim (and a block and a step), got " +
           std::to_string(offsets.size()) + " offsets for " +
           std::to_string(lengths.size()) + " dims";
  for (size_t dim = 0; dim < lengths.size(); ++dim) {
    WindowDim &d = window.dims.emplace_back();
    d.source = lengths[dim];
    d.sourceUnit = units[dim];
    d.result = resultLengths[dim];
    d.resultUnit = resultUnits[dim];
    d.offset = offsets[dim];
    if (!blocks.empty()) {
      d.block = blocks[2 * dim];
      d.step = blocks[2 * dim + 1];
    }
  }
  return findFault(mesh, window);
}

std::optional<Window> CollectiveOpInterface::getWindow(unsigned index,
                                                       const Mesh &mesh) {
  auto op = dyn_cast<WindowOp>(getOperation());
  if (!op)
    return std::nullopt;
  Window window;
  std::optional<std::string> fault =
      buildWindow(op, getPart(index), index, mesh, window);
  assert(!fault && "the operation has been verified");
  (void)fault;
  return window;
}

/// No window joins partial tensors.
StringAttr WindowOp::getReductionAttr() { return {}; }

StepKind WindowOp::getStepKind() {
  auto op = cast<CollectiveOpInterface>(getOperation());
  for (unsigned index = 0; index < getInputs().size(); ++index) {
    Mesh mesh =
        lookupMesh(*this, op.getPart(index).getFrom().getMesh()).getMesh();
    std::vector<int64_t> lacking =
        lackingElements(mesh, *op.getWindow(index, mesh));
    if (llvm::any_of(lacking, [](int64_t elements) { return elements > 0; }))
      return StepKind::SendRecv;
  }
  return StepKind::Slice;
}

LogicalResult tpc::tp::verifyWindow(WindowOp op, unsigned index,
                                    EmitError emitError) {
  auto input = cast<RankedTensorType>(op.getInputs()[index].getType());
  auto output = cast<RankedTensorType>(op.getOutputs()[index].getType());
  size_t count = op.getInputs().size();
  if (op.getOffsets().size() != count ||
      (op.getBlocks() && op.getBlocks()->size() != count))
    return emitError() << "expected one array of offsets per operand, got "
                       << op.getOffsets().size() << " for " << count;
  PartAttr part = cast<CollectiveOpInterface>(op.getOperation()).getPart(index);
  if (!part)
    return emitError() << "expected a placement in both types or 'parts', got "
                       << input << " and " << output;
  RankedTensorType source = part.getType(), result = part.getResultType();
  if (source.getElementType() != result.getElementType())
    return emitError() << "expected the element type to stay, got "
                       << source.getElementType() << " and "
                       << result.getElementType();
  for (RankedTensorType type : {source, result})
    if (!type.hasStaticShape())
      return emitError() << "unsupported: dynamic dim in " << type;
  FailureOr<PlacedOn> from =
      resolvePlacement(op, part.getFrom(), source, emitError);
  if (failed(from) ||
      failed(resolvePlacement(op, part.getTo(), result, emitError)))
    return failure();
  const Mesh &mesh = from->mesh;
  Window window;
  if (std::optional<std::string> fault =
          buildWindow(op, part, index, mesh, window)) // [W1], [W2]
    return emitError() << *fault;
  SmallVector<StringRef> expected;
  for (unsigned axis : windowAxes(window))
    expected.push_back(mesh.name(axis));
  auto axes = llvm::to_vector(op.getAxes().getAsValueRange<StringAttr>());
  if (axes != expected) // [W3]
    return emitError() << "expected the axes [" << llvm::join(expected, ", ")
                       << "] along which " << part.getFrom().str() << " and "
                       << part.getTo().str() << " shard dims that move, got ["
                       << llvm::join(axes, ", ") << "]";
  if (!op.getPartsAttr())
    return success();
  RankedTensorType localInput =
      getLocalType(source, part.getFrom().resolve(mesh), mesh);
  RankedTensorType localOutput =
      getLocalType(result, part.getTo().resolve(mesh), mesh);
  if (input != localInput || output != localOutput)
    return emitError() << "expected local types " << localInput << " and "
                       << localOutput << ", got " << input << " and " << output;
  return success();
}
