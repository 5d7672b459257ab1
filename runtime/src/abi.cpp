// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry points compiled code calls.

#include "world.h"
#include <type_traits>

namespace tpc::rt {

namespace {

enum Letter { I32, I64, PTR };

template <typename T> constexpr bool fits(Letter letter) {
  return letter == I32   ? std::is_same_v<T, int32_t>
         : letter == I64 ? std::is_same_v<T, int64_t>
                         : std::is_pointer_v<T>;
}

template <typename Result, typename... Parameters, typename... Letters>
constexpr bool agrees(Result (*)(Parameters...), Letter result,
                      Letters... letters) {
  if constexpr (sizeof...(Parameters) != sizeof...(Letters))
    return false;
  else
    return fits<Result>(result) && (fits<Parameters>(letters) && ...);
}

#define TPC_RT_ENTRY(name, ...)                                                \
  static_assert(agrees(&name, __VA_ARGS__), #name " differs from abi.def");
#define TPC_RT_FLAG(name, value)                                               \
  static_assert(TPC_RT_##name == value, #name " differs from abi.def");
#include "tpc_rt/abi.def"

static_assert(sizeof(tpc_rt_matmul_t) ==
                  4 * 4 + 8 * (3 + 6 + 3 * 8) + 2 * 4 + 8,
              "the layout compiled code writes");

/// Ends an entry point: a failure ends all ranks at once, and compiled code
/// hands the code up.
int32_t finish(tpc_rt_rank_t &rank, Status status) {
  if (status.ok())
    return 0;
  int32_t code = status.code();
  if (status.rank() < 0)
    status.setRank(rank.index);
  rank.world->reportFailure(std::move(status));
  return code;
}

/// Runs the body of an entry point, with its time kept when asked for.
template <typename Body>
int32_t enter(tpc_rt_rank_t &rank, const char *category,
              const std::string &name, Body &&body) {
  rank.progress.fetch_add(1, std::memory_order_relaxed);
  if (rank.world->hasFailed())
    return TPC_RT_RANK_FAILED;
  try {
    if (!rank.world->profiles())
      return finish(rank, body());
    Clock::time_point begin = Clock::now();
    Status status = body();
    rank.trace.push_back({category, name, begin, Clock::now()});
    return finish(rank, std::move(status));
  } catch (const std::exception &error) {
    return finish(
        rank, fail(TPC_RT_INTERNAL, "rank ", rank.index, ": ", error.what()));
  }
}

} // namespace

} // namespace tpc::rt

using namespace tpc::rt;

extern "C" {

int32_t tpc_rt_collective(tpc_rt_rank_t *rank, int32_t stream, int32_t index,
                          int32_t count, const void *const *inputs,
                          void *const *outputs) {
  const auto &collectives = rank->call->module->manifest.collectives;
  static const std::string unknown = "collective";
  bool exists = index >= 0 && index < static_cast<int32_t>(collectives.size());
  return enter(*rank, "collective", exists ? collectives[index].label : unknown,
               [&]() -> Status {
                 if (!exists)
                   return fail(TPC_RT_INVALID_ARGUMENT, "rank ", rank->index,
                               ": expected a collective below ",
                               collectives.size(), ", got ", index);
                 int32_t expected =
                     static_cast<int32_t>(collectives[index].parts.size());
                 if (count != expected)
                   return fail(TPC_RT_INVALID_ARGUMENT, "rank ", rank->index,
                               ": ", collectives[index].label, ": expected ",
                               expected, " parts, got ", count);
                 rank->lastCollective.store(index, std::memory_order_release);
                 rank->inCollective.store(true, std::memory_order_release);
                 Status status = rank->world->communicator().run(
                     *rank, stream, *rank->call->collectives, index, inputs,
                     outputs);
                 rank->inCollective.store(false, std::memory_order_release);
                 return status;
               });
}

int32_t tpc_rt_matmul(tpc_rt_rank_t *rank, const tpc_rt_matmul_t *desc,
                      const void *a, const void *b, void *c, void *bias,
                      void *aux) {
  static const std::string name = "matmul";
  return enter(*rank, "matmul", name, [&]() -> Status {
    if (Status status = rank->device->matmul(*desc, a, b, c, bias, aux))
      return fail(status.code(), "rank ", rank->index,
                  ": matmul: ", status.message());
    return {};
  });
}

int32_t tpc_rt_launch(tpc_rt_rank_t *rank, tpc_rt_kernel_t fn, int64_t extent,
                      int64_t cost, void *const *args) {
  static const std::string name = "kernel";
  return enter(*rank, "kernel", name,
               [&] { return rank->device->launch(fn, extent, cost, args); });
}

int32_t tpc_rt_record(tpc_rt_rank_t *rank, int32_t event, int32_t stream) {
  static const std::string name = "record";
  return enter(*rank, "event", name,
               [&] { return rank->device->record(event, stream); });
}

int32_t tpc_rt_wait(tpc_rt_rank_t *rank, int32_t stream, int32_t event) {
  static const std::string name = "wait";
  return enter(*rank, "event", name,
               [&] { return rank->device->wait(stream, event); });
}

int32_t tpc_rt_kernel(tpc_rt_rank_t *rank, int32_t index, const int64_t *args) {
  static const std::string name = "kernel";
  return enter(*rank, "kernel", name,
               [&] { return rank->device->kernel(index, args); });
}

void *tpc_rt_constant(tpc_rt_rank_t *rank, int32_t index) {
  return rank->device->constant(index);
}

int32_t tpc_rt_read(tpc_rt_rank_t *rank, const void *source, void *target,
                    int64_t bytes) {
  static const std::string name = "read";
  return enter(*rank, "read", name,
               [&] { return rank->device->read(source, target, bytes); });
}

int64_t tpc_rt_coordinate(tpc_rt_rank_t *rank, int32_t axis) {
  bool exists =
      axis >= 0 && axis < static_cast<int32_t>(rank->coordinates.size());
  return exists ? rank->coordinates[axis] : 0;
}

} // extern "C"
