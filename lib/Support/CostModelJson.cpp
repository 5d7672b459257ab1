// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine descriptions: the presets and the JSON form.

#include "tpc/Support/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tpc {

static constexpr StringRef presets[] = {"a100", "cpu", "h100", "h200"};

ArrayRef<StringRef> MachineDescription::presetNames() { return presets; }

// GPU figures: dense peaks of the vendors' data sheets for the SXM modules
// times 0.7, roughly what large matmuls reach; HBM bandwidth times 0.9; NVLink
// bandwidth per direction (half of the advertised sum) times 0.8, what NCCL
// shows as bus bandwidth for large messages. 10 us is the usual time of a small
// NCCL collective on one node, 4 us that of a kernel in a stream.
//   a100  312 TF/s f16 and bf16, 19.5 f32 and 9.7 f64 on the vector units,
//         2.04 TB/s (80 GB), NVLink 300 GB/s
//   h100  989 TF/s f16 and bf16, 67 f32 and 34 f64 on the vector units,
//         3.35 TB/s, NVLink 450 GB/s
//   h200  as h100 but 4.8 TB/s
// Integers as 32-bit on the vector units: 19.5 (a100) and 33 TOP/s.
// f32 stays on the vector units: a description must not assume TF32 rounding.
static MachineDescription gpu(StringRef name, double f64, double f32,
                              double f16, double integer, double memory,
                              double link) {
  MachineDescription machine;
  machine.name = name.str();
  machine.peakFlops = {0.7 * f64, 0.7 * f32, 0.7 * f16, 0.7 * f16,
                       0.7 * integer};
  machine.memoryBandwidth = 0.9 * memory;
  machine.launchOverhead = 4e-6;
  machine.defaultLink = {10e-6, 0.8 * link};
  return machine;
}

// Ranks as threads of one small shared-memory machine. Assumed: one AVX-512
// core at 2.5 GHz to a rank, two 16-wide f32 FMA units at 60 % of peak; bf16
// and f16 computed in f32; 10 GB/s of memory bandwidth for each core; a
// collective is a barrier (a few context switches when ranks share cores: 20
// us) and a copy that reads and writes shared memory.
static MachineDescription cpu() {
  MachineDescription machine;
  machine.name = "cpu";
  machine.peakFlops = {48e9, 96e9, 80e9, 80e9, 20e9};
  machine.memoryBandwidth = 10e9;
  machine.launchOverhead = 1e-6;
  machine.defaultLink = {20e-6, 5e9};
  return machine;
}

std::optional<MachineDescription> MachineDescription::preset(StringRef name) {
  if (name == "a100")
    return gpu(name, 9.7e12, 19.5e12, 312e12, 19.5e12, 2.04e12, 300e9);
  if (name == "cpu")
    return cpu();
  if (name == "h100")
    return gpu(name, 34e12, 67e12, 989e12, 33e12, 3.35e12, 450e9);
  if (name == "h200")
    return gpu(name, 34e12, 67e12, 989e12, 33e12, 4.8e12, 450e9);
  return std::nullopt;
}

json::Value MachineDescription::toJson() const {
  auto linkJson = [](const Link &link) {
    return json::Object{{"latency", link.latency},
                        {"bandwidth", link.bandwidth}};
  };
  json::Object peaks, axes;
  for (unsigned type = 0; type < numComputeClasses; ++type)
    peaks[stringify(ComputeClass(type))] = peakFlops[type];
  for (const auto &[axis, link] : axisLinks)
    axes[axis] = linkJson(link);
  return json::Object{{"name", name},
                      {"peak_flops", std::move(peaks)},
                      {"memory_bandwidth", memoryBandwidth},
                      {"launch_overhead", launchOverhead},
                      {"link", linkJson(defaultLink)},
                      {"axes", std::move(axes)}};
}

namespace {

/// Reads one description; the first error is kept and ends the reading.
class Reader {
public:
  explicit Reader(StringRef source) : source(source) {}

