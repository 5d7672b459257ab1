// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain account of placements, and modules made in memory.

#include "Harness.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tpc::rt::conformance {

static Backend chosenBackend() {
  static std::string device, communicator;
  const char *names = std::getenv("TPC_RT_CONFORMANCE");
  if (!names)
    return {"cpu", "local"};
  std::istringstream(names) >> device >> communicator;
  return {device.c_str(), communicator.c_str()};
}

const std::vector<Backend> backends = {chosenBackend()};

bool hasHostMemory(const Backend &backend) {
  return std::string(backend.device) == "cpu";
}

/// Calls the driver, which a device other than the host's has.
template <typename... Parameters>
static void callDriver(const char *name, Parameters... parameters) {
  static void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto *entry = reinterpret_cast<int (*)(Parameters...)>(
      driver ? dlsym(driver, name) : nullptr);
  ASSERT_NE(entry, nullptr) << name;
  ASSERT_EQ(entry(parameters...), 0) << name;
}

void readMemory(const Backend &backend, void *host, const void *memory,
                int64_t bytes) {
  if (bytes == 0)
    return;
  if (hasHostMemory(backend))
    std::memcpy(host, memory, bytes);
  else
    callDriver("cuMemcpyDtoH_v2", reinterpret_cast<uintptr_t>(host),
               reinterpret_cast<uintptr_t>(memory), static_cast<size_t>(bytes));
}

void writeMemory(const Backend &backend, void *memory, const void *host,
                 int64_t bytes) {
  if (bytes == 0)
    return;
  if (hasHostMemory(backend))
    std::memcpy(memory, host, bytes);
  else
    callDriver("cuMemcpyHtoD_v2", reinterpret_cast<uintptr_t>(memory),
               reinterpret_cast<uintptr_t>(host), static_cast<size_t>(bytes));
}

/// Memory of the device of the calling rank.
class DeviceBuffer {
public:
  DeviceBuffer(const Backend &backend, const void *host, int64_t bytes) {
    callDriver("cuMemAlloc_v2", &memory, std::max<size_t>(bytes, 1));
    writeMemory(backend, data(), host, bytes);
  }
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;
  ~DeviceBuffer() { callDriver("cuMemFree_v2", memory); }
  void *data() const { return reinterpret_cast<void *>(memory); }

private:
  uintptr_t memory = 0;
};

/// Bytes of a rank's buffer of a part, before or behind the collective.
static int64_t partBytes(const Mesh &mesh, const PartSpec &part,
                         bool isResult) {
  const Placement &placement = isResult ? part.to : part.from;
  Shape shape = part.shape;
  Shape unit;
  if (part.window) {
    unit = isResult ? part.window->unit : part.window->sourceUnit;
    if (isResult)
      shape = part.window->shape;
  }
  // Chunks are whole units.
  for (size_t dim = 0; dim < unit.size(); ++dim)
    shape[dim] = (shape[dim] + unit[dim] - 1) / unit[dim];
  int64_t elements = localVolume(mesh, placement, shape);
  for (int64_t each : unit)
    elements *= each;
  return elements * tpc_rt_dtype_size(part.dtype);
}

int32_t collective(const Backend &backend, const Program &program,
                   tpc_rt_rank_t *rank, int32_t index,
                   const std::vector<const void *> &inputs,
                   const std::vector<void *> &outputs) {
  int32_t count = static_cast<int32_t>(inputs.size());
  if (hasHostMemory(backend))
    return tpc_rt_collective(rank, TPC_RT_COMPUTE, index, count, inputs.data(),
                             outputs.data());
  const auto &parts = program.collectives[index].parts;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  std::vector<const void *> from;
  std::vector<void *> to;
  for (size_t i = 0; i < inputs.size(); ++i) {
    buffers.push_back(std::make_unique<DeviceBuffer>(
        backend, inputs[i], partBytes(program.mesh, parts[i], false)));
    from.push_back(buffers.back()->data());
    buffers.push_back(std::make_unique<DeviceBuffer>(
        backend, outputs[i], partBytes(program.mesh, parts[i], true)));
    to.push_back(buffers.back()->data());
  }
  int32_t code = tpc_rt_collective(rank, TPC_RT_COMPUTE, index, count,
                                   from.data(), to.data());
  for (size_t i = 0; i < inputs.size() && code == 0; ++i)
    code = tpc_rt_read(rank, to[i], outputs[i],
                       partBytes(program.mesh, parts[i], true));
  return code;
}

