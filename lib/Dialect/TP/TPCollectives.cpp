// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides whether a collective is the step its operand and result placements
// call for, and builds the collective of a step.

#include "Verification.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

PartAttr CollectiveOpInterface::getPart(unsigned index) {
  if (ArrayAttr parts = getPartsAttr())
    return cast<PartAttr>(parts[index]);
  auto type = cast<RankedTensorType>(getInputs()[index].getType());
  PlacementAttr from = getPlacement(type);
  PlacementAttr to = getPlacement(getOutputs()[index].getType());
  if (!from || !to)
    return {};
  auto result = cast<RankedTensorType>(getOutputs()[index].getType());
  type = withPlacement(type, {});
  result = withPlacement(result, {});
  if (!isa<WindowOp>(getOperation()))
    return PartAttr::get(from.getContext(), type, from, to);
  return PartAttr::get(from.getContext(), type, from, to, result);
}

static bool joinsPartials(StepKind kind) {
  return kind == StepKind::ToPartial || kind == StepKind::AllReduce ||
         kind == StepKind::ReduceScatter;
}

/// The kind of a step that joins or makes partial tensors, on its first axis.
static Reduction reductionOf(const Step &step) {
  const Placement &partial =
      step.kind == StepKind::ToPartial ? step.to : step.from;
  return partial.find(step.axes.front())->reduction;
}

/// `all_gather over ["dp", "tp"]`.
static std::string describe(StepKind kind, ArrayRef<StringRef> axes) {
  std::string text = stringify(kind).str() + " over [";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(axes, os,
                        [&](StringRef axis) { os << '"' << axis << '"'; });
  return text + "]";
}

/// True when an op of `kind` may perform `step`. A send_recv may do whatever
/// moves shards and replicas, also where there is a collective for it.
static bool mayPerform(StepKind kind, const Step &step) {
  if (kind == StepKind::SendRecv)
    return !joinsPartials(step.kind);
  return kind == step.kind;
}

/// [C2] for one operand and its result.
static LogicalResult verifyStep(CollectiveOpInterface op, PartAttr part,
                                EmitError emitError) {
  if (!part.getType().hasStaticShape())
    return emitError() << "unsupported: dynamic dim in " << part.getType();
  FailureOr<PlacedOn> from =
      resolvePlacement(op, part.getFrom(), part.getType(), emitError);
  if (failed(from))
    return failure();
  FailureOr<PlacedOn> to =
      resolvePlacement(op, part.getTo(), part.getType(), emitError);
  if (failed(to))
    return failure();
  const Mesh &mesh = from->mesh;

  auto axes = llvm::to_vector(op.getAxes().getAsValueRange<StringAttr>());
  std::optional<Step> step = classifyStep(mesh, part.getType().getShape(),
                                          from->placement, to->placement);
  SmallVector<StringRef> stepAxes;
  if (step)
    for (unsigned axis : step->axes)
      stepAxes.push_back(mesh.name(axis));
  if (!step || !mayPerform(op.getStepKind(), *step) || axes != stepAxes) {
    InFlightDiagnostic diagnostic =
        emitError() << "expected '" << describe(op.getStepKind(), axes)
                    << "', got " << part.getFrom().str() << " -> "
                    << part.getTo().str() << ", which is ";
    if (step)
      diagnostic << "'" << describe(step->kind, stepAxes) << "'";
    else if (from->placement == to->placement)
      diagnostic << "no change";
    else
      diagnostic << "more than one step";
    return diagnostic;
  }
  if (joinsPartials(step->kind) &&
      stringify(reductionOf(*step)) != op.getReductionAttr().getValue())
    return emitError() << "expected the reduction \""
                       << stringify(reductionOf(*step))
                       << "\" of the placements, got \""
                       << op.getReductionAttr().getValue() << "\"";
  return success();
}

