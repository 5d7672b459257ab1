// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what the collective report says.

#include "tpc/Target/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Dialect/TP/UserLocation.h"
#include "tpc/Interfaces/TripCount.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tpc;
namespace json = llvm::json;

static std::string dtypeName(Type type) {
  Type element = getElementTypeOrSelf(type);
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

static json::Array shapeArray(ArrayRef<int64_t> shape) {
  json::Array array;
  for (int64_t size : shape)
    array.push_back(size);
  return array;
}

static StringRef textAttr(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<StringAttr>(name);
  return attr ? attr.getValue() : StringRef();
}

/// One part of a collective: the step, and what it moves.
static json::Object partObject(tp::CollectiveOpInterface op, unsigned index,
                               const Mesh &mesh,
                               const MachineDescription &machine) {
  tp::PartAttr part = op.getPart(index);
  RankedTensorType type = part.getType();
  StepBytes bytes = tp::getBytes(op, index, mesh);
  Placement to = part.getTo().resolve(mesh);
  ArrayRef<int64_t> shape = part.getResultType().getShape();
  return json::Object{
      {"dtype", dtypeName(type)},
      {"global_shape", shapeArray(type.getShape())},
      {"local_shape", shapeArray(to.localShape(mesh, shape))},
      {"bytes", bytes.bytes},
      {"wire_bytes", bytes.wireBytes},
      {"lower_bound_bytes", tp::getLowerBoundBytes(op, index, mesh)},
      {"seconds", tp::getSeconds(op, index, mesh, machine)},
      {"from", part.getFrom().str()},
      {"to", part.getTo().str()}};
}

static json::Object collectiveObject(tp::CollectiveOpInterface op,
                                     const Mesh &mesh,
                                     const MachineDescription &machine) {
  json::Object object = partObject(op, 0, mesh, machine);
  unsigned numParts = op.getInputs().size();
  if (numParts > 1) {
    // A bucket: the sums, one latency, and what each tensor is.
    SmallVector<unsigned> axes;
    for (Attribute axis : op.getAxes())
      axes.push_back(*mesh.find(cast<StringAttr>(axis).getValue()));
    double latency = machine.link(mesh, axes).latency;
    StepBytes bytes = tp::getBytes(op, mesh);
    double seconds = 0;
    json::Array parts;
    for (unsigned i = 0; i < numParts; ++i) {
      json::Object part = partObject(op, i, mesh, machine);
      seconds += *part.getNumber("seconds") - (i ? latency : 0);
      parts.push_back(std::move(part));
    }
    object["bytes"] = bytes.bytes;
    object["wire_bytes"] = bytes.wireBytes;
    object["lower_bound_bytes"] = tp::getLowerBoundBytes(op, mesh);
    object["seconds"] = seconds;
    object["parts"] = std::move(parts);
  }
  json::Array axes;
  for (Attribute axis : op.getAxes())
    axes.push_back(cast<StringAttr>(axis).getValue());
  object["phase"] = tp::getPhase(op);
  object["kind"] = stringify(op.getStepKind());
  object["axes"] = std::move(axes);
  object["op"] = op.getReductionAttr()
                     ? json::Value(op.getReductionAttr().getValue())
                     : json::Value(nullptr);
  object["value"] = textAttr(op, tp::TPDialect::kValue);
  object["times"] = getTimes(op);
  object["loc"] = tp::getUserLocation(op.getLoc());
  object["why"] = textAttr(op, tp::TPDialect::kWhy);
  auto whole = op->getAttrOfType<IntegerAttr>(tp::TPDialect::kLowerBound);
  auto path = op->getAttrOfType<DenseI64ArrayAttr>(tp::TPDialect::kPath);
  if (whole && path && path.size() == 2)
    object["path"] = json::Object{{"step", path[0]},
                                  {"steps", path[1]},
                                  {"lower_bound_bytes", whole.getInt()}};
  return object;
}

/// The primary number of a cost in its natural unit: seconds, bytes or count.
static json::Value costNumber(StringRef objective, ArrayRef<int64_t> cost) {
  if (objective == "time")
    return double(cost[0]) * 1e-12;
  return cost[0];
}

json::Object tpc::buildReport(ModuleOp module,
                              const MachineDescription &machine) {
  tp::MeshOp meshOp = tp::getSingleMesh(module);
  Mesh mesh = meshOp.getMesh();
  // An object has no order; the mesh does.
  json::Object axes;
  json::Array order;
  for (const Mesh::Axis &axis : mesh.axes()) {
    axes[axis.name] = axis.size;
    order.push_back(axis.name);
  }
  json::Object report{{"mesh", std::move(axes)},
                      {"axes", std::move(order)},
                      {"target_spec", machine.name}};
  json::Array functions, collectives;
  std::map<std::string, std::array<int64_t, 3>> totals;
  int64_t count = 0, bytes = 0, wire = 0;
  double seconds = 0;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (auto plan = func->getAttrOfType<DictionaryAttr>(tp::TPDialect::kPlan)) {
      StringRef objective = plan.getAs<StringAttr>("objective").getValue();
      auto cost = plan.getAs<DenseI64ArrayAttr>("cost");
      auto bound = plan.getAs<DenseI64ArrayAttr>("lower_bound");
      json::Object function{
          {"name", func.getSymName()},
          {"objective", objective},
          {"cost", costNumber(objective, cost)},
          {"lower_bound", costNumber(objective, bound)},
          {"cost_vector", shapeArray(cost)},
          {"lower_bound_vector", shapeArray(bound)},
          {"method", plan.getAs<StringAttr>("method").getValue()},
          {"peak_bytes", plan.getAs<IntegerAttr>("peak_bytes").getInt()}};
      if (!report.get("objective"))
        for (StringRef key : {"objective", "cost", "lower_bound", "cost_vector",
                              "lower_bound_vector", "method", "peak_bytes"})
          report[key] = *function.get(key);
      functions.push_back(std::move(function));
    }
    func.walk([&](tp::CollectiveOpInterface op) {
      if (isLocal(op.getStepKind()))
        return;
      json::Object object = collectiveObject(op, mesh, machine);
      object["function"] = func.getSymName();
      int64_t times = *object.getInteger("times");
      int64_t b = times * *object.getInteger("bytes");
      int64_t w = times * *object.getInteger("wire_bytes");
      std::array<int64_t, 3> &total =
          totals[(tp::getPhase(op) + "/" + stringify(op.getStepKind())).str()];
      total[0] += times;
      total[1] += b;
      total[2] += w;
      count += times;
      bytes += b;
      wire += w;
      seconds += double(times) * *object.getNumber("seconds");
      collectives.push_back(std::move(object));
    });
  }
  json::Object totalsObject{{"collectives", count},
                            {"bytes", bytes},
                            {"wire_bytes", wire},
                            {"seconds", seconds}};
  for (auto &[key, total] : totals) {
    // Keys of an object are not copied from a StringRef.
    auto [phase, kind] = StringRef(key).split('/');
    json::Value &ofPhase = totalsObject[phase.str()];
    if (!ofPhase.getAsObject())
      ofPhase = json::Object();
    (*ofPhase.getAsObject())[kind.str()] = json::Object{
        {"count", total[0]}, {"bytes", total[1]}, {"wire_bytes", total[2]}};
  }
  report["functions"] = std::move(functions);
  report["collectives"] = std::move(collectives);
  report["totals"] = std::move(totalsObject);
  return report;
}

