// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function with its buffers: gives global tensors out to the ranks and
// collects them again.

#include "file.h"
#include "host_view.h"
#include "kernels.h"
#include "results.h"
#include "world.h"
#include <algorithm>

struct tpc_rt_call_t : tpc::rt::Handle<tpc::rt::Call> {};

namespace tpc::rt {

/// What a rank needs, largest first, for whoever has to make room for it.
static std::string memoryText(const Function &function) {
  std::vector<std::pair<int64_t, std::string>> items;
  int64_t arguments = 0, results = 0;
  auto add = [&](const Value &value, const char *kind, int64_t &sum) {
    sum += value.localBytes;
    items.emplace_back(value.localBytes, text(kind, " \"", value.name, "\" ",
                                              dtypeName(value.dtype), " ",
                                              listText(value.localShape)));
  };
  for (const Value &value : function.arguments)
    add(value, "argument", arguments);
  for (const Value &value : function.results)
    add(value, "result", results);
  items.emplace_back(function.workspaceBytes, "the workspace");
  std::sort(items.begin(), items.end(), [](auto &a, auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string list;
  for (size_t i = 0; i < items.size() && i < 3; ++i)
    list += text(i ? ", " : "", items[i].second, " with ", items[i].first,
                 " bytes");
  return text("function \"", function.name, "\" needs ",
              arguments + results + function.workspaceBytes,
              " bytes per rank, ", arguments, " for arguments, ", results,
              " for results and ", function.workspaceBytes,
              " of workspace; the largest are ", list);
}

static Status allocateBuffers(Call &call, int32_t rank) {
  const Function &signature = call.signature();
  Device &device = *call.world->rank(rank).device;
  Call::RankBuffers &buffers = call.buffers[rank];
  if (Status status = device.prepare(call.module, signature, buffers.device))
    return status;
  auto allocate = [&](const Value &value, auto &pointers) -> Status {
    std::shared_ptr<void> memory;
    if (Status status = device.allocate(value.localBytes, memory))
      return status;
    pointers.push_back(memory.get());
    buffers.owned.push_back(std::move(memory));
    return {};
  };
  for (const Value &value : signature.arguments)
    if (Status status = allocate(value, buffers.arguments))
      return status;
  for (const Value &value : signature.results)
    if (Status status = allocate(value, buffers.results))
      return status;
  std::shared_ptr<void> workspace;
  if (Status status = call.world->communicator().allocateWorkspace(
          device, signature.workspaceBytes, workspace))
    return status;
  buffers.workspace = workspace.get();
  buffers.owned.push_back(std::move(workspace));
  return {};
}

static Status createCall(const std::shared_ptr<World> &world,
                         const std::shared_ptr<Module> &module,
                         int32_t function, tpc_rt_call_t **out) {
  const Manifest &manifest = module->manifest;
  if (function < 0 ||
      function >= static_cast<int32_t>(manifest.functions.size()))
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a function below ",
                manifest.functions.size(), ", got ", function);
  if (manifest.mesh.numRanks() != world->numRanks())
    return fail(TPC_RT_INVALID_ARGUMENT, "the artifact is compiled for ",
                manifest.mesh.numRanks(), " ranks (mesh ", manifest.meshText,
                "), the world has ", world->numRanks());
  if (targetName(manifest.target) != world->device())
    return fail(TPC_RT_INVALID_ARGUMENT, "the artifact is compiled for ",
                targetName(manifest.target), ", the world's device is ",
                world->device());
  auto call = std::make_shared<Call>();
  call->world = world;
  call->module = module;
  call->function = function;
  if (Peers *peers = world->peers())
    if (Status status = peers->agree("programs", call->programText()))
      return status;
  if (Status status =
          world->communicator().prepare(manifest, call->collectives))
    return status;
  call->buffers.resize(world->numRanks());
  for (int32_t rank : call->ownRanks()) {
    Status status = allocateBuffers(*call, rank);
    if (status.code() == TPC_RT_OUT_OF_MEMORY)
      return Status(TPC_RT_OUT_OF_MEMORY,
                    text("rank ", rank, ": ", status.message(), "; ",
                         memoryText(call->signature())),
                    rank);
    if (status) {
      if (status.rank() < 0)
        status.setRank(rank);
      return status;
    }
  }
  *out = makeHandle<tpc_rt_call_t>(std::move(call));
  return {};
}

/// The buffer of an argument; compiled code sees it as constant.
static void *argumentBuffer(const Call &call, int32_t rank, int32_t index) {
  return const_cast<void *>(call.buffers[rank].arguments[index]);
}

static Status checkArgument(const Call &call, int32_t index,
                            std::optional<DType> dtype,
                            const std::string &dtypeText, const Shape &shape) {
  const Function &signature = call.signature();
  if (index < 0 || index >= static_cast<int32_t>(signature.arguments.size()))
    return fail(TPC_RT_INVALID_ARGUMENT, "expected an argument below ",
                signature.arguments.size(), ", got ", index);
  const Value &value = signature.arguments[index];
  if (dtype != value.dtype)
    return fail(TPC_RT_INVALID_ARGUMENT, "argument \"", value.name,
                "\": expected element type ", dtypeName(value.dtype), ", got ",
                dtype ? dtypeName(*dtype) : dtypeText);
  if (shape != value.shape)
    return fail(TPC_RT_INVALID_ARGUMENT, "argument \"", value.name,
                "\": expected shape ", listText(value.shape), ", got ",
                listText(shape));
  return {};
}

/// What a rank's buffer needs of the global value.
static Status planScatter(const Call &call, const Value &value, int32_t rank,
                          PartPlan &plan) {
  Part part{value.dtype, value.shape, Placement(), value.placement};
  return planPart(call.module->manifest.mesh, {}, part, rank, /*share=*/false,
                  plan);
}

/// Files may hold any byte for a boolean; compiled code expects 0 or 1.
static void normaliseBooleans(const Value &value, void *buffer) {
  if (value.dtype != DType::I1)
    return;
  auto *bytes = static_cast<uint8_t *>(buffer);
  for (int64_t i = 0; i < value.localBytes; ++i)
    bytes[i] = bytes[i] != 0;
}

static Status setArgument(Call &call, int32_t index,
                          const tpc_rt_tensor_t &tensor) {
  if (Status status =
          checkArgument(call, index, tensor.dtype, "", tensor.shape))
    return status;
  const Value &value = call.signature().arguments[index];
  std::vector<const void *> sources(call.buffers.size(), tensor.data.get());
  for (int32_t rank : call.ownRanks()) {
    PartPlan plan;
    if (Status status = planScatter(call, value, rank, plan))
      return status;
    HostView view(*call.world->rank(rank).device,
                  argumentBuffer(call, rank, index), value.localBytes);
    void *buffer = view.data();
    std::memset(buffer, 0, value.localBytes);
    for (const Transfer &fill : plan.fills)
      runFill(plan.dtype, plan.reduction, fill, buffer);
    for (const Transfer &transfer : plan.first)
      runTransfer(plan.dtype, plan.reduction, transfer, buffer, sources.data(),
                  0, 1);
    normaliseBooleans(value, buffer);
    if (Status status = view.store())
      return status;
  }
  return {};
}

static Status readArgument(Call &call, int32_t index, const TensorFile &file,
                           int32_t number) {
  if (number < 0 || number >= static_cast<int32_t>(file.entries.size()))
    return fail(TPC_RT_INVALID_ARGUMENT, "expected an entry below ",
                file.entries.size(), ", got ", number);
  const FileEntry &entry = file.entries[number];
  if (Status status =
          checkArgument(call, index, entry.dtype, entry.dtypeText, entry.shape))
    return fail(status.code(), "\"", file.input.path(),
                "\": ", status.message());
  const Value &value = call.signature().arguments[index];
  const Mesh &mesh = call.module->manifest.mesh;
  std::vector<Box> boxes;
  std::vector<bool> isFilled;
  const int32_t first = call.world->firstRank();
  for (int32_t rank : call.ownRanks()) {
    PartPlan plan;
    if (Status status = planScatter(call, value, rank, plan))
      return status;
    HostView view(*call.world->rank(rank).device,
                  argumentBuffer(call, rank, index), value.localBytes);
    void *buffer = view.data();
    std::memset(buffer, 0, value.localBytes);
    for (const Transfer &fill : plan.fills)
      runFill(plan.dtype, plan.reduction, fill, buffer);
    Box box = boxOf(mesh, value.placement, value.shape, mesh.coordinates(rank));
    isFilled.push_back(!plan.first.empty());
    // A replica of what an earlier rank has read is copied from there.
    int32_t twin = first;
    while (twin < rank && !(isFilled[twin - first] &&
                            boxes[twin - first].offset == box.offset &&
                            boxes[twin - first].extent == box.extent))
      ++twin;
    boxes.push_back(box);
    if (!plan.first.empty()) {
      Device &other = *call.world->rank(twin).device;
      if (Status status =
              twin < rank
                  ? other.download(buffer, argumentBuffer(call, twin, index),
                                   value.localBytes)
                  : file.readBox(entry, box, value.localShape, buffer))
        return status;
      normaliseBooleans(value, buffer);
    }
    if (Status status = view.store())
      return status;
  }
  return {};
}

} // namespace tpc::rt

using namespace tpc::rt;

extern "C" {

tpc_rt_status_t *tpc_rt_call_create(tpc_rt_world_t *world,
                                    tpc_rt_module_t *module, int32_t function,
                                    tpc_rt_call_t **out_call) {
  *out_call = nullptr;
  return guard([&] {
    return createCall(world->object, module->object, function, out_call);
  });
}

void tpc_rt_call_retain(tpc_rt_call_t *call) { retainHandle(call); }
void tpc_rt_call_release(tpc_rt_call_t *call) { releaseHandle(call); }

tpc_rt_status_t *tpc_rt_call_set_argument(tpc_rt_call_t *call, int32_t index,
                                          tpc_rt_tensor_t *tensor) {
  return guard([&] { return setArgument(*call->object, index, *tensor); });
}

tpc_rt_status_t *tpc_rt_call_read_argument(tpc_rt_call_t *call, int32_t index,
                                           tpc_rt_file_t *file, int32_t entry) {
  return guard(
      [&] { return readArgument(*call->object, index, file->file, entry); });
}

tpc_rt_status_t *tpc_rt_call_run(tpc_rt_call_t *call) {
  return guard([&] { return call->object->world->run(call->object); });
}

tpc_rt_status_t *tpc_rt_call_get_result(tpc_rt_call_t *call, int32_t index,
                                        tpc_rt_tensor_t **out_tensor) {
  *out_tensor = nullptr;
  return guard([&] {
    std::unique_ptr<tpc_rt_tensor_t> tensor;
    Status status = joinResult(*call->object, index, tensor);
    if (!status)
      *out_tensor = tensor.release();
    return status;
  });
}

tpc_rt_status_t *tpc_rt_call_check_replicas(tpc_rt_call_t *call,
                                            int32_t index) {
  return guard([&] { return checkReplicas(*call->object, index); });
}

void *tpc_rt_call_argument_buffer(tpc_rt_call_t *call, int32_t rank,
                                  int32_t index) {
  const Call &object = *call->object;
  bool exists =
      object.world->isOwn(rank) && index >= 0 &&
      index < static_cast<int32_t>(object.signature().arguments.size());
  return exists ? argumentBuffer(object, rank, index) : nullptr;
}

void *tpc_rt_call_result_buffer(tpc_rt_call_t *call, int32_t rank,
                                int32_t index) {
  const Call &object = *call->object;
  bool exists = object.world->isOwn(rank) && index >= 0 &&
                index < static_cast<int32_t>(object.signature().results.size());
  return exists ? object.buffers[rank].results[index] : nullptr;
}

} // extern "C"
