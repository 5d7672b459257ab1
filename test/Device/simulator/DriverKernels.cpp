// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's entry points for modules and kernels. A module is a host image;
// what a kernel says it touches is checked byte by byte and then noted as runs.
#include "Simulator.h"
#include <cstring>
#include <sstream>

using namespace tpc::sim;

namespace {

/// What one kernel touched of an allocation.
struct Touched {
  Allocation *allocation; // whose marks hold the kinds, by byte
  int64_t begin;
  int64_t end;
};

class KernelAccesses {
public:
  explicit KernelAccesses(const ActorPtr &actor) : actor(actor) {}

  bool touch(const void *address, int64_t bytes, int32_t kind,
             const Place &place) {
    auto at = reinterpret_cast<uintptr_t>(address);
    if (at % bytes != 0) {
      Simulator::get().findings.add(actor->text + " touches " +
                                    std::to_string(bytes) +
                                    " bytes at an address that is no multiple");
      return false;
    }
    Touched *touched = find(address);
    if (!touched)
      return false;
    int64_t begin =
        static_cast<const char *>(address) - touched->allocation->data;
    if (begin < 0 || begin + bytes > touched->allocation->bytes)
      return refuse(address, bytes, kind);
    for (int64_t i = begin; i < begin + bytes; ++i)
      touched->allocation->marks[i] |= static_cast<uint8_t>(kind);
    if (!(kind & TPC_SIM_ATOMIC) && !inOrder(*touched->allocation, begin, bytes,
                                             kind & TPC_SIM_WRITE, place))
      return false;
    touched->begin = std::min(touched->begin, begin);
    touched->end = std::max(touched->end, begin + bytes);
    return true;
  }

  /// Notes it all in the memory's history.
  void note() {
    Memory &memory = Simulator::get().memory;
    for (Touched &touched : all)
      for (int64_t at = touched.begin; at < touched.end;) {
        std::vector<uint8_t> &marks = touched.allocation->marks;
        int64_t from = at;
        uint8_t kind = marks[from];
        for (; at < touched.end && marks[at] == kind; ++at)
          marks[at] = 0;
        if (kind)
          memory.access(actor, touched.allocation->data + from, at - from,
                        kind);
      }
  }

private:
  /// Whether no other thread has touched the bytes, one of the two writing,
  /// without a barrier between: threads of other blocks have none.
  bool inOrder(Allocation &allocation, int64_t begin, int64_t bytes, bool write,
               const Place &place) {
    // Bytes that are aligned to their number lie in one page.
    std::unique_ptr<Trace[]> &page = allocation.pages[begin / kPageBytes];
    if (!page)
      page.reset(new Trace[kPageBytes]);
    auto isOther = [&](const Toucher &toucher) {
      return toucher.block != Toucher::kNobody &&
             (toucher.block != place.block ||
              (toucher.phase == place.phase && toucher.thread != place.thread));
    };
    Toucher self = {place.block, place.thread, place.phase};
    Trace *trace = &page[begin % kPageBytes];
    for (Trace *end = trace + bytes; trace != end; ++trace) {
      if (trace->launch != launch)
        *trace = {launch, {}, {}};
      if (isOther(trace->writer) || (write && isOther(trace->reader)))
        return report(allocation, begin, write, place, *trace);
      if (write) {
        trace->writer = self;
        continue;
      }
      Toucher &reader = trace->reader;
      if (reader.block == Toucher::kNobody ||
          (reader.block == place.block && reader.phase != place.phase))
        reader = self;
      else if (reader.block != place.block)
        reader.block = Toucher::kSeveral;
      else if (reader.thread != place.thread)
        reader.thread = -1;
    }
    return true;
  }

  bool report(const Allocation &allocation, int64_t at, bool write,
              const Place &place, const Trace &trace) {
    const Toucher &writer = trace.writer;
    bool wrote = writer.block != Toucher::kNobody &&
                 (writer.block != place.block || writer.thread != place.thread);
    const Toucher &other = wrote ? writer : trace.reader;
    std::ostringstream text;
    text << actor->text << ", block " << place.block << ", thread "
         << place.thread << (write ? " writes" : " reads") << " byte " << at
         << " of " << Memory::describe(allocation) << ", which ";
    if (other.block == Toucher::kSeveral)
      text << "other blocks";
    else if (other.thread < 0)
      text << "other threads";
    else
      text << "block " << other.block << ", thread " << other.thread;
    text << (wrote ? " wrote" : " read") << " with no barrier between";
    Simulator::get().findings.add(text.str());
    return false;
  }

