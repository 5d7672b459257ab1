// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which `tp.` attributes are legal on arguments, results and
// operations.

#include "Verification.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

namespace {

/// An argument or a result of a function, for attributes and messages.
struct Boundary {
  FunctionOpInterface function;
  bool isArgument;
  unsigned index;

  Type type() {
    return isArgument ? function.getArgumentTypes()[index]
                      : function.getResultTypes()[index];
  }
  unsigned count() {
    return isArgument ? function.getNumArguments() : function.getNumResults();
  }
  StringAttr name() {
    return isArgument
               ? function.getArgAttrOfType<StringAttr>(index, TPDialect::kName)
               : function.getResultAttrOfType<StringAttr>(index,
                                                          TPDialect::kName);
  }
  Location loc() {
    if (isArgument && !function.isExternal())
      return function.getArgument(index).getLoc();
    return function.getLoc();
  }
  std::string describe() {
    std::string text = isArgument ? "argument " : "result ";
    if (StringAttr known = name())
      return text + "'" + known.str() + "'";
    return text + (isArgument ? "'%arg" + std::to_string(index) + "'"
                              : "#" + std::to_string(index));
  }
  InFlightDiagnostic emitError(StringRef attribute) {
    return mlir::emitError(loc())
           << "'" << attribute << "' of " << describe() << ": ";
  }
};

} // namespace

/// Names are compared once, from the first argument (or result) that has one.
static LogicalResult verifyNames(Boundary first) {
  Boundary other = first;
  for (other.index = 0; other.index < first.index; ++other.index)
    if (other.name())
      return success();
  DenseMap<StringAttr, unsigned> seen;
  LogicalResult result = success();
  for (other.index = first.index; other.index < other.count(); ++other.index) {
    StringAttr name = other.name();
    if (!name)
      continue;
    auto [known, isNew] = seen.try_emplace(name, other.index);
    if (isNew)
      continue;
    InFlightDiagnostic diagnostic = other.emitError(TPDialect::kName)
                                    << "expected different names, got " << name
                                    << " twice";
    Boundary earlier = first;
    earlier.index = known->second;
    diagnostic.attachNote(earlier.loc())
        << (first.isArgument ? "argument #" : "result #") << earlier.index
        << " has the same name";
    result = diagnostic;
  }
  return result;
}

static LogicalResult verifyBoundaryPlacement(Boundary boundary,
                                             NamedAttribute attribute) {
  auto emitError = [&] { return boundary.emitError(attribute.getName()); };
  auto placement = dyn_cast<PlacementAttr>(attribute.getValue());
  if (!placement)
    return emitError() << "expected a #tp.placement, got "
                       << attribute.getValue();
  auto type = dyn_cast<RankedTensorType>(boundary.type());
  if (!type)
    return emitError() << "expected a ranked tensor, got " << boundary.type();
  return success(succeeded(
      resolvePlacement(boundary.function, placement, type, emitError)));
}

static LogicalResult verifyBoundary(Boundary boundary,
                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  auto emitError = [&] { return boundary.emitError(name); };
  if (name == TPDialect::kName) {
    auto text = dyn_cast<StringAttr>(attribute.getValue());
    if (!text || text.getValue().empty())
      return emitError() << "expected a string that is not empty, got "
                         << attribute.getValue();
    return verifyNames(boundary);
  }
  if (name == TPDialect::kPlacement)
    return verifyBoundaryPlacement(boundary, attribute);
  if (name == TPDialect::kGlobal) {
    auto type = dyn_cast<TypeAttr>(attribute.getValue());
    if (!type || !isa<RankedTensorType>(type.getValue()))
      return emitError() << "expected the type of the global tensor, got "
                         << attribute.getValue();
    return success();
  }
  bool isMark = name == TPDialect::kParam || name == TPDialect::kGrad ||
                name == TPDialect::kDonate;
  if (!isMark && name != TPDialect::kUse)
    return emitError() << "expected tp.name, tp.placement, tp.use, tp.param, "
                          "tp.grad or tp.donate";
  if (!boundary.isArgument)
    return emitError() << "expected on an argument, got it on a result";
  if (name == TPDialect::kUse)
    return verifyBoundaryPlacement(boundary, attribute);
  if (!isa<UnitAttr>(attribute.getValue()))
    return emitError() << "expected no value, got " << attribute.getValue();
  auto type = dyn_cast<RankedTensorType>(boundary.type());
  if (name == TPDialect::kGrad &&
      !(type && isa<FloatType>(type.getElementType())))
    return emitError() << "expected a tensor of floats to differentiate with "
                          "respect to, got "
                       << boundary.type();
  return success();
}

LogicalResult TPDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned argIndex,
                                                  NamedAttribute attribute) {
  return verifyBoundary({cast<FunctionOpInterface>(op), true, argIndex},
                        attribute);
}

LogicalResult TPDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                     unsigned resultIndex,
                                                     NamedAttribute attribute) {
  return verifyBoundary({cast<FunctionOpInterface>(op), false, resultIndex},
                        attribute);
}

LogicalResult TPDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  StringRef name = attribute.getName();
  auto text = dyn_cast<StringAttr>(attribute.getValue());
  if ((name == kWhy || name == kValue) && !text)
    return op->emitOpError() << "expected a string for '" << name << "', got "
                             << attribute.getValue();
  if (name == kPhase &&
      !(text &&
        llvm::is_contained({"forward", "backward", "update"}, text.getValue())))
    return op->emitOpError()
           << "expected \"forward\", \"backward\" or \"update\" for '" << name
           << "', got " << attribute.getValue();
  return success();
}
