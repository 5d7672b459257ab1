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
    for (const TraceEvent &event : world.rank(rank).trace)
      start = std::min(start, event.begin);
  auto microseconds = [](Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  for (int32_t rank = first; rank < end; ++rank) {
    events.push_back({{"ph", "M"},
                      {"pid", 0},
                      {"tid", rank},
                      {"name", "thread_name"},
                      {"args", {{"name", "rank " + std::to_string(rank)}}}});
    for (const TraceEvent &event : world.rank(rank).trace)
      events.push_back({{"ph", "X"},
                        {"pid", 0},
                        {"tid", rank},
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