  Touched *find(const void *address) {
    for (Touched &touched : all) {
      auto *at = static_cast<const char *>(address);
      if (at >= touched.allocation->data &&
          at < touched.allocation->data + touched.allocation->bytes)
        return &touched;
    }
    Allocation *allocation = Simulator::get().memory.find(address);
    if (!allocation || allocation->freed) {
      refuse(address, 1, TPC_SIM_READ);
      return nullptr;
    }
    allocation->marks.resize(allocation->bytes, 0);
    allocation->pages.resize(allocation->bytes / kPageBytes + 1);
    all.push_back({allocation, allocation->bytes, 0});
    return &all.back();
  }

  /// The memory says what is wrong with it.
  bool refuse(const void *address, int64_t bytes, int32_t kind) {
    Simulator::get().memory.access(actor, address, bytes, kind);
    return false;
  }

  const ActorPtr &actor;
  const int32_t launch = ++numLaunches;
  std::deque<Touched> all;
  static int32_t numLaunches;
};

int32_t KernelAccesses::numLaunches = 0;

bool isPointer(char access) { return access != 's' && access != '+'; }

struct Launch {
  std::shared_ptr<const Module> module; // what is loaded goes with its launches
  Function *function;
  int64_t grid;
  int64_t block;
  int64_t sharedBytes;
  std::vector<int64_t> values;
};

void run(Launch launch, const ActorPtr &actor, int32_t device) {
  Simulator &sim = Simulator::get();
  for (auto [fault, code] :
       {std::make_pair("sticky", CUDA_ERROR_ILLEGAL_ADDRESS),
        std::make_pair("uncorrectable", CUDA_ERROR_ECC_UNCORRECTABLE)})
    if (sim.strikes(fault, device)) {
      sim.sticky[device] = code;
      return;
    }
  std::vector<void *> params;
  for (int64_t &value : launch.values)
    params.push_back(&value);
  const tpc_sim_entry &entry = *launch.function->entry;
  KernelAccesses accesses(actor);
  // Of a kernel that does not say what it touches, where its pointers point is
  // all that is known.
  bool valid = true;
  for (size_t i = 0; !entry.touches && i < launch.values.size(); ++i)
    if (isPointer(entry.access[i]))
      valid &= sim.memory.access(
          actor, reinterpret_cast<void *>(launch.values[i]), 1,
          entry.access[i] == 'r' ? TPC_SIM_READ : TPC_SIM_WRITE);
  std::string failure;
  if (valid)
    failure = runKernel({entry.name, entry.run, params.data(), launch.grid,
                         launch.block, launch.sharedBytes},
                        sim.options.order,
                        [&](const void *address, int64_t bytes, int32_t kind,
                            const Place &place) {
                          return accesses.touch(address, bytes, kind, place);
                        });
  accesses.note();
  if (!entry.touches)
    sim.memory.checkGuards(actor->text);
  if (failure.empty() && valid)
    return;
  if (!failure.empty())
    sim.findings.add(actor->text + ": " + failure);
  sim.sticky[device] = CUDA_ERROR_LAUNCH_FAILED;
}

} // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule *handle, const void *data) {
  Call call("cuModuleLoadData");
  if (CUresult error = call.refused())
    return error;
  if (call.breaksCapture())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (memcmp(data, TPC_SIM_MAGIC, sizeof TPC_SIM_MAGIC) != 0)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  auto *image = static_cast<tpc_sim_image *>(const_cast<void *>(data));
  image->api = kernelApi();
  auto *entries = reinterpret_cast<const tpc_sim_entry *>(image + 1);
  auto module = std::make_shared<Module>();
  for (int64_t i = 0; i < image->count; ++i) {
    auto function = std::make_unique<Function>();
    function->name = entries[i].name;
    function->entry = &entries[i];
    module->functions.push_back(std::move(function));
  }
  *handle = newHandle<CUmodule>(call.sim);
  call.sim.modules[*handle] = std::move(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *handle, const void *data, unsigned,
                            CUjit_option *, void **) {
  return cuModuleLoadData(handle, data);
}

