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
                  4 * 4 + 8 * (3 + 6 + 3 * 8) + 2 * 4 + 2 * 8,
              "the layout compiled code writes");

static_assert(sizeof(tpc_rt_attention_t) == 4 * 4 + 8 * (5 + 1 + 8 * 4),
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

/// Runs the body of an entry point, or what one has left to a stream, with its
/// time kept when asked for.
template <typename Body>
int32_t enter(tpc_rt_rank_t &rank, const char *category,
              const std::string &name, Body &&body,
              int32_t stream = TPC_RT_COMPUTE) {
  rank.progress.fetch_add(1, std::memory_order_relaxed);
  if (rank.world->hasFailed())
    return TPC_RT_RANK_FAILED;
  try {
    if (!rank.world->profiles())
      return finish(rank, body());
    Clock::time_point begin = Clock::now();
    Status status = body();
    rank.streams[stream].trace.push_back({category, name, begin, Clock::now()});
    return finish(rank, std::move(status));
  } catch (const std::exception &error) {
    return finish(
        rank, fail(TPC_RT_INTERNAL, "rank ", rank.index, ": ", error.what()));
  }
}

Status checkNumber(const tpc_rt_rank_t &rank, const char *what, int32_t number,
                   size_t count) {
  if (number >= 0 && number < static_cast<int64_t>(count))
    return {};
  return fail(TPC_RT_INVALID_ARGUMENT, "rank ", rank.index, ": expected ", what,
              " below ", count, ", got ", number);
}

Status checkEvent(const tpc_rt_rank_t &rank, int32_t event, int32_t stream) {
  if (Status status = checkNumber(rank, "a stream", stream, TPC_RT_STREAMS))
    return status;
  return checkNumber(rank, "an event", event, rank.call->signature().events);
}

/// Does a collective, on the thread that does the work of its stream.
int32_t runCollective(tpc_rt_rank_t &rank, int32_t stream, int32_t index,
                      const void *const *inputs, void *const *outputs) {
  const Collective &collective = rank.call->module->manifest.collectives[index];
  // Streams of their own have the events of one; others are the rank's thread.
  int32_t row = rank.device->defers(stream) ? stream : TPC_RT_COMPUTE;
  return enter(
      rank, "collective", collective.label,
      [&] {
        std::atomic<int32_t> &current = rank.streams[row].collective;
        current.store(index, std::memory_order_release);
        Status status = rank.world->communicator().run(
            rank, stream, *rank.call->collectives, index, inputs, outputs);
        current.store(-1, std::memory_order_release);
        return status;
      },
      row);
}

} // namespace

} // namespace tpc::rt

using namespace tpc::rt;

extern "C" {

int32_t tpc_rt_collective(tpc_rt_rank_t *rank, int32_t stream, int32_t index,
                          int32_t count, const void *const *inputs,
                          void *const *outputs) {
  const auto &collectives = rank->call->module->manifest.collectives;
  static const std::string name = "collective";
  Status status = checkNumber(*rank, "a stream", stream, TPC_RT_STREAMS);
  if (!status)
    status = checkNumber(*rank, "a collective", index, collectives.size());
  if (!status && count != static_cast<int64_t>(collectives[index].parts.size()))
    status = fail(TPC_RT_INVALID_ARGUMENT, "rank ", rank->index, ": ",
                  collectives[index].label, ": expected ",
                  collectives[index].parts.size(), " parts, got ", count);
  if (status)
    return enter(*rank, "collective", name, [&] { return std::move(status); });
  rank->lastCollective.store(index, std::memory_order_release);
  if (!rank->device->defers(stream))
    return runCollective(*rank, stream, index, inputs, outputs);
  return enter(*rank, "enqueue", collectives[index].label, [&]() -> Status {
    // The pointers are the caller's, who goes on.
    rank->device->enqueue(
        stream, [rank, stream, index,
                 in = std::vector<const void *>(inputs, inputs + count),
                 out = std::vector<void *>(outputs, outputs + count)] {
          runCollective(*rank, stream, index, in.data(), out.data());
        });
    return {};
  });
}

int32_t tpc_rt_matmul(tpc_rt_rank_t *rank, const tpc_rt_matmul_t *desc,
                      const void *a, const void *b, void *c, void *bias,
                      void *aux, void *workspace) {
  static const std::string name = "matmul";
  return enter(*rank, "matmul", name, [&]() -> Status {
    if (Status status =
            rank->device->matmul(*desc, a, b, c, bias, aux, workspace))
      return fail(status.code(), "rank ", rank->index,
                  ": matmul: ", status.message());
    return {};
  });
}

int32_t tpc_rt_attention(tpc_rt_rank_t *rank, const tpc_rt_attention_t *desc,
                         const void *const *inputs, void *const *outputs) {
  static const std::string name = "attention";
  return enter(*rank, "attention", name, [&]() -> Status {
    if (Status status = rank->device->attention(*desc, inputs, outputs))
      return fail(status.code(), "rank ", rank->index,
                  ": attention: ", status.message());
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
  return enter(*rank, "event", name, [&]() -> Status {
    if (Status status = checkEvent(*rank, event, stream))
      return status;
    return rank->device->record(event, stream);
  });
}

int32_t tpc_rt_wait(tpc_rt_rank_t *rank, int32_t stream, int32_t event) {
  static const std::string name = "wait";
  return enter(*rank, "event", name, [&]() -> Status {
    if (Status status = checkEvent(*rank, event, stream))
      return status;
    return rank->device->wait(stream, event);
  });
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
