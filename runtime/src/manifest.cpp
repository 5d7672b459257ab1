// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the manifest of an artifact. Nothing of it is believed: whatever later
// code relies on (names, numbers, sizes, placements) is checked here.

#include "manifest_field.h"
#include <algorithm>

namespace tpc::rt {

namespace {

const char *const collectiveKinds[] = {
    "slice",      "to_partial", "all_reduce", "reduce_scatter",
    "all_gather", "all_to_all", "permute",    "send_recv"};

class Parser {
public:
  explicit Parser(Manifest &manifest) : manifest(manifest) {}

  void run(const Field &top) {
    int64_t abi = top["abi"].integer(0, anyCount);
    if (abi != TPC_RT_ABI_VERSION)
      throw ManifestError{fail(TPC_RT_VERSION, "the artifact has ABI version ",
                               abi, ", this runtime has ABI version ",
                               TPC_RT_ABI_VERSION,
                               "; compile the model again")};
    manifest.fingerprint = top["fingerprint"].string();
    if (top.has("reference"))
      manifest.reference = top["reference"].string();
    parseMesh(top["mesh"]);
    top["functions"].forEach([&](const Field &field) {
      manifest.functions.push_back(parseFunction(field));
    });
    top["collectives"].forEach([&](const Field &field) {
      manifest.collectives.push_back(parseCollective(field));
    });
    parseTarget(top);
  }

private:
  void parseTarget(const Field &top) {
    std::string target = top.has("target") ? top["target"].string() : "cpu";
    if (target == "cuda")
      parseDeviceCode(top, manifest);
    else if (target != "cpu")
      top["target"].fail("expected cpu or cuda, got \"", target, "\"");
  }

  void parseMesh(const Field &field) {
    int64_t ranks = 1;
    field.forEach([&](const Field &item) {
      std::string name = item["name"].string();
      int64_t size =
          item["size"].integer(1, std::numeric_limits<int32_t>::max());
      if (name.empty() || manifest.mesh.find(name) >= 0)
        item.fail("expected a new axis name, got \"", name, "\"");
      ranks *= size;
      if (ranks > std::numeric_limits<int32_t>::max())
        field.fail("expected fewer than 2^31 ranks");
      manifest.mesh.axes.push_back({name, size});
    });
    manifest.meshText = manifest.mesh.str();
  }

  int32_t parseAxis(const Field &field) {
    std::string name = field.string();
    int32_t axis = manifest.mesh.find(name);
    if (axis < 0)
      field.fail("expected an axis of the mesh ", manifest.meshText, ", got \"",
                 name, "\"");
    return axis;
  }

  DType parseType(const Field &field) {
    std::optional<DType> dtype = parseDType(field.string());
    if (!dtype)
      field.fail("expected an element type, got \"", field.string(), "\"");
    return *dtype;
  }

  Reduction parseOp(const Field &field) {
    std::optional<Reduction> reduction = parseReduction(field.string());
    if (!reduction)
      field.fail("expected sum, max, min, prod, and or or, got \"",
                 field.string(), "\"");
    return *reduction;
  }

  Shape parseShape(const Field &field, DType dtype) {
    Shape shape;
    field.forEach(
        [&](const Field &item) { shape.push_back(item.integer(0, anyCount)); });
    if (!checkedBytes(shape, dtypeSize(dtype)))
      field.fail("expected fewer than 2^63 bytes, got shape ", listText(shape));
    return shape;
  }

  Placement parsePlacement(const Field &field, size_t rank) {
    Placement placement;
    field.forEach([&](const Field &item) {
      PlacementEntry entry{parseAxis(item["axis"]), item.has("partial")};
      if (placement.find(entry.axis))
        item.fail("expected every axis once, got \"",
                  manifest.mesh.axes[entry.axis].name, "\" twice");
      if (entry.isPartial)
        entry.reduction = parseOp(item["partial"]);
      else
        entry.dim = static_cast<int32_t>(item["shard"].integer(
            0, rank == 0 ? -1 : static_cast<int64_t>(rank) - 1));
      placement.entries.push_back(entry);
    });
    return placement;
  }

  Value parseValue(const Field &field) {
    Value value;
    value.name = field["name"].string();
    value.dtype = parseType(field["dtype"]);
    value.shape = parseShape(field["shape"], value.dtype);
    value.placement = parsePlacement(field["placement"], value.shape.size());
    if (Status status =
            checkPart(manifest.mesh, {value.dtype, value.shape, value.placement,
                                      value.placement}))
      field.fail(status.message());
    value.isParam = field.has("param") && field["param"].boolean();
    value.isDonated = field.has("donate") && field["donate"].boolean();
    value.localShape = localShape(manifest.mesh, value.placement, value.shape);
    value.localBytes = volumeOf(value.localShape) * dtypeSize(value.dtype);
    value.placementText = value.placement.str(manifest.mesh);
    return value;
  }

