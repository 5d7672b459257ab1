// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which meshes, changes of placement and manual regions are legal.

#include "Verification.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

/// `: type`. Where the placement before it was written in full, MLIR has read
/// the colon and the type as part of that attribute already.
static ParseResult parseTypeBehindPlacement(OpAsmParser &parser, Type &type) {
  if (failed(parser.parseOptionalColon()))
    return parser.emitError(parser.getCurrentLocation())
           << "expected ':' and a type behind the placement; write it as "
              "<@mesh, [...]> or as an alias, not as #tp.placement<...>";
  return parser.parseType(type);
}

static void printTypeBehindPlacement(OpAsmPrinter &printer, Operation *,
                                     Type type) {
  printer << ": " << type;
}

#define GET_OP_CLASSES
#include "tpc/Dialect/TP/TPOps.cpp.inc"

//===- tp.mesh ------------------------------------------------------------===//

void MeshOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   const Mesh &mesh) {
  SmallVector<StringRef> names;
  SmallVector<int64_t> sizes;
  for (const Mesh::Axis &axis : mesh.axes()) {
    names.push_back(axis.name);
    sizes.push_back(axis.size);
  }
  build(builder, state, builder.getStringAttr(name),
        builder.getStrArrayAttr(names), builder.getDenseI64ArrayAttr(sizes));
}

Mesh MeshOp::getMesh() { return llvm::cantFail(readMesh(*this)); }

ParseResult MeshOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr symbol;
  SmallVector<Attribute> names;
  SmallVector<int64_t> sizes;
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    int64_t size = 0;
    if (parser.parseString(&name) || parser.parseEqual() ||
        parser.parseInteger(size))
      return failure();
    names.push_back(builder.getStringAttr(name));
    sizes.push_back(size);
    return success();
  };
  if (parser.parseSymbolName(symbol) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.sym_name = symbol;
  properties.axis_names = builder.getArrayAttr(names);
  properties.axis_sizes = builder.getDenseI64ArrayAttr(sizes);
  return success();
}

void MeshOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " [";
  llvm::interleaveComma(
      llvm::zip(getAxisNames().getAsValueRange<StringAttr>(), getAxisSizes()),
      printer, [&](auto axis) {
        printer.printString(std::get<0>(axis));
        printer << " = " << std::get<1>(axis);
      });
  printer << ']';
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getAxisNamesAttrName(), getAxisSizesAttrName()});
}

LogicalResult MeshOp::verify() {
  llvm::Expected<Mesh> mesh = readMesh(*this);
  if (!mesh) // [M1], [M2]
    return emitOpError() << llvm::toString(mesh.takeError());
  return success();
}

//===- tp.redistribute ----------------------------------------------------===//

LogicalResult RedistributeOp::verify() {
  RankedTensorType from = getInput().getType(), to = getOutput().getType();
  if (withPlacement(from, {}) != withPlacement(to, {})) // [R1]
    return emitOpError() << "expected shape and element type to stay, got "
                         << withPlacement(from, {}) << " and "
                         << withPlacement(to, {});
  PlacementAttr source = getPlacement(from), target = getPlacement(to);
  if (!source || !target)
    return emitOpError() << "expected a placement in both types, got " << from
                         << " and " << to;
  if (source.getMesh() != target.getMesh()) // [R2]
    return emitOpError() << "expected placements on one mesh, got '"
                         << source.getMesh() << "' and '" << target.getMesh()
                         << "'";
  auto emitError = [&] { return emitOpError(); };
  return success(succeeded(resolvePlacement(*this, source, from, emitError)) &&
                 succeeded(resolvePlacement(*this, target, to, emitError)));
}

//===- tp.constrain -------------------------------------------------------===//

LogicalResult ConstrainOp::verify() {
  RankedTensorType type = getInput().getType();
  auto emitError = [&] { return emitOpError(); };
  if (failed(resolvePlacement(*this, getPlacement(), type, emitError)))
    return failure();
  PlacementAttr cotangent = getCotangentAttr();
  if (!cotangent)
    return success();
  auto emitCotangentError = [&] { return emitOpError() << "cotangent: "; };
  return success(
      succeeded(resolvePlacement(*this, cotangent, type, emitCotangentError)));
}

//===- tp.manual ----------------------------------------------------------===//

