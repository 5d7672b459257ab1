// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what the ranks did, and when, for chrome://tracing or Perfetto.

#include "world.h"
#include <fstream>
#include <nlohmann/json.hpp>

namespace tpc::rt {

Status writeTrace(World &world, const std::string &path) {
  if (!world.profiles())
    return fail(TPC_RT_INVALID_ARGUMENT,
                "the world was created without profile");
  using Json = nlohmann::ordered_json;
  Json events = Json::array();
  Clock::time_point start = Clock::time_point::max();
  int32_t first = world.firstRank();
  int32_t end = first + world.numOwnRanks();
  for (int32_t rank = first; rank < end; ++rank)
    for (const tpc_rt_rank_t::Stream &stream : world.rank(rank).streams)
      for (const TraceEvent &event : stream.trace)
        start = std::min(start, event.begin);
  auto microseconds = [](Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  // A row per rank; streams that did something of their own follow it.
  static const char *const names[TPC_RT_STREAMS] = {"", ", gather", ", reduce"};
  for (int32_t rank = first; rank < end; ++rank)
    for (int32_t number = 0; number < TPC_RT_STREAMS; ++number) {
      const tpc_rt_rank_t::Stream &stream = world.rank(rank).streams[number];
      if (number != TPC_RT_COMPUTE && stream.trace.empty())
        continue;
      int32_t row = rank * TPC_RT_STREAMS + number;
      events.push_back(
          {{"ph", "M"},
           {"pid", 0},
           {"tid", row},
           {"name", "thread_name"},
           {"args",
            {{"name", "rank " + std::to_string(rank) + names[number]}}}});
      for (const TraceEvent &event : stream.trace)
        events.push_back({{"ph", "X"},
                          {"pid", 0},
                          {"tid", row},
                          {"cat", event.category},
                          {"name", event.name},
                          {"ts", microseconds(event.begin - start)},
                          {"dur", microseconds(event.end - event.begin)}});
    }
  std::ofstream stream(path);
  stream << Json{{"traceEvents", events}}.dump(1, ' ', false,
                                               Json::error_handler_t::replace)
         << '\n';
  stream.close();
  if (!stream)
    return fail(TPC_RT_IO, "cannot write \"", path, "\"");
  return {};
}

} // namespace tpc::rt
