// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what a function enqueues on one rank, on a device and a communicator
// that do nothing else. Compiled code only passes buffers on, so that memory
// which is never written does; elements that it reads are zero.

#include "world.h"
#include <sys/mman.h>

namespace tpc::rt {

namespace {

const char *streamName(int32_t stream) {
  static const char *const names[] = {"compute", "gather", "reduce"};
  return names[stream];
}

/// `, add bias + gelu`: what a product does besides.
std::string flagNames(int32_t flags) {
  static const std::pair<int32_t, const char *> names[] = {
      {TPC_RT_TF32, "tf32"},
      {TPC_RT_ADD_BIAS, "add bias"},
      {TPC_RT_RELU, "relu"},
      {TPC_RT_GELU, "gelu"},
      {TPC_RT_WRITE_AUX, "write its argument"},
      {TPC_RT_RELU_GRADIENT, "relu gradient"},
      {TPC_RT_GELU_GRADIENT, "gelu gradient"},
      {TPC_RT_SUM_INNER, "sum inner operand"},
      {TPC_RT_SUM_OUTER, "sum outer operand"},
      {TPC_RT_SUM_RESULT, "sum result"}};
  std::string list;
  for (auto [flag, name] : names)
    if (flags & flag)
      list += text(list.empty() ? ", " : " + ", name);
  return list;
}

/// `grid 4 x 1 x 1`
std::string extentText(const std::array<uint32_t, 3> &extent) {
  return text(extent[0], " x ", extent[1], " x ", extent[2]);
}

/// Writes lines, and names the memory that it has given out.
class Script {
public:
  explicit Script(const std::function<void(const std::string &)> &write)
      : write(write) {}

  template <typename... Pieces> void line(const Pieces &...pieces) {
    write(text(pieces...));
  }

  Status reserve(const std::string &name, int64_t bytes,
                 std::shared_ptr<void> &memory) {
    size_t size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
    void *pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
      throw std::bad_alloc();
    memory.reset(pages, [size](void *old) { munmap(old, size); });
    ranges.push_back({static_cast<char *>(pages), bytes, name});
    return {};
  }

  /// `"x"`, `workspace+256`, or nothing for what is not the rank's memory.
  std::string find(const void *pointer) const {
    auto *at = static_cast<const char *>(pointer);
    for (const Range &range : ranges)
      if (at >= range.begin &&
          at < range.begin + std::max<int64_t>(1, range.bytes))
        return at == range.begin ? range.name
                                 : text(range.name, "+", at - range.begin);
    return {};
  }
  std::string str(const void *pointer) const {
    std::string name = find(pointer);
    return name.empty() ? "data of the artifact" : name;
  }

private:
  struct Range {
    const char *begin;
    int64_t bytes;
    std::string name;
  };
  const std::function<void(const std::string &)> &write;
  std::vector<Range> ranges;
};

class PrintingDevice final : public Device {
public:
  PrintingDevice(Script &script, const Manifest &manifest)
      : script(script), manifest(manifest) {}

  Status allocate(int64_t bytes, std::shared_ptr<void> &memory) override {
    return script.reserve("memory", bytes, memory);
  }
  bool isHostMemory() const override { return true; }
  Status upload(void *, const void *, int64_t) override { return {}; }
  Status download(void *, const void *, int64_t) override { return {}; }
  Status prepare(const std::shared_ptr<Module> &, const Function &,
                 std::unique_ptr<DeviceCall> &) override {
    return {};
  }
  Status run(tpc_rt_rank_t &, const std::function<int32_t()> &body,
             int32_t &code) override {
    code = body();
    return {};
  }