/// Types of operand and result `index`: placed before partition, local after.
static LogicalResult verifyTypes(CollectiveOpInterface op, unsigned index,
                                 EmitError emitError) {
  auto input = cast<RankedTensorType>(op.getInputs()[index].getType());
  auto output = cast<RankedTensorType>(op.getOutputs()[index].getType());
  if (!op.getPartsAttr()) {
    PlacementAttr from = getPlacement(input), to = getPlacement(output);
    if (!from || !to)
      return emitError() << "expected a placement in both types or 'parts', "
                            "got "
                         << input << " and " << output;
    if (withPlacement(input, {}) != withPlacement(output, {}))
      return emitError() << "expected shape and element type to stay, got "
                         << withPlacement(input, {}) << " and "
                         << withPlacement(output, {});
    if (from.getMesh() != to.getMesh())
      return emitError() << "expected placements on one mesh, got '"
                         << from.getMesh() << "' and '" << to.getMesh() << "'";
    return success();
  }
  PartAttr part = op.getPart(index);
  Mesh mesh = lookupMesh(op, part.getFrom().getMesh()).getMesh();
  RankedTensorType localInput =
      getLocalType(part.getType(), part.getFrom().resolve(mesh), mesh);
  if (input != localInput)
    return emitError() << "expected an operand of the local type " << localInput
                       << ", got " << input;
  RankedTensorType localOutput =
      getLocalType(part.getType(), part.getTo().resolve(mesh), mesh);
  if (output != localOutput)
    return emitError() << "expected a result of the local type " << localOutput
                       << ", got " << output;
  return success();
}

LogicalResult tpc::tp::detail::verifyCollective(Operation *operation) {
  auto op = cast<CollectiveOpInterface>(operation);
  size_t count = op.getInputs().size();
  if (count == 0)
    return operation->emitOpError() << "expected at least one operand";
  if (op.getOutputs().size() != count) // [C1]
    return operation->emitOpError()
           << "expected one result per operand, got " << op.getOutputs().size()
           << " for " << count;
  if (op.getPartsAttr() && op.getPartsAttr().size() != count)
    return operation->emitOpError()
           << "expected one part per operand, got " << op.getPartsAttr().size()
           << " for " << count;
  auto emitErrorAt = [&](unsigned index) {
    InFlightDiagnostic diagnostic = operation->emitOpError();
    if (count > 1)
      diagnostic << "operand #" << index << ": ";
    return diagnostic;
  };
  if (auto window = dyn_cast<WindowOp>(operation)) {
    for (unsigned index = 0; index < count; ++index)
      if (failed(
              verifyWindow(window, index, [&] { return emitErrorAt(index); })))
        return failure();
    return success();
  }
  StringAttr reduction = op.getReductionAttr();
  if (joinsPartials(op.getStepKind()) && !reduction)
    return operation->emitOpError() << "expected 'by' and a reduction";
  if (!joinsPartials(op.getStepKind()) && reduction)
    return operation->emitOpError()
           << "expected no reduction in a step without partial tensors, got "
           << reduction;
  for (unsigned index = 0; index < count; ++index) {
    auto emitError = [&] { return emitErrorAt(index); };
    if (op.getPartsAttr()) {
      if (failed(verifyStep(op, op.getPart(index), emitError)) ||
          failed(verifyTypes(op, index, emitError)))
        return failure();
    } else if (failed(verifyTypes(op, index, emitError)) ||
               failed(verifyStep(op, op.getPart(index), emitError))) {
      return failure();
    }
  }
  return success();
}

CollectiveOpInterface tpc::tp::createCollective(OpBuilder &builder,
                                                Location loc, const Step &step,
                                                MeshOp mesh,
                                                ValueRange inputs) {
  Mesh grid = mesh.getMesh();
  PlacementAttr to = PlacementAttr::get(
      builder.getContext(), FlatSymbolRefAttr::get(mesh.getSymNameAttr()), grid,
      step.to);
  SmallVector<Type> types;
  for (Value input : inputs)
    types.push_back(withPlacement(cast<RankedTensorType>(input.getType()), to));
  SmallVector<StringRef> names;
  for (unsigned axis : step.axes)
    names.push_back(grid.name(axis));
  ArrayAttr axes = builder.getStrArrayAttr(names);
  StringAttr reduction;
  if (joinsPartials(step.kind))
    reduction = builder.getStringAttr(stringify(reductionOf(step)));

  auto create = [&](auto tag) -> CollectiveOpInterface {
    using OpTy = decltype(tag);
    return OpTy::create(builder, loc, types, inputs, axes, reduction,
                        /*parts=*/ArrayAttr());
  };
  switch (step.kind) {
  case StepKind::Slice:
    return create(SliceOp());
  case StepKind::ToPartial:
    return create(ToPartialOp());
  case StepKind::AllReduce:
    return create(AllReduceOp());
  case StepKind::ReduceScatter:
    return create(ReduceScatterOp());
  case StepKind::AllGather:
    return create(AllGatherOp());
  case StepKind::AllToAll:
    return create(AllToAllOp());
  case StepKind::Permute:
    return create(PermuteOp());
  case StepKind::SendRecv:
    return create(SendRecvOp());
  }
  llvm_unreachable("covered switch");
}