static std::string shapeText(const json::Array &shape) {
  std::string text;
  for (const json::Value &size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(*size.getAsInteger());
  return text.empty() ? "scalar" : text;
}

static std::string axesText(const json::Object &object) {
  std::string text;
  for (const json::Value &axis : *object.getArray("axes"))
    text += (text.empty() ? "" : ",") + axis.getAsString()->str();
  return "[" + text + "]";
}

void tpc::printReport(const json::Object &report, llvm::raw_ostream &os) {
  os << "mesh";
  for (const json::Value &axis : *report.getArray("axes"))
    os << " " << *axis.getAsString() << "="
       << *report.getObject("mesh")->getInteger(*axis.getAsString());
  os << "\n";
  for (const json::Value &value : *report.getArray("functions")) {
    const json::Object &function = *value.getAsObject();
    StringRef objective = *function.getString("objective");
    const char *unit = objective == "time"    ? " s"
                       : objective == "bytes" ? " bytes received"
                                              : " collectives";
    auto show = [&](StringRef key) {
      const json::Value *number = function.get(key);
      if (std::optional<int64_t> integer = number->getAsInteger())
        return std::to_string(*integer);
      return llvm::formatv("{0:e3}", *number->getAsNumber()).str();
    };
    bool proven =
        *function.get("cost_vector") == *function.get("lower_bound_vector");
    StringRef method = *function.getString("method");
    os << "plan of " << *function.getString("name") << ": ";
    // A plan file is followed, whatever else there may be.
    if (method == "plan file")
      os << "from a plan file, cost " << show("cost") << unit << "\n";
    else
      os << "least " << objective << ", cost " << show("cost") << unit
         << ", lower bound " << show("lower_bound")
         << (proven ? " (proven least, by " : " (by ") << method << ")\n";
    os << "memory of " << *function.getString("name") << ": about "
       << *function.getInteger("peak_bytes") << " B per rank\n";
  }
  for (StringRef phase : {"forward", "backward", "update"}) {
    bool any = false;
    for (const json::Value &value : *report.getArray("collectives")) {
      const json::Object &object = *value.getAsObject();
      if (*object.getString("phase") != phase)
        continue;
      if (!any)
        os << phase << ":\n";
      any = true;
      os << "  " << *object.getString("kind") << " " << axesText(object);
      if (std::optional<StringRef> op = object.getString("op"))
        os << " " << *op;
      os << " " << *object.getInteger("bytes") << " B ("
         << *object.getInteger("wire_bytes") << " B received, bound "
         << *object.getInteger("lower_bound_bytes") << " B";
      if (const json::Object *path = object.getObject("path"))
        os << "; step " << *path->getInteger("step") << " of "
           << *path->getInteger("steps") << ", bound "
           << *path->getInteger("lower_bound_bytes") << " B";
      os << ") ";
      if (int64_t times = *object.getInteger("times"); times != 1)
        os << "x" << times << " ";
      if (const json::Array *parts = object.getArray("parts")) {
        os << parts->size() << " tensors ";
      } else {
        os << *object.getString("dtype") << " "
           << shapeText(*object.getArray("global_shape")) << " "
           << *object.getString("from") << " -> " << *object.getString("to")
           << " ";
      }
      os << "'" << *object.getString("value") << "'";
      if (StringRef loc = *object.getString("loc"); !loc.empty())
        os << " at " << loc;
      os << ": " << *object.getString("why") << "\n";
    }
    if (!any && phase != "update")
      os << phase << ": none\n";
  }
  if (const json::Array *notes = report.getArray("notes"))
    for (const json::Value &note : *notes)
      os << "note: " << *note.getAsString() << "\n";
  const json::Object &totals = *report.getObject("totals");
  os << "total: " << *totals.getInteger("collectives") << " collectives, "
     << *totals.getInteger("wire_bytes") << " B received per rank\n";
}
