// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how a placement is written, when two are equal, and what is legal.

#include "mlir/IR/DialectImplementation.h"
#include "tpc/Dialect/TP/TP.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

llvm::hash_code tpc::tp::hash_value(const AxisPlacement &axis) {
  return llvm::hash_combine(axis.axis, axis.kind, axis.dim, axis.reduction);
}

#define GET_ATTRDEF_CLASSES
#include "tpc/Dialect/TP/TPAttrs.cpp.inc"

void TPDialect::registerPlacementAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tpc/Dialect/TP/TPAttrs.cpp.inc"
      >();
}

/// Sorted by axis name, where shards of one dim take the places of their axes
/// in nesting order: the order of Placement, with names for numbers.
static SmallVector<AxisPlacement>
canonicalOrder(ArrayRef<AxisPlacement> entries) {
  SmallVector<AxisPlacement> sorted(entries);
  llvm::sort(sorted, [](const AxisPlacement &a, const AxisPlacement &b) {
    return a.axis.getValue() < b.axis.getValue();
  });
  auto isShard = [](const AxisPlacement &entry) {
    return entry.kind == Placement::Kind::Shard;
  };
  llvm::SmallSet<unsigned, 4> done;
  for (const AxisPlacement &entry : entries) {
    if (!isShard(entry) || !done.insert(entry.dim).second)
      continue;
    auto next = entries.begin();
    for (AxisPlacement &slot : sorted) {
      if (!isShard(slot) || slot.dim != entry.dim)
        continue;
      next = std::find_if(next, entries.end(), [&](const AxisPlacement &other) {
        return isShard(other) && other.dim == entry.dim;
      });
      slot = *next++;
    }
  }
  return sorted;
}

PlacementAttr PlacementAttr::get(MLIRContext *context, FlatSymbolRefAttr mesh,
                                 ArrayRef<AxisPlacement> axes) {
  SmallVector<AxisPlacement> canonical = canonicalOrder(axes);
  return Base::get(context, mesh, ArrayRef<AxisPlacement>(canonical));
}

PlacementAttr
PlacementAttr::getChecked(function_ref<InFlightDiagnostic()> emitError,
                          MLIRContext *context, FlatSymbolRefAttr mesh,
                          ArrayRef<AxisPlacement> axes) {
  SmallVector<AxisPlacement> canonical = canonicalOrder(axes);
  return Base::getChecked(emitError, context, mesh,
                          ArrayRef<AxisPlacement>(canonical));
}

static SmallVector<AxisPlacement>
withNames(MLIRContext *context, const Mesh &grid, const Placement &placement) {
  SmallVector<AxisPlacement> axes;
  for (const Placement::Entry &entry : placement.entries())
    axes.push_back({StringAttr::get(context, grid.name(entry.axis)), entry.kind,
                    entry.dim, entry.reduction});
  return axes;
}

PlacementAttr PlacementAttr::get(MLIRContext *context, FlatSymbolRefAttr mesh,
                                 const Mesh &grid, const Placement &placement) {
  return get(context, mesh, withNames(context, grid, placement));
}

PlacementAttr
PlacementAttr::getChecked(function_ref<InFlightDiagnostic()> emitError,
                          MLIRContext *context, FlatSymbolRefAttr mesh,
                          const Mesh &grid, const Placement &placement) {
  SmallVector<AxisPlacement> axes = withNames(context, grid, placement);
  return getChecked(emitError, context, mesh, ArrayRef<AxisPlacement>(axes));
}

static InFlightDiagnostic axisTwice(InFlightDiagnostic diagnostic,
                                    StringRef axis) {
  return std::move(diagnostic)
         << "expected every axis once, got axis \"" << axis << "\" twice";
}

LogicalResult
PlacementAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      FlatSymbolRefAttr mesh, ArrayRef<AxisPlacement> axes) {
  llvm::SmallSet<StringRef, 4> names;
  std::optional<Reduction> kind;
  for (const AxisPlacement &entry : axes) {
    if (!names.insert(entry.axis.getValue()).second) // [P1]
      return axisTwice(emitError(), entry.axis.getValue());
    if (entry.kind != Placement::Kind::Partial)
      continue;
    if (kind && *kind != entry.reduction) // [P4]
      return emitError() << "expected one kind of partial, got "
                         << stringify(*kind) << " and "
                         << stringify(entry.reduction);
    kind = entry.reduction;
  }
  return success();
}

LogicalResult PlacementAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  for (const AxisPlacement &entry : getAxes()) {
    if (entry.kind == Placement::Kind::Shard) { // [P3]
      if (entry.dim >= shape.size())
        return emitError() << "expected a shard dim below " << shape.size()
                           << " for axis \"" << entry.axis.getValue()
                           << "\", got " << entry.dim;
      continue;
    }
    bool bitwise =
        entry.reduction == Reduction::And || entry.reduction == Reduction::Or;
    if (bitwise && !elementType.isIntOrIndex()) // [P5]
      return emitError() << "expected an integer element type for P("
                         << stringify(entry.reduction) << "), got "
                         << elementType;
  }
  return success();
}

