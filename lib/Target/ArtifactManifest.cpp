// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the manifest: what the runtime must know of an artifact, as JSON.
//
// The collectives are listed by their `tp.index`, or in program order where
// that is not set; compiled code names them by that number.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tpc/Dialect/TP/LoweredNames.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Target/Artifact.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <map>

using namespace mlir;
namespace json = llvm::json;

namespace tpc {

namespace {

std::string dtypeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

json::Array toShape(ArrayRef<int64_t> shape) {
  json::Array array;
  for (int64_t size : shape)
    array.push_back(size);
  return array;
}

json::Array toPlacement(tp::PlacementAttr placement) {
  json::Array array;
  if (!placement)
    return array;
  for (const tp::AxisPlacement &axis : placement.getAxes()) {
    json::Object entry{{"axis", axis.axis.getValue()}};
    if (axis.kind == Placement::Kind::Shard)
      entry["shard"] = int64_t(axis.dim);
    else
      entry["partial"] = stringify(axis.reduction);
    array.push_back(std::move(entry));
  }
  return array;
}

/// `file:line` of the innermost location in source text.
std::string toText(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    return WalkResult::interrupt();
  });
  return text;
}

/// One entry of "arguments" or "results".
json::Object toValue(DictionaryAttr attributes, Type localType,
                     std::string fallbackName) {
  auto get = [&](StringRef name) -> Attribute {
    return attributes ? attributes.get(name) : Attribute();
  };
  auto type = cast<RankedTensorType>(localType);
  if (auto global = dyn_cast_if_present<TypeAttr>(get("tp.global")))
    type = cast<RankedTensorType>(global.getValue());
  auto name = dyn_cast_if_present<StringAttr>(get(tp::TPDialect::kName));
  return json::Object{
      {"name", name ? name.str() : fallbackName},
      {"dtype", dtypeName(type.getElementType())},
      {"shape", toShape(type.getShape())},
      {"placement", toPlacement(dyn_cast_if_present<tp::PlacementAttr>(
                        get(tp::TPDialect::kPlacement)))}};
}

json::Object toFunction(func::FuncOp function) {
  json::Array arguments, results;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    json::Object value =
        toValue(function.getArgAttrDict(number), argument.getType(),
                "arg" + std::to_string(number));
    value["param"] = bool(function.getArgAttr(number, tp::TPDialect::kParam));
    value["donate"] = bool(function.getArgAttr(number, tp::TPDialect::kDonate));
    arguments.push_back(std::move(value));
  }
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    results.push_back(toValue(function.getResultAttrDict(number), type,
                              "result" + std::to_string(number)));
  return json::Object{{"name", function.getName()},
                      {"symbol", ("tpc_fn_" + function.getName()).str()},
                      {"workspace_bytes", 0},
                      {"events", 0},
                      {"arguments", std::move(arguments)},
                      {"results", std::move(results)}};
}

/// A placement by axis numbers, as the manifest writes it.
json::Array toPlacement(const Placement &placement, const Mesh &mesh) {
  json::Array array;
  for (const Placement::Entry &axis : placement.entries()) {
    json::Object entry{{"axis", mesh.name(axis.axis)}};
    if (axis.isShard())
      entry["shard"] = int64_t(axis.dim);
    else
      entry["partial"] = stringify(axis.reduction);
    array.push_back(std::move(entry));
  }
  return array;
}

/// The part of a window: a shape before and one after, and how they lie.
json::Object toWindowPart(Type element, const Window &window,
                          const Mesh &mesh) {
  auto list = [&](auto member) {
    return toShape(llvm::map_to_vector(
        window.dims, [&](const WindowDim &dim) { return dim.*member; }));
  };
  json::Object result{{"shape", list(&WindowDim::result)},
                      {"offset", list(&WindowDim::offset)}};
  if (llvm::any_of(window.dims, [](auto &dim) { return dim.block != 0; })) {
    result["block"] = list(&WindowDim::block);
    result["step"] = list(&WindowDim::step);
  }
  if (llvm::any_of(window.dims, [](const WindowDim &dim) {
        return dim.sourceUnit != 1 || dim.resultUnit != 1;
      })) {
    result["source_unit"] = list(&WindowDim::sourceUnit);
    result["unit"] = list(&WindowDim::resultUnit);
  }
  return json::Object{{"dtype", dtypeName(element)},
                      {"shape", list(&WindowDim::source)},
                      {"from", toPlacement(window.from, mesh)},
                      {"to", toPlacement(window.to, mesh)},
                      {"window", std::move(result)}};
}