  Status matmul(const tpc_rt_matmul_t &desc, const void *a, const void *b,
                void *c, void *bias, void *aux, void *workspace) override {
    std::string batch;
    for (int32_t i = 0; i < desc.batch_rank; ++i)
      batch += text(i ? " x " : " batch ", desc.batch[i]);
    std::string rest;
    rest += flagNames(desc.flags);
    if (bias)
      rest += ", bias at " + script.str(bias);
    if (aux)
      rest += ", aux at " + script.str(aux);
    if (desc.workspace_bytes)
      rest +=
          text(", ", desc.workspace_bytes, " bytes at ", script.str(workspace));
    script.line("compute: matmul ", dtypeName(static_cast<DType>(desc.dtype)),
                " ", desc.m, " x ", desc.n, " x ", desc.k, batch, ": ",
                script.str(a), ", ", script.str(b),
                desc.accumulate ? " added to " : " -> ", script.str(c), rest);
    return {};
  }
  Status attention(const tpc_rt_attention_t &desc, const void *const *inputs,
                   void *const *outputs) override {
    std::string memory;
    for (int32_t i = 0; i < (desc.gradient ? 6 : 3); ++i)
      memory += (i ? ", " : ": ") + script.str(inputs[i]);
    for (int32_t i = 0; i < (desc.gradient ? 3 : 2); ++i)
      memory += (i ? ", " : " -> ") + script.str(outputs[i]);
    script.line("compute: attention", desc.gradient ? " gradient " : " ",
                dtypeName(static_cast<DType>(desc.dtype)), memory);
    return {};
  }
  Status launch(tpc_rt_kernel_t, int64_t extent, int64_t cost,
                void *const *) override {
    script.line("compute: kernel of the cpu, extent ", extent, ", cost ", cost);
    return {};
  }
  Status record(int32_t event, int32_t stream) override {
    script.line(streamName(stream), ": record event ", event);
    return {};
  }
  Status wait(int32_t stream, int32_t event) override {
    script.line(streamName(stream), ": wait for event ", event);
    return {};
  }
  Status kernel(int32_t index, const int64_t *args) override {
    if (index < 0 || index >= static_cast<int32_t>(manifest.kernels.size()))
      return fail(TPC_RT_INVALID_ARGUMENT, "expected a kernel below ",
                  manifest.kernels.size(), ", got ", index);
    const DeviceKernel &kernel = manifest.kernels[index];
    std::string memory;
    for (int32_t i = 0; i < kernel.parameters; ++i) {
      // A scalar has only its first bytes set.
      std::string name = script.find(reinterpret_cast<const void *>(args[i]));
      memory += (i ? ", " : ": ") + (name.empty() ? "scalar" : name);
    }
    script.line("compute: kernel ", kernel.label, " grid ",
                extentText(kernel.grid), " block ", extentText(kernel.block),
                memory);
    return {};
  }
  void *constant(int32_t index) override {
    if (index < 0 || index >= static_cast<int32_t>(manifest.constants.size()))
      return nullptr;
    constants.resize(manifest.constants.size());
    const DataSymbol &data = manifest.constants[index];
    // An address is all that compiled code asks for.
    if (!constants[index] &&
        !script.reserve(data.symbol, data.bytes, constants[index]).ok())
      return nullptr;
    return constants[index].get();
  }
  Status read(const void *source, void *target, int64_t bytes) override {
    script.line("compute: read ", bytes, " bytes of ", script.str(source),
                " on the host");
    std::memset(target, 0, bytes);
    return {};
  }
  void share(int64_t,
             const std::function<void(int64_t, int64_t)> &body) override {
    body(0, 1);
  }

private:
  Script &script;
  const Manifest &manifest;
  std::vector<std::shared_ptr<void>> constants;
};

class PrintingCommunicator final : public Communicator {
public:
  PrintingCommunicator(Script &script, const Manifest &manifest)
      : script(script), manifest(manifest) {}