FailureOr<Placement>
PlacementAttr::resolve(const Mesh &mesh,
                       function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<Placement::Entry> entries;
  for (const AxisPlacement &entry : getAxes()) {
    std::optional<unsigned> axis = mesh.find(entry.axis.getValue());
    if (!axis) // [P2]
      return emitError() << "expected an axis of mesh '" << getMesh() << "' ("
                         << mesh.str() << "), got axis \""
                         << entry.axis.getValue() << "\"";
    entries.push_back({*axis, entry.kind, entry.dim, entry.reduction});
  }
  return Placement(entries);
}

Placement PlacementAttr::resolve(const Mesh &mesh) const {
  SmallVector<Placement::Entry> entries;
  for (const AxisPlacement &entry : getAxes()) {
    std::optional<unsigned> axis = mesh.find(entry.axis.getValue());
    assert(axis && "a verified placement names axes of its mesh only");
    entries.push_back({*axis, entry.kind, entry.dim, entry.reduction});
  }
  return Placement(entries);
}

/// Parses the state of one axis; `entry` stays empty for `R`.
static ParseResult parseState(AsmParser &parser, StringAttr axis,
                              std::optional<AxisPlacement> &entry) {
  SMLoc loc = parser.getCurrentLocation();
  auto expectedState = [&]() -> ParseResult {
    return parser.emitError(loc)
           << "expected S(dim), P(sum|max|min|prod|and|or) or R for axis \""
           << axis.getValue() << "\"";
  };
  StringRef state;
  if (failed(parser.parseOptionalKeyword(&state)))
    return expectedState();
  if (state == "R")
    return success();
  if (state == "S") {
    unsigned dim = 0;
    if (parser.parseLParen() || parser.parseInteger(dim) ||
        parser.parseRParen())
      return failure();
    entry = AxisPlacement{axis, Placement::Kind::Shard, dim, Reduction::Sum};
    return success();
  }
  if (state != "P")
    return expectedState();
  StringRef name;
  if (parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalKeyword(&name)))
    return expectedState();
  std::optional<Reduction> reduction = parseReduction(name);
  if (!reduction)
    return expectedState();
  entry = AxisPlacement{axis, Placement::Kind::Partial, 0, *reduction};
  return parser.parseRParen();
}

Attribute PlacementAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  FlatSymbolRefAttr mesh;
  if (parser.parseLess() || parser.parseAttribute(mesh) || parser.parseComma())
    return {};
  SmallVector<AxisPlacement> axes;
  llvm::SmallSet<StringRef, 4> names;
  auto parseAxis = [&]() -> ParseResult {
    SMLoc axisLoc = parser.getCurrentLocation();
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseColon())
      return failure();
    StringAttr axis = StringAttr::get(parser.getContext(), name);
    if (!names.insert(axis.getValue()).second)
      return axisTwice(parser.emitError(axisLoc), name);
    std::optional<AxisPlacement> entry;
    if (parseState(parser, axis, entry))
      return failure();
    if (entry)
      axes.push_back(*entry);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    mesh, ArrayRef<AxisPlacement>(axes));
}

static void printState(raw_ostream &os, const AxisPlacement &entry) {
  if (entry.kind == Placement::Kind::Shard)
    os << ": S(" << entry.dim << ')';
  else
    os << ": P(" << stringify(entry.reduction) << ')';
}

void PlacementAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMesh() << ", [";
  llvm::interleaveComma(getAxes(), printer, [&](const AxisPlacement &entry) {
    printer.printKeywordOrString(entry.axis.getValue());
    printState(printer.getStream(), entry);
  });
  printer << "]>";
}

std::string PlacementAttr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(getAxes(), os, [&](const AxisPlacement &entry) {
    os << entry.axis.getValue();
    printState(os, entry);
  });
  os << ']';
  return text;
}

LogicalResult PartAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               RankedTensorType type, PlacementAttr from,
                               PlacementAttr to, RankedTensorType result) {
  if (!result)
    result = type;
  for (RankedTensorType global : {type, result})
    if (global.getEncoding())
      return emitError() << "expected a global type without encoding, got "
                         << global;
  if (from.getMesh() != to.getMesh())
    return emitError() << "expected placements on one mesh, got '"
                       << from.getMesh() << "' and '" << to.getMesh() << "'";
  return success(succeeded(from.verifyEncoding(
                     type.getShape(), type.getElementType(), emitError)) &&
                 succeeded(to.verifyEncoding(
                     result.getShape(), result.getElementType(), emitError)));
}
