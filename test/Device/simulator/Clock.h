// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks. A timeline is a stream, or the host: all threads of the host
// together, since what they tell each other is not seen here.
#ifndef TPC_TEST_DEVICE_SIMULATOR_CLOCK_H
#define TPC_TEST_DEVICE_SIMULATOR_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tpc::sim {

constexpr int32_t kHost = 0;

/// The `count`-th thing that happened on a timeline.
struct Epoch {
  int32_t timeline = -1;
  int64_t count = 0;
};

/// What has happened for certain, by timeline.
class Clock {
public:
  bool covers(Epoch epoch) const { return at(epoch.timeline) >= epoch.count; }
  int64_t at(int32_t timeline) const {
    return timeline < static_cast<int32_t>(counts.size()) ? counts[timeline]
                                                          : 0;
  }
  /// One more thing happens on the timeline.
  Epoch tick(int32_t timeline) {
    if (timeline >= static_cast<int32_t>(counts.size()))
      counts.resize(timeline + 1, 0);
    return {timeline, ++counts[timeline]};
  }
  void join(const Clock &other) {
    if (other.counts.size() > counts.size())
      counts.resize(other.counts.size(), 0);
    for (size_t i = 0; i < other.counts.size(); ++i)
      counts[i] = std::max(counts[i], other.counts[i]);
  }

private:
  std::vector<int64_t> counts;
};

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_CLOCK_H