  std::optional<MachineDescription> read(const json::Value &value) {
    MachineDescription machine;
    const json::Object *top = object(&value, "");
    if (!top)
      return std::nullopt;
    knownFields(*top, "",
                {"name", "peak_flops", "memory_bandwidth", "launch_overhead",
                 "link", "axes"});
    if (std::optional<StringRef> name = top->getString("name"))
      machine.name = name->str();
    else
      fail("expected a string in \"name\"");
    if (const json::Object *peaks =
            object(top->get("peak_flops"), "peak_flops")) {
      SmallVector<StringRef> names;
      for (unsigned type = 0; type < numComputeClasses; ++type) {
        names.push_back(stringify(ComputeClass(type)));
        machine.peakFlops[type] =
            number(*peaks, "peak_flops.", names.back(), /*zero=*/false);
      }
      knownFields(*peaks, "peak_flops.", names);
    }
    machine.memoryBandwidth = number(*top, "", "memory_bandwidth", false);
    machine.launchOverhead = number(*top, "", "launch_overhead", true);
    machine.defaultLink = link(top->get("link"), "link");
    if (const json::Value *axes = top->get("axes"))
      if (const json::Object *links = object(axes, "axes"))
        for (StringRef axis : sortedFields(*links))
          machine.axisLinks[axis.str()] =
              link(links->get(axis), "axes." + axis.str());
    if (error)
      return std::nullopt;
    return machine;
  }

  Error takeError() { return createStringError(source + ": " + *error); }

private:
  void fail(const Twine &message) {
    if (!error)
      error = message.str();
  }

  const json::Object *object(const json::Value *value, StringRef path) {
    const json::Object *result = value ? value->getAsObject() : nullptr;
    if (!result && path.empty())
      fail("expected a JSON object");
    else if (!result)
      fail("expected an object in \"" + path + "\"");
    return result;
  }

  void knownFields(const json::Object &object, StringRef prefix,
                   ArrayRef<StringRef> names) {
    for (StringRef field : sortedFields(object))
      if (!is_contained(names, field))
        fail("unknown field \"" + prefix + field + "\"");
  }

  /// The order of a JSON object's fields is that of a hash table.
  static SmallVector<StringRef> sortedFields(const json::Object &object) {
    SmallVector<StringRef> fields;
    for (const auto &entry : object)
      fields.push_back(entry.first);
    llvm::sort(fields);
    return fields;
  }

  double number(const json::Object &object, const Twine &prefix, StringRef name,
                bool zero) {
    std::optional<double> value = object.getNumber(name);
    if (!value)
      fail("expected a number in \"" + prefix + name + "\"");
    else if (zero ? !(*value >= 0) : !(*value > 0))
      fail(Twine("expected a number ") + (zero ? "not below" : "above") +
           " 0 in \"" + prefix + name + "\", got " + formatv("{0}", *value));
    return value.value_or(0);
  }

  MachineDescription::Link link(const json::Value *value, StringRef path) {
    const json::Object *fields = object(value, path);
    if (!fields)
      return {};
    knownFields(*fields, (path + ".").str(), {"latency", "bandwidth"});
    return {number(*fields, path + ".", "latency", true),
            number(*fields, path + ".", "bandwidth", false)};
  }

  StringRef source;
  std::optional<std::string> error;
};

} // namespace

Expected<MachineDescription> MachineDescription::parse(StringRef text,
                                                       StringRef source) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return createStringError(source + ": " + toString(value.takeError()));
  Reader reader(source);
  if (std::optional<MachineDescription> machine = reader.read(*value))
    return *machine;
  return reader.takeError();
}

Expected<MachineDescription> MachineDescription::load(StringRef presetOrPath) {
  if (std::optional<MachineDescription> machine = preset(presetOrPath))
    return *machine;
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(presetOrPath);
  if (!file)
    return createStringError("expected a machine description, one of " +
                             join(presetNames(), ", ") +
                             " or a JSON file, got \"" + presetOrPath +
                             "\": " + file.getError().message());
  return parse((*file)->getBuffer(), presetOrPath);
}

} // namespace tpc