std::string backendName(const testing::TestParamInfo<Backend> &info) {
  return std::string(info.param.device) + "_" + info.param.communicator;
}

bool Placement::isPartial(int axis) const {
  for (const Entry &entry : entries)
    if (entry.axis == axis)
      return entry.dim < 0;
  return false;
}

bool Placement::isShard(int axis) const {
  for (const Entry &entry : entries)
    if (entry.axis == axis)
      return entry.dim >= 0;
  return false;
}

std::string Placement::str(const Mesh &mesh) const {
  std::string text = "[";
  for (const Entry &entry : entries)
    text += mesh[entry.axis].name +
            (entry.dim < 0 ? ":P " : ":S" + std::to_string(entry.dim) + " ");
  return text + "]";
}

int64_t ranksOf(const Mesh &mesh) {
  int64_t ranks = 1;
  for (const Axis &axis : mesh)
    ranks *= axis.size;
  return ranks;
}

std::vector<int64_t> coordinatesOf(const Mesh &mesh, int64_t rank) {
  std::vector<int64_t> result(mesh.size());
  for (int axis = static_cast<int>(mesh.size()) - 1; axis >= 0; --axis) {
    result[axis] = rank % mesh[axis].size;
    rank /= mesh[axis].size;
  }
  return result;
}

int64_t volume(const Shape &shape) {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

bool Location::isOn(const std::vector<int64_t> &rank) const {
  for (size_t axis = 0; axis < rank.size(); ++axis)
    if (coordinates[axis] >= 0 && coordinates[axis] != rank[axis])
      return false;
  return true;
}

Location locate(const Mesh &mesh, const Placement &placement,
                const Shape &shape, int64_t element) {
  Shape index(shape.size());
  for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; --dim) {
    index[dim] = element % shape[dim];
    element /= shape[dim];
  }
  Location result{std::vector<int64_t>(mesh.size(), -1), 0};
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    // The chunk rule, seen from one element: `length` is the actual length of
    // the chunk it is in, `padded` the length of the buffers.
    int64_t length = shape[dim];
    int64_t padded = shape[dim];
    int64_t at = index[dim];
    for (const Entry &entry : placement.entries) {
      if (entry.dim != static_cast<int>(dim))
        continue;
      int64_t parts = mesh[entry.axis].size;
      int64_t step = (length + parts - 1) / parts;
      int64_t chunk = at / step;
      result.coordinates[entry.axis] = chunk;
      at -= chunk * step;
      length = std::min(step, length - chunk * step);
      padded = (padded + parts - 1) / parts;
    }
    result.offset = result.offset * padded + at;
  }
  return result;
}

int64_t localVolume(const Mesh &mesh, const Placement &placement,
                    const Shape &shape) {
  Shape local = shape;
  for (const Entry &entry : placement.entries)
    if (entry.dim >= 0)
      local[entry.dim] = (local[entry.dim] + mesh[entry.axis].size - 1) /
                         mesh[entry.axis].size;
  return volume(local);
}

