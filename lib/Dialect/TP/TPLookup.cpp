// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what types, attributes and locations say: meshes, placements, local
// types, phases and names.

#include "Verification.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

MeshOp tpc::tp::lookupMesh(Operation *op, FlatSymbolRefAttr symbol) {
  return SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, symbol);
}

MeshOp tpc::tp::getSingleMesh(ModuleOp module) {
  MeshOp found;
  for (MeshOp mesh : module.getOps<MeshOp>()) {
    if (found)
      return {};
    found = mesh;
  }
  return found;
}

PlacementAttr tpc::tp::getPlacement(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<PlacementAttr>(tensor.getEncoding())
                : PlacementAttr();
}

RankedTensorType tpc::tp::withPlacement(RankedTensorType type,
                                        PlacementAttr placement) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               placement);
}

RankedTensorType tpc::tp::getLocalType(RankedTensorType type,
                                       const Placement &placement,
                                       const Mesh &mesh) {
  return RankedTensorType::get(placement.localShape(mesh, type.getShape()),
                               type.getElementType());
}

StringRef tpc::tp::getPhase(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto phase = op->getAttrOfType<StringAttr>(TPDialect::kPhase))
      return phase.getValue();
  return "forward";
}

/// Differentiation names the cotangent of a result after it.
static bool isCotangent(BlockArgument argument) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return false;
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    TPDialect::kName);
  for (unsigned i = 0, e = function.getNumResults(); name && i < e; ++i)
    if (auto result =
            function.getResultAttrOfType<StringAttr>(i, TPDialect::kName))
      if (name.getValue() == ("d" + result.getValue()).str())
        return true;
  return false;
}

StringRef tpc::tp::getPhase(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && !op->hasAttr(TPDialect::kPhase) && op->getNumRegions()) {
    Operation *terminator = op->getRegion(0).back().getTerminator();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (terminator->getNumOperands() != op->getNumResults())
      break;
    value = terminator->getOperand(number);
    op = value.getDefiningOp();
  }
  if (op)
    return getPhase(op);
  return isCotangent(cast<BlockArgument>(value)) ? "backward" : "forward";
}

/// The outermost name in a location; empty when there is none.
static StringRef nameInLocation(Location loc) {
  StringRef name;
  loc->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner)) {
      name = named.getName().getValue();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return name;
}

std::string tpc::tp::getUserName(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (function && argument.getOwner()->isEntryBlock())
      if (auto name = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), TPDialect::kName))
        return name.str();
  } else {
    for (OpOperand &use : value.getUses()) {
      auto function =
          dyn_cast<FunctionOpInterface>(use.getOwner()->getParentOp());
      if (!function || !use.getOwner()->hasTrait<OpTrait::ReturnLike>())
        continue;
      if (auto name = function.getResultAttrOfType<StringAttr>(
              use.getOperandNumber(), TPDialect::kName))
        return name.str();
    }
  }
  StringRef name = nameInLocation(value.getLoc());
  // All results of a loop have its location; what it carries has its own.
  auto result = dyn_cast<OpResult>(value);
  if (auto loop = dyn_cast_or_null<LoopLikeOpInterface>(value.getDefiningOp()))
    name = nameInLocation(loop.getTiedLoopRegionIterArg(result).getLoc());
  if (!name.empty())
    return name.str();
  if (argument)
    return "%arg" + std::to_string(argument.getArgNumber());
  return value.getDefiningOp()->getName().getStringRef().str();
}

llvm::Expected<Mesh> tpc::tp::readMesh(MeshOp op) {
  ArrayRef<int64_t> sizes = op.getAxisSizes();
  if (op.getAxisNames().size() != sizes.size())
    return llvm::createStringError(
        "expected one size per axis, got " + Twine(op.getAxisNames().size()) +
        " axes and " + Twine(sizes.size()) + " sizes");
  SmallVector<Mesh::Axis> axes;
  for (auto [name, size] :
       llvm::zip_equal(op.getAxisNames().getAsValueRange<StringAttr>(), sizes))
    axes.push_back({name.str(), size});
  return Mesh::get(axes);
}

FailureOr<Mesh> tpc::tp::resolveMesh(Operation *op, FlatSymbolRefAttr symbol,
                                     EmitError emitError) {
  MeshOp meshOp = lookupMesh(op, symbol);
  if (!meshOp)
    return emitError() << "expected the name of a tp.mesh of the module, got '"
                       << symbol << "'";
  llvm::Expected<Mesh> mesh = readMesh(meshOp);
  if (!mesh)
    return emitError() << llvm::toString(mesh.takeError());
  return *mesh;
}

FailureOr<PlacedOn> tpc::tp::resolveAxes(Operation *op, PlacementAttr attr,
                                         EmitError emitError) {
  FailureOr<Mesh> mesh = resolveMesh(op, attr.getMesh(), emitError);
  if (failed(mesh))
    return failure();
  auto emitWithMesh = [&] {
    InFlightDiagnostic diagnostic = emitError();
    diagnostic.attachNote(lookupMesh(op, attr.getMesh()).getLoc())
        << "mesh '" << attr.getMesh() << "' is declared here";
    return diagnostic;
  };
  FailureOr<Placement> placement = attr.resolve(*mesh, emitWithMesh);
  if (failed(placement))
    return failure();
  return PlacedOn{*mesh, *placement};
}

FailureOr<PlacedOn> tpc::tp::resolvePlacement(Operation *op, PlacementAttr attr,
                                              RankedTensorType type,
                                              EmitError emitError) {
  FailureOr<PlacedOn> placed = resolveAxes(op, attr, emitError);
  if (succeeded(placed) &&
      failed(attr.verifyEncoding(type.getShape(), type.getElementType(),
                                 emitError)))
    return failure();
  return placed;
}