CUresult cuModuleUnload(CUmodule handle) {
  Call call("cuModuleUnload");
  if (call.breaksCapture())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  auto it = call.sim.modules.find(handle);
  if (it == call.sim.modules.end())
    return CUDA_ERROR_INVALID_HANDLE;
  for (auto at = call.sim.functions.begin(); at != call.sim.functions.end();) {
    bool mine = false;
    for (auto &function : it->second->functions)
      mine |= function.get() == at->second;
    at = mine ? call.sim.functions.erase(at) : std::next(at);
  }
  call.sim.modules.erase(it);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *handle, CUmodule module,
                             const char *name) {
  Call call("cuModuleGetFunction");
  call.with("kernel", std::string(name));
  auto it = call.sim.modules.find(module);
  if (it == call.sim.modules.end())
    return CUDA_ERROR_INVALID_HANDLE;
  for (auto &function : it->second->functions)
    if (function->name == name) {
      *handle = newHandle<CUfunction>(call.sim);
      call.sim.functions[*handle] = function.get();
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                            int value) {
  Call call("cuFuncSetAttribute");
  auto it = call.sim.functions.find(handle);
  if (it == call.sim.functions.end())
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || value > call.sim.options.shared)
      return CUDA_ERROR_INVALID_VALUE;
    it->second->sharedLimit = value;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute, CUfunction) {
  *value = 0;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction handle, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes,
                        CUstream streamHandle, void **params, void **extra) {
  Call call("cuLaunchKernel");
  if (CUresult error = call.refused())
    return error;
  auto it = call.sim.functions.find(handle);
  StreamPtr stream = call.stream(streamHandle);
  if (!stream || it == call.sim.functions.end())
    return CUDA_ERROR_INVALID_HANDLE;
  Function &function = *it->second;
  call.with("kernel", function.name)
      .with("grid", int64_t(gridX))
      .with("block", int64_t(blockX));
  if (gridX == 0 || gridY != 1 || gridZ != 1 || blockX == 0 || blockX > 1024 ||
      blockY != 1 || blockZ != 1 || extra ||
      sharedBytes > function.sharedLimit) {
    call.found("launches " + function.name +
               " with a grid, block or shared memory that it may not have");
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (call.sim.strikes("launch", stream->device))
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (stream->capture && call.sim.strikes("capture-sync", stream->device))
    call.breaksCapture(*stream);
  std::shared_ptr<const Module> module;
  for (auto &[handle, loaded] : call.sim.modules)
    for (auto &candidate : loaded->functions)
      if (candidate.get() == &function)
        module = loaded;
  Launch launch = {module, &function, gridX, blockX, sharedBytes, {}};
  const char *from = nullptr;
  for (const char *access = function.entry->access; *access; ++access) {
    from = *access == '+' ? from + sizeof(int64_t)
                          : static_cast<const char *>(*params++);
    launch.values.emplace_back();
    memcpy(&launch.values.back(), from, sizeof(int64_t));
  }
  int32_t device = stream->device;
  call.enqueue(stream, "kernel " + function.name, [launch, device]() -> Step {
    Simulator &sim = Simulator::get();
    sim.hasEndlessWork |= sim.strikes("endless", device);
    bool isEndless = sim.hasEndlessWork;
    return [=](const ActorPtr &actor) {
      if (isEndless)
        return Progress::Waiting;
      run(launch, actor, device);
      return Progress::Done;
    };
  });
  if (call.sim.strikes("early-free", device))
    for (size_t i = 0; i < launch.values.size(); ++i)
      if (isPointer(function.entry->access[i]))
        if (Allocation *allocation = call.sim.memory.find(
                reinterpret_cast<void *>(launch.values[i]))) {
          call.sim.memory.release(allocation->data,
                                  call.sim.engine.hostActor("a fault"));
          break;
        }
  return CUDA_SUCCESS;
}

} // extern "C"