std::vector<Placement> allPlacements(const Mesh &mesh, int rank,
                                     bool withPartials) {
  std::vector<Placement> result;
  // Every order of the axes, every state of each; states that come out the same
  // whatever the order are kept once.
  std::vector<int> order(mesh.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int>(i);
  int states = rank + 1 + (withPartials ? 1 : 0);
  int64_t combinations = 1;
  for (size_t i = 0; i < mesh.size(); ++i)
    combinations *= states;
  std::vector<std::string> seen;
  do {
    for (int64_t number = 0; number < combinations; ++number) {
      Placement placement;
      int64_t rest = number;
      std::vector<int> state(mesh.size());
      for (size_t i = 0; i < mesh.size(); ++i, rest /= states)
        state[i] = static_cast<int>(rest % states);
      for (int axis : order)
        if (state[axis] > 0)
          placement.entries.push_back(
              {axis, state[axis] <= rank ? state[axis] - 1 : -1});
      // Canonical text: per dim the axes in order, partials sorted.
      std::string key;
      for (int dim = -1; dim < rank; ++dim) {
        std::vector<int> axes;
        for (const Entry &entry : placement.entries)
          if (entry.dim == dim)
            axes.push_back(entry.axis);
        if (dim < 0)
          std::sort(axes.begin(), axes.end());
        for (int axis : axes)
          key += std::to_string(axis);
        key += '/';
      }
      if (std::find(seen.begin(), seen.end(), key) != seen.end())
        continue;
      seen.push_back(key);
      result.push_back(placement);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return result;
}

void store(int32_t dtype, void *buffer, int64_t index, int64_t value) {
  char *at = static_cast<char *>(buffer) + index * tpc_rt_dtype_size(dtype);
  auto put = [&](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
  switch (dtype) {
  case TPC_RT_F32:
    return put(static_cast<float>(value));
  case TPC_RT_F64:
    return put(static_cast<double>(value));
  case TPC_RT_F16:
    return put(static_cast<_Float16>(static_cast<float>(value)));
  case TPC_RT_BF16: {
    float wide = static_cast<float>(value);
    uint32_t word;
    std::memcpy(&word, &wide, 4);
    return put(static_cast<uint16_t>(word >> 16));
  }
  case TPC_RT_I1:
    return put(static_cast<uint8_t>(value & 1));
  case TPC_RT_I8:
    return put(static_cast<int8_t>(value));
  case TPC_RT_I16:
    return put(static_cast<int16_t>(value));
  case TPC_RT_I32:
    return put(static_cast<int32_t>(value));
  default:
    return put(value);
  }
}

int64_t load(int32_t dtype, const void *buffer, int64_t index) {
  const char *at =
      static_cast<const char *>(buffer) + index * tpc_rt_dtype_size(dtype);
  auto get = [&](auto typed) {
    std::memcpy(&typed, at, sizeof(typed));
    return typed;
  };
  // Infinities stand for the neutral elements of max and min.
  auto toInteger = [](double value) {
    return value > 1e18    ? INT64_MAX
           : value < -1e18 ? INT64_MIN
                           : static_cast<int64_t>(value);
  };
  switch (dtype) {
  case TPC_RT_F32:
    return toInteger(get(float{}));
  case TPC_RT_F64:
    return toInteger(get(double{}));
  case TPC_RT_F16:
    return toInteger(static_cast<float>(get(_Float16{})));
  case TPC_RT_BF16: {
    uint32_t word = static_cast<uint32_t>(get(uint16_t{})) << 16;
    float wide;
    std::memcpy(&wide, &word, 4);
    return toInteger(wide);
  }
  case TPC_RT_I1:
    return get(uint8_t{});
  case TPC_RT_I8:
    return get(int8_t{});
  case TPC_RT_I16:
    return get(int16_t{});
  case TPC_RT_I32:
    return get(int32_t{});
  default:
    return get(int64_t{});
  }
}

int64_t combine(int32_t dtype, const std::string &op, int64_t a, int64_t b) {
  int64_t result = op == "sum"    ? a + b
                   : op == "prod" ? a * b
                   : op == "max"  ? std::max(a, b)
                   : op == "min"  ? std::min(a, b)
                   : op == "and"  ? (a & b)
                                  : (a | b);
  char wrapped[8];
  store(dtype, wrapped, 0, result);
  return load(dtype, wrapped, 0);
}

bool isDefined(int32_t dtype, const std::string &op) {
  return dtype >= TPC_RT_I1 || (op != "and" && op != "or");
}

Outcome take(tpc_rt_status_t *status) {
  Outcome outcome{tpc_rt_status_code(status), tpc_rt_status_message(status),
                  tpc_rt_status_rank(status)};
  tpc_rt_status_release(status);
  return outcome;
}

using Json = nlohmann::json;

static Json placementJson(const Mesh &mesh, const Placement &placement,
                          const std::string &op) {
  Json list = Json::array();
  for (const Entry &entry : placement.entries) {
    Json item{{"axis", mesh[entry.axis].name}};
    if (entry.dim < 0)
      item["partial"] = op;
    else
      item["shard"] = entry.dim;
    list.push_back(item);
  }
  return list;
}

static Json valuesJson(const Mesh &mesh, const std::vector<ValueSpec> &values) {
  Json list = Json::array();
  for (const ValueSpec &value : values)
    list.push_back(
        {{"name", value.name},
         {"dtype", tpc_rt_dtype_name(value.dtype)},
         {"shape", value.shape},
         {"placement", placementJson(mesh, value.placement, value.op)}});
  return list;
}

std::string Program::manifest(const Backend &backend) const {
  Json axes = Json::array();
  for (const Axis &axis : mesh)
    axes.push_back({{"name", axis.name}, {"size", axis.size}});
  Json list = Json::array();
  for (const CollectiveSpec &collective : collectives) {
    Json names = Json::array();
    for (int axis : collective.axes)
      names.push_back(mesh[axis].name);
    Json parts = Json::array();
    for (const PartSpec &part : collective.parts) {
      Json json{{"dtype", tpc_rt_dtype_name(part.dtype)},
                {"shape", part.shape},
                {"from", placementJson(mesh, part.from, part.op)},
                {"to", placementJson(mesh, part.to, part.op)}};
      if (const auto &window = part.window) {
        json["window"] = {{"shape", window->shape}, {"offset", window->offset}};
        if (!window->block.empty()) {
          json["window"]["block"] = window->block;
          json["window"]["step"] = window->step;
        }
        if (!window->unit.empty()) {
          json["window"]["source_unit"] = window->sourceUnit;
          json["window"]["unit"] = window->unit;
        }
      }
      parts.push_back(std::move(json));
    }
    list.push_back({{"kind", collective.kind},
                    {"phase", "forward"},
                    {"axes", names},
                    {"value", collective.value},
                    {"loc", "model.py:7"},
                    {"local", collective.isLocal},
                    {"parts", parts}});
  }
  Json function{{"name", "forward"},
                {"symbol", "tpc_fn_forward"},
                {"workspace_bytes", workspaceBytes},
                {"events", events},
                {"host_reads", readsOnHost},
                {"arguments", valuesJson(mesh, arguments)},
                {"results", valuesJson(mesh, results)}};
  Json json{{"abi", TPC_RT_ABI_VERSION},
            {"compiler", "conformance"},
            {"target", backend.device},
            {"fingerprint", "0123456789abcdef"},
            {"mesh", axes},
            {"functions", Json::array({function})},
            {"collectives", list},
            {"report", Json::object()},
            {"reference", ""}};
  if (!hasHostMemory(backend))
    for (const char *key : {"constants", "images", "kernels"})
      json[key] = Json::array();
  return json.dump();
}

/// Compiled code has no place for a closure; tests run one program at a time.
static const Program *running = nullptr;

static thread_local char *currentWorkspace = nullptr;

char *workspace() { return currentWorkspace; }

static int32_t runBody(tpc_rt_rank_t *rank, const void *const *arguments,
                       void *const *results, void *workspace) {
  currentWorkspace = static_cast<char *>(workspace);
  int64_t number = 0;
  for (size_t axis = 0; axis < running->mesh.size(); ++axis)
    number = number * running->mesh[axis].size +
             tpc_rt_coordinate(rank, static_cast<int32_t>(axis));
  return running->body(rank, number, arguments, results);
}

tpc_rt_status_t *Program::create(Owned<tpc_rt_module_t> &module,
                                 const Backend &backend) const {
  running = this;
  tpc_rt_module_t *raw = nullptr;
  tpc_rt_status_t *status = tpc_rt_module_create(
      manifest(backend).c_str(),
      [](void *, const char *) -> tpc_rt_function_t { return runBody; },
      nullptr, &raw);
  module.reset(raw);
  return status;
}

Owned<tpc_rt_world_t> makeWorld(const Backend &backend, int64_t ranks,
                                double deadline, int threads, int32_t streams) {
  tpc_rt_world_options_t options{};
  options.size = sizeof(options);
  options.ranks = static_cast<int32_t>(ranks);
  options.threads_per_rank = threads;
  options.deadline_seconds = deadline;
  options.communicator = backend.communicator;
  options.streams = streams;
  options.device = backend.device;
  tpc_rt_world_t *raw = nullptr;
  Outcome outcome = take(tpc_rt_world_create(&options, &raw));
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return Owned<tpc_rt_world_t>(raw);
}

Outcome Running::start(const Backend &backend, const Program &program,
                       double deadline, int threads, int32_t streams) {
  Outcome outcome = take(program.create(module, backend));
  if (!outcome.ok())
    return outcome;
  world = makeWorld(backend, ranksOf(program.mesh), deadline, threads, streams);
  tpc_rt_call_t *raw = nullptr;
  outcome = take(tpc_rt_call_create(world.get(), module.get(), 0, &raw));
  call.reset(raw);
  return outcome;
}

} // namespace tpc::rt::conformance