  Status prepare(const Manifest &,
                 std::unique_ptr<CollectiveSet> &set) override {
    set = std::make_unique<CollectiveSet>();
    return {};
  }
  Status beginRun() override { return {}; }
  Status agree(tpc_rt_rank_t &, const std::string &) override { return {}; }
  Status run(tpc_rt_rank_t &, int32_t stream, CollectiveSet &, int32_t index,
             const void *const *inputs, void *const *outputs) override {
    const Collective &collective = manifest.collectives[index];
    int64_t bytes = 0;
    std::string parts;
    for (size_t i = 0; i < collective.parts.size(); ++i) {
      const Part &part = collective.parts[i];
      bytes += resultVolume(manifest.mesh, part) * dtypeSize(part.dtype);
      parts += text(i ? ", " : ": ", script.str(inputs[i]), " -> ",
                    script.str(outputs[i]));
    }
    script.line(streamName(stream), ": ", collective.label, " ", bytes,
                " bytes", parts);
    return {};
  }

private:
  Script &script;
  const Manifest &manifest;
};

class PrintingPlatform final : public Platform {
public:
  PrintingPlatform(Script &script, const Manifest &manifest)
      : script(script), manifest(manifest) {}
  Status createDevice(int32_t, DeviceHooks,
                      std::unique_ptr<Device> &device) override {
    device = std::make_unique<PrintingDevice>(script, manifest);
    return {};
  }
  Status createCommunicator(const std::string &, World &,
                            std::unique_ptr<Communicator> &comm) override {
    comm = std::make_unique<PrintingCommunicator>(script, manifest);
    return {};
  }

private:
  Script &script;
  const Manifest &manifest;
};

/// Gives every tensor an address, and says what it is.
Status reserveBuffers(const Function &function, Script &script,
                      Call::RankBuffers &buffers) {
  auto reserve = [&](const Value &value, const char *kind,
                     void *&pointer) -> Status {
    std::shared_ptr<void> memory;
    std::string name = text('"', value.name, '"');
    if (Status status = script.reserve(name, value.localBytes, memory))
      return status;
    script.line(kind, " ", name, " ", dtypeName(value.dtype), " ",
                listText(value.localShape), " ", value.localBytes, " bytes");
    pointer = memory.get();
    buffers.owned.push_back(std::move(memory));
    return {};
  };
  void *pointer = nullptr;
  for (const Value &value : function.arguments) {
    if (Status status = reserve(value, "argument", pointer))
      return status;
    buffers.arguments.push_back(pointer);
  }
  for (const Value &value : function.results) {
    if (Status status = reserve(value, "result", pointer))
      return status;
    buffers.results.push_back(pointer);
  }
  std::shared_ptr<void> memory;
  if (Status status =
          script.reserve("workspace", function.workspaceBytes, memory))
    return status;
  script.line("workspace ", function.workspaceBytes, " bytes");
  buffers.workspace = memory.get();
  buffers.owned.push_back(std::move(memory));
  return {};
}

Status dryRun(const std::shared_ptr<Module> &module, int32_t number,
              int32_t rankIndex,
              const std::function<void(const std::string &)> &write) {
  const Manifest &manifest = module->manifest;
  if (number < 0 || number >= static_cast<int32_t>(manifest.functions.size()))
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a function below ",
                manifest.functions.size(), ", got ", number);
  int32_t ranks = manifest.mesh.numRanks();
  if (rankIndex < 0 || rankIndex >= ranks)
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a rank below ", ranks,
                ", got ", rankIndex);
  Script script(write);
  World::Options options;
  options.ranks = ranks;
  options.ownRank = rankIndex;
  auto world = std::make_shared<World>(options);
  if (Status status =
          world->openOn(std::make_unique<PrintingPlatform>(script, manifest)))
    return status;
  const Function &function = manifest.functions[number];
  script.line("function \"", function.name, "\" on rank ", rankIndex, " of ",
              ranks, " (mesh ", manifest.meshText, "), target ",
              targetName(manifest.target));
  Call call;
  call.module = module;
  call.function = number;
  call.buffers.resize(ranks);
  Call::RankBuffers &buffers = call.buffers[rankIndex];
  if (Status status = reserveBuffers(function, script, buffers))
    return status;
  if (Status status = world->communicator().prepare(manifest, call.collectives))
    return status;
  if (manifest.target == Target::Cuda)
    script.line(function.readsOnHost
                    ? "not recorded as a graph: it reads elements on the host"
                    : "recorded as a graph in the second run");
  tpc_rt_rank_t &rank = world->rank(rankIndex);
  rank.call = &call;
  rank.coordinates = manifest.mesh.coordinates(rankIndex);
  int32_t code =
      module->entries[number](&rank, buffers.arguments.data(),
                              buffers.results.data(), buffers.workspace);
  if (code == 0)
    return {};
  // What an entry point has said is more than the code.
  Status first = world->firstFailure();
  return first ? std::move(first) : call.failedOn(rankIndex, codeText(code));
}

} // namespace

} // namespace tpc::rt

using namespace tpc::rt;

extern "C" tpc_rt_status_t *
tpc_rt_module_dry_run(tpc_rt_module_t *module, int32_t function, int32_t rank,
                      tpc_rt_write_t write, void *user) {
  return guard([&] {
    return dryRun(module->object, function, rank,
                  [&](const std::string &line) { write(user, line.c_str()); });
  });
}