/// The local type of a global tensor at the border of a manual region [N3].
/// `what` is "operand" or "result".
static FailureOr<RankedTensorType> manualLocalType(ManualOp op, StringRef what,
                                                   unsigned index, Type global,
                                                   Attribute attr) {
  auto placement = cast<PlacementAttr>(attr);
  auto type = cast<RankedTensorType>(global);
  auto emitError = [&] {
    return op.emitOpError() << what << " #" << index << ": ";
  };
  if (PlacementAttr encoding = getPlacement(type))
    if (encoding != placement)
      return emitError() << "expected a value placed " << placement.str()
                         << ", got " << encoding.str();
  if (!type.hasStaticShape())
    return emitError() << "unsupported: dynamic dim in " << type;
  FailureOr<PlacedOn> placed = resolvePlacement(op, placement, type, emitError);
  if (failed(placed))
    return failure();
  for (auto [dim, length] : llvm::enumerate(type.getShape()))
    if (!placed->placement.isEven(placed->mesh, dim, length))
      return emitError() << "unsupported: uneven shard of " << length
                         << " elements of dim " << dim << " under "
                         << placement.str();
  return getLocalType(type, placed->placement, placed->mesh);
}

LogicalResult ManualOp::verify() {
  if (getInPlacements().size() != getInputs().size()) // [N1]
    return emitOpError() << "expected one placement per operand, got "
                         << getInPlacements().size() << " for "
                         << getInputs().size();
  if (getOutPlacements().size() != getOutputs().size()) // [N1]
    return emitOpError() << "expected one placement per result, got "
                         << getOutPlacements().size() << " for "
                         << getOutputs().size();
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size()) // [N2]
    return emitOpError() << "expected one block argument per operand, got "
                         << body.getNumArguments() << " for "
                         << getInputs().size();
  for (auto [index, placement] : llvm::enumerate(getInPlacements())) {
    FailureOr<RankedTensorType> local = manualLocalType(
        *this, "operand", index, getInputs()[index].getType(), placement);
    if (failed(local))
      return failure();
    BlockArgument argument = body.getArgument(index);
    if (argument.getType() == *local) // [N2]
      continue;
    InFlightDiagnostic diagnostic =
        emitOpError() << "operand #" << index
                      << ": expected a block argument of the local type "
                      << *local << ", got " << argument.getType();
    diagnostic.attachNote(argument.getLoc()) << "block argument is here";
    return diagnostic;
  }
  return success();
}

LogicalResult ManualOp::verifyRegions() {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().size() != getOutputs().size()) {
    InFlightDiagnostic diagnostic =
        yield.emitOpError()
        << "expected one value per result of 'tp.manual', "
           "got "
        << yield.getValues().size() << " for " << getOutputs().size();
    diagnostic.attachNote(getLoc()) << "results are declared here";
    return diagnostic;
  }
  for (auto [index, placement] : llvm::enumerate(getOutPlacements())) {
    FailureOr<RankedTensorType> local = manualLocalType(
        *this, "result", index, getOutputs()[index].getType(), placement);
    if (failed(local))
      return failure();
    Type got = yield.getValues()[index].getType();
    if (got == *local) // [N2]
      continue;
    InFlightDiagnostic diagnostic = yield.emitOpError()
                                    << "value #" << index
                                    << ": expected the local type " << *local
                                    << ", got " << got;
    diagnostic.attachNote(getLoc())
        << "result is placed " << cast<PlacementAttr>(placement).str()
        << " here";
    return diagnostic;
  }
  return success();
}

//===- Ranks --------------------------------------------------------------===//

LogicalResult CoordinateOp::verify() {
  FailureOr<Mesh> mesh =
      resolveMesh(*this, getMeshAttr(), [&] { return emitOpError(); });
  if (failed(mesh))
    return failure();
  if (mesh->find(getAxis()))
    return success();
  InFlightDiagnostic diagnostic =
      emitOpError() << "expected an axis of mesh '" << getMeshAttr() << "' ("
                    << mesh->str() << "), got axis \"" << getAxis() << "\"";
  diagnostic.attachNote(lookupMesh(*this, getMeshAttr()).getLoc())
      << "mesh '" << getMeshAttr() << "' is declared here";
  return diagnostic;
}

/// The tensor of a chunk op has at least the dims its placement shards; only
/// the length of `dim` is known.
template <typename ChunkOp> static LogicalResult verifyChunk(ChunkOp op) {
  auto emitError = [&] { return op.emitOpError(); };
  if (static_cast<int64_t>(op.getLength()) < 0)
    return emitError() << "expected a length of at least 0, got "
                       << static_cast<int64_t>(op.getLength());
  if (static_cast<int64_t>(op.getDim()) < 0)
    return emitError() << "expected a dim of at least 0, got "
                       << static_cast<int64_t>(op.getDim());
  return success(succeeded(resolveAxes(op, op.getPlacement(), emitError)));
}

LogicalResult ChunkSizeOp::verify() { return verifyChunk(*this); }
LogicalResult ChunkOffsetOp::verify() { return verifyChunk(*this); }