  std::vector<Value> parseValues(const Field &field) {
    std::vector<Value> values;
    field.forEach([&](const Field &item) {
      Value value = parseValue(item);
      for (const Value &other : values)
        if (other.name == value.name)
          item.fail("expected different names, got \"", value.name, "\" twice");
      values.push_back(std::move(value));
    });
    return values;
  }

  Function parseFunction(const Field &field) {
    Function function;
    function.name = field["name"].string();
    function.symbol = field["symbol"].string();
    for (const Function &other : manifest.functions)
      if (other.name == function.name)
        field.fail("expected different function names, got \"", function.name,
                   "\" twice");
    function.workspaceBytes = field["workspace_bytes"].integer(0, anyCount);
    if (field.has("events"))
      function.events = static_cast<int32_t>(
          field["events"].integer(0, std::numeric_limits<int32_t>::max()));
    function.readsOnHost =
        field.has("host_reads") && field["host_reads"].boolean();
    function.hasAttention =
        field.has("attention") && field["attention"].boolean();
    function.arguments = parseValues(field["arguments"]);
    function.results = parseValues(field["results"]);
    return function;
  }

  /// One number for each of `rank` dims, at least `least`.
  Shape parseNumbers(const Field &field, size_t rank, int64_t least) {
    Shape numbers;
    field.forEach([&](const Field &item) {
      numbers.push_back(item.integer(least, anyCount));
    });
    if (numbers.size() != rank)
      field.fail("expected ", rank, " numbers, got ", numbers.size());
    return numbers;
  }

  Window parseWindow(const Field &field, const Part &part) {
    size_t rank = part.shape.size();
    auto optional = [&](const char *key, int64_t least) {
      return field.has(key) ? parseNumbers(field[key], rank, least)
                            : Shape(rank, least);
    };
    Window window;
    window.shape = parseShape(field["shape"], part.dtype);
    if (window.shape.size() != rank)
      field["shape"].fail("expected ", rank, " dims, got ",
                          window.shape.size());
    window.offset = parseNumbers(field["offset"], rank, -anyCount);
    window.block = optional("block", 0);
    window.step = optional("step", 0);
    window.sourceUnit = optional("source_unit", 1);
    window.unit = optional("unit", 1);
    return window;
  }

  Collective parseCollective(const Field &field) {
    Collective collective;
    collective.kind = field["kind"].string();
    if (std::find(std::begin(collectiveKinds), std::end(collectiveKinds),
                  collective.kind) == std::end(collectiveKinds))
      field["kind"].fail("expected a kind of collective, got \"",
                         collective.kind, "\"");
    std::vector<std::string> axisNames;
    field["axes"].forEach([&](const Field &item) {
      collective.axes.push_back(parseAxis(item));
      axisNames.push_back(item.string());
    });
    std::sort(collective.axes.begin(), collective.axes.end());
    if (std::adjacent_find(collective.axes.begin(), collective.axes.end()) !=
        collective.axes.end())
      field["axes"].fail("expected every axis once, got ", listText(axisNames));
    collective.isLocal = field.has("local") && field["local"].boolean();
    if (collective.isLocal)
      collective.axes.clear();
    field["parts"].forEach([&](const Field &item) {
      Part part;
      part.dtype = parseType(item["dtype"]);
      part.shape = parseShape(item["shape"], part.dtype);
      part.from = parsePlacement(item["from"], part.shape.size());
      part.to = parsePlacement(item["to"], part.shape.size());
      if (item.has("window"))
        part.window = parseWindow(item["window"], part);
      if (Status status = checkPart(manifest.mesh, part))
        item.fail(status.message());
      collective.parts.push_back(std::move(part));
    });
    collective.label =
        collective.kind + " over " + listText(axisNames) + " of \"" +
        (field.has("value") ? field["value"].string() : "") + "\"";
    std::string loc = field.has("loc") ? field["loc"].string() : "";
    if (!loc.empty())
      collective.label += " (" + loc + ")";
    return collective;
  }

  Manifest &manifest;
};

} // namespace

Status parseManifest(const std::string &text, Manifest &manifest) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return fail(TPC_RT_MALFORMED, "manifest: not valid JSON");
  manifest.text = text;
  try {
    Parser(manifest).run(Field{json, ""});
  } catch (ManifestError &error) {
    return std::move(error.status);
  }
  return {};
}

} // namespace tpc::rt