json::Object toCollective(tp::CollectiveOpInterface collective,
                          const Mesh &mesh) {
  json::Array axes, parts;
  for (auto axis : collective.getAxes().getAsRange<StringAttr>())
    axes.push_back(axis.getValue());
  for (unsigned number = 0; number < collective.getInputs().size(); ++number) {
    tp::PartAttr part = collective.getPart(number);
    RankedTensorType type = part.getType();
    if (std::optional<Window> window = collective.getWindow(number, mesh))
      parts.push_back(toWindowPart(type.getElementType(), *window, mesh));
    else
      parts.push_back(json::Object{{"dtype", dtypeName(type.getElementType())},
                                   {"shape", toShape(type.getShape())},
                                   {"from", toPlacement(part.getFrom())},
                                   {"to", toPlacement(part.getTo())}});
  }
  StepKind kind = collective.getStepKind();
  StepBytes bytes = tp::getBytes(collective, mesh);
  json::Object object{
      {"kind", stringify(kind)}, {"phase", tp::getPhase(collective)},
      {"axes", std::move(axes)}, {"loc", toText(collective->getLoc())},
      {"bytes", bytes.bytes},    {"wire_bytes", bytes.wireBytes},
      {"local", isLocal(kind)},  {"parts", std::move(parts)}};
  if (StringAttr reduction = collective.getReductionAttr())
    object["op"] = reduction.getValue();
  auto value = collective->getAttrOfType<StringAttr>(tp::TPDialect::kValue);
  object["value"] =
      value ? value.str() : tp::getUserName(collective.getInputs().front());
  return object;
}

/// The constants that the host function names by number, in that order.
json::Array buildConstants(ModuleOp lowered) {
  std::map<int64_t, json::Object> byNumber;
  DataLayout layout(lowered);
  for (auto global : lowered.getOps<LLVM::GlobalOp>())
    if (auto number = global->getAttrOfType<IntegerAttr>(kConstantIndex))
      byNumber.emplace(number.getInt(),
                       json::Object{{"symbol", global.getSymName()},
                                    {"bytes", int64_t(layout.getTypeSize(
                                                  global.getType()))}});
  json::Array constants;
  for (auto &[number, object] : byNumber)
    constants.push_back(std::move(object));
  return constants;
}

json::Array toExtent(Operation *op, StringRef name) {
  json::Array array;
  if (auto sizes = op->getAttrOfType<DenseI32ArrayAttr>(name))
    for (int32_t size : sizes.asArrayRef())
      array.push_back(size);
  return array;
}

json::Object toKernel(LLVM::LLVMFuncOp function, const DeviceCode *device) {
  auto info = function->getAttrOfType<DictionaryAttr>(kKernelInfo);
  auto number = [&](StringRef key) {
    auto value = info ? info.getAs<IntegerAttr>(key) : IntegerAttr();
    return value ? value.getInt() : 0;
  };
  auto kind = info ? info.getAs<StringAttr>("kind") : StringAttr();
  json::Object kernel{{"name", function.getSymName()},
                      {"grid", toExtent(function, "gpu.known_grid_size")},
                      {"block", toExtent(function, "gpu.known_block_size")},
                      {"shared_bytes", number("shared_bytes")},
                      {"launches", number("launches")},
                      {"parameters", int64_t(function.getNumArguments())},
                      {"loc", toText(function.getLoc())},
                      {"kind", kind ? kind.getValue() : "kernel"}};
  for (StringRef key :
       {"read_bytes", "write_bytes", "least_read_bytes", "least_write_bytes"})
    kernel[key] = number(key);
  json::Object statistics;
  if (device)
    if (auto known = device->statistics.find(function.getSymName().str());
        known != device->statistics.end())
      for (auto &[arch, values] : known->second)
        statistics[arch] = json::Object{{"registers", values.registers},
                                        {"spill_bytes", values.spillBytes},
                                        {"shared_bytes", values.sharedBytes},
                                        {"stack_bytes", values.stackBytes}};
  kernel["statistics"] = std::move(statistics);
  return kernel;
}

