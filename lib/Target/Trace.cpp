// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The per-operation trace of a placed program: shapes and placements of every
// operand and result, and the collectives beneath the operation.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Dialect/TP/UserLocation.h"
#include "tpc/Target/Report.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tpc;
namespace json = llvm::json;

static std::string shapeText(RankedTensorType type, ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type.getElementType() << "[";
  llvm::interleave(shape, os, ",");
  os << "]";
  return text;
}

static json::Object tensorObject(Value value, const Mesh &mesh) {
  auto type = cast<RankedTensorType>(value.getType());
  tp::PlacementAttr attr = tp::getPlacement(type);
  Placement placement = attr ? attr.resolve(mesh) : Placement();
  // What a collective moved keeps its name.
  std::string name = tp::getUserName(value);
  if (Operation *def = value.getDefiningOp())
    if (isa<tp::CollectiveOpInterface>(def))
      if (auto moved = def->getAttrOfType<StringAttr>(tp::TPDialect::kValue))
        name = moved.str();
  return json::Object{
      {"name", name},
      {"global", shapeText(type, type.getShape())},
      {"local", shapeText(type, placement.localShape(mesh, type.getShape()))},
      {"placement", placement.str(mesh)}};
}

/// True for operations that only make room or constants: not worth a line.
static bool isFiller(Operation *op) {
  if (!op)
    return false;
  StringRef name = op->getName().getStringRef();
  return name == "tensor.empty" || name == "linalg.fill" ||
         op->hasTrait<OpTrait::ConstantLike>();
}

/// `linalg.generic (mulf, addf)`: the operation and what its body computes. The
/// bodies of loops and branches have lines of their own.
static std::string describe(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (isa<RegionBranchOpInterface>(op))
    return text;
  SmallVector<StringRef> body;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (!inner.hasTrait<OpTrait::IsTerminator>() &&
          !inner.hasTrait<OpTrait::ConstantLike>())
        body.push_back(inner.getName().stripDialect());
  return body.empty() ? text : text + " (" + llvm::join(body, ", ") + ")";
}

/// Adds the collectives between `value` and what computed it.
static void addCollectives(Value value, const Mesh &mesh,
                           const MachineDescription &machine,
                           json::Array &result) {
  auto op = value.getDefiningOp<tp::CollectiveOpInterface>();
  if (!op)
    return;
  for (Value input : op.getInputs())
    addCollectives(input, mesh, machine, result);
  if (isLocal(op.getStepKind()))
    return;
  unsigned index = cast<OpResult>(value).getResultNumber();
  json::Array axes;
  for (Attribute axis : op.getAxes())
    axes.push_back(cast<StringAttr>(axis).getValue());
  StepBytes bytes = tp::getBytes(op, index, mesh);
  result.push_back(json::Object{{"kind", stringify(op.getStepKind())},
                                {"axes", std::move(axes)},
                                {"bytes", bytes.bytes},
                                {"wire_bytes", bytes.wireBytes}});
}

/// The line of one operation, if it computes on tensors or returns them.
static std::optional<json::Object>
traceOperation(func::FuncOp func, Operation *op, const Mesh &mesh,
               const MachineDescription &machine) {
  if (isa<tp::CollectiveOpInterface>(op) || isFiller(op))
    return std::nullopt;
  json::Array operands, results, collectives;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()) ||
        isFiller(operand.getDefiningOp()))
      continue;
    operands.push_back(tensorObject(operand, mesh));
    addCollectives(operand, mesh, machine, collectives);
  }
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      results.push_back(tensorObject(result, mesh));
  if (operands.empty() && results.empty())
    return std::nullopt;
  return json::Object{{"function", func.getSymName()},
                      {"phase", isa<func::ReturnOp>(op) ? StringRef("return")
                                                        : tp::getPhase(op)},
                      {"op", describe(op)},
                      {"module", tp::getModulePath(op->getLoc())},
                      {"loc", tp::getUserLocation(op->getLoc())},
                      {"mesh", mesh.str()},
                      {"operands", std::move(operands)},
                      {"results", std::move(results)},
                      {"collectives", std::move(collectives)}};
}

json::Array tpc::buildTrace(ModuleOp module,
                            const MachineDescription &machine) {
  tp::MeshOp meshOp = tp::getSingleMesh(module);
  Mesh mesh = meshOp.getMesh();
  json::Array trace;
  for (auto func : module.getOps<func::FuncOp>())
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (std::optional<json::Object> entry =
              traceOperation(func, op, mesh, machine))
        trace.push_back(std::move(*entry));
      // Bodies of loops and branches are programs like the function's; those of
      // structured operations are scalar code, manual ones per-rank code.
      return isa<RegionBranchOpInterface>(op) || op->getNumRegions() == 0
                 ? WalkResult::advance()
                 : WalkResult::skip();
    });
  return trace;
}

void tpc::printTrace(const json::Array &trace, llvm::raw_ostream &os) {
  for (const json::Value &value : trace) {
    const json::Object &entry = *value.getAsObject();
    os << *entry.getString("phase") << " " << *entry.getString("op");
    if (StringRef module = *entry.getString("module"); !module.empty())
      os << " of " << module;
    if (StringRef loc = *entry.getString("loc"); !loc.empty())
      os << " at " << loc;
    os << " on mesh " << *entry.getString("mesh") << "\n";
    auto tensors = [&](StringRef key, StringRef label) {
      for (const json::Value &item : *entry.getArray(key)) {
        const json::Object &tensor = *item.getAsObject();
        os << "    " << label << " " << *tensor.getString("name") << ": global "
           << *tensor.getString("global") << " local "
           << *tensor.getString("local") << " "
           << *tensor.getString("placement") << "\n";
      }
    };
    tensors("operands", "operand");
    tensors("results", "result");
    for (const json::Value &item : *entry.getArray("collectives")) {
      const json::Object &collective = *item.getAsObject();
      os << "    after " << *collective.getString("kind") << " [";
      llvm::interleaveComma(
          *collective.getArray("axes"), os,
          [&](const json::Value &axis) { os << *axis.getAsString(); });
      os << "] " << *collective.getInteger("bytes") << " B\n";
    }
  }
}