std::string toString(const json::Value &value) {
  return llvm::formatv("{0}", value).str();
}

} // namespace

std::string buildManifest(ModuleOp scheduled, json::Value report,
                          StringRef reference) {
  json::Object manifest{
      {"abi", 3}, {"compiler", "tpc 0.1.0"}, {"target", "cpu"}};
  json::Array axes;
  Mesh mesh;
  if (tp::MeshOp op = tp::getSingleMesh(scheduled))
    mesh = op.getMesh();
  for (const Mesh::Axis &axis : mesh.axes())
    axes.push_back(json::Object{{"name", axis.name}, {"size", axis.size}});
  manifest["mesh"] = std::move(axes);

  json::Array functions;
  for (auto function : scheduled.getOps<func::FuncOp>())
    functions.push_back(toFunction(function));
  manifest["functions"] = std::move(functions);

  std::map<int64_t, json::Object> byIndex;
  int64_t next = 0;
  scheduled.walk([&](tp::CollectiveOpInterface collective) {
    auto index = collective->getAttrOfType<IntegerAttr>("tp.index");
    byIndex.emplace(index ? index.getInt() : next,
                    toCollective(collective, mesh));
    ++next;
  });
  json::Array collectives;
  for (auto &[index, object] : byIndex)
    collectives.push_back(std::move(object));
  manifest["collectives"] = std::move(collectives);
  manifest["report"] = std::move(report);
  manifest["reference"] = reference;

  std::string text;
  llvm::raw_string_ostream stream(text);
  scheduled.print(stream);
  text += toString(json::Object(manifest));
  manifest["fingerprint"] =
      llvm::formatv("{0:x-16}", llvm::xxh3_64bits(text)).str();
  return toString(std::move(manifest));
}

std::string completeManifest(StringRef manifest, ModuleOp lowered,
                             const DeviceCode *device) {
  json::Value value = llvm::cantFail(json::parse(manifest));
  json::Object &top = *value.getAsObject();
  for (json::Value &entry : *top.getArray("functions")) {
    json::Object &function = *entry.getAsObject();
    Operation *symbol = lowered.lookupSymbol(*function.getString("symbol"));
    auto set = [&](StringRef key, StringRef attribute) {
      if (auto number = symbol->getAttrOfType<IntegerAttr>(attribute))
        function[key] = number.getInt();
    };
    set("workspace_bytes", kWorkspaceBytes);
    set("events", kEvents);
    function["host_reads"] = symbol->hasAttr(kHostReads);
    if (auto attentions = symbol->getAttrOfType<ArrayAttr>(kAttentions))
      if (llvm::any_of(attentions.getAsRange<DictionaryAttr>(),
                       [](DictionaryAttr attention) {
                         return attention.getAs<StringAttr>("reason").empty();
                       }))
        function["attention"] = true;
  }
  if (device) {
    top["target"] = "cuda";
    top["constants"] = buildConstants(lowered);
    json::Array images;
    for (const DeviceImage &image : device->images)
      images.push_back(json::Object{{"arch", image.arch},
                                    {"kind", image.kind},
                                    {"symbol", image.symbol},
                                    {"bytes", image.bytes}});
    top["images"] = std::move(images);
    top["kernels"] = buildKernels(lowered, device);
  }
  return toString(value);
}

json::Array buildKernels(ModuleOp lowered, const DeviceCode *device) {
  json::Array kernels;
  for (auto module : lowered.getOps<gpu::GPUModuleOp>())
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
        kernels.push_back(toKernel(function, device));
  return kernels;
}

} // namespace tpc
