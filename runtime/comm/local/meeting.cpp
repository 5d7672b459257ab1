// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting with a deadline, and saying who did not come.

#include "meeting.h"

namespace tpc::rt {

Group *Meeting::findGroup(const std::vector<int32_t> &members, int32_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  Group &group = groups[stream][members];
  if (group.members.empty()) {
    group.members = members;
    group.slots = std::make_unique<Slot[]>(members.size());
  }
  return &group;
}

void Meeting::reset() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &ofStream : groups)
    for (auto &[members, group] : ofStream)
      for (size_t member = 0; member < members.size(); ++member)
        group.slots[member].arrived.store(0);
}

Status Meeting::reportMissing(tpc_rt_rank_t &rank, int32_t late, double waited,
                              const std::string &label) {
  const tpc_rt_rank_t &other = world.rank(late);
  if (!other.isRunning.load(std::memory_order_acquire))
    return Status(TPC_RT_RANK_FAILED,
                  text("rank ", late, " did not take part in ", label, ": ",
                       other.endReason),
                  late);
  return Status(TPC_RT_TIMEOUT,
                text("rank ", rank.index, " waited ", waited,
                     " seconds for rank ", late, " in ", label, "; rank ", late,
                     " is ", world.whereabouts(late)),
                late);
}

Status Meeting::meet(tpc_rt_rank_t &rank, Group &group, size_t member,
                     const std::string &label) {
  Counter &own = group.slots[member].arrived;
  uint32_t target = own.load() + 1;
  own.store(target);
  Clock::time_point start = Clock::now();
  for (size_t other = 0; other < group.members.size(); ++other) {
    if (other == member)
      continue;
    int32_t otherRank = group.members[other];
    bool hasArrived = group.slots[other].arrived.wait(target, [&] {
      return world.hasFailed() ||
             !world.rank(otherRank).isRunning.load(std::memory_order_acquire) ||
             secondsSince(start) > world.deadline();
    });
    if (hasArrived)
      continue;
    if (world.hasFailed())
      return fail(TPC_RT_RANK_FAILED, "another rank has failed");
    return reportMissing(rank, otherRank, world.deadline(), label);
  }
  return {};
}

Status Meeting::agree(tpc_rt_rank_t &rank, const std::string &text) {
  std::vector<int32_t> all(world.numRanks());
  for (int32_t index = 0; index < world.numRanks(); ++index)
    all[index] = index;
  Group &group = *findGroup(all);
  group.slots[rank.index].text = text;
  const std::string label = "the comparison of the ranks' programs";
  if (Status status = meet(rank, group, rank.index, label))
    return status;
  for (int32_t other = 0; other < rank.index; ++other)
    if (group.slots[other].text != text)
      return Status(TPC_RT_MISMATCH,
                    rt::text("the ranks run different programs: rank ", other,
                             " runs ", group.slots[other].text, ", rank ",
                             rank.index, " runs ", text),
                    rank.index);
  return meet(rank, group, rank.index, label);
}

Status Meeting::meetIn(tpc_rt_rank_t &rank, Group &group, size_t member,
                       const Manifest &manifest, int32_t index) {
  group.slots[member].collective = index;
  const std::string &label = manifest.collectives[index].label;
  if (Status status = meet(rank, group, member, label))
    return status;
  for (size_t other = 0; other < group.members.size(); ++other)
    if (group.slots[other].collective != index)
      return Status(
          TPC_RT_MISMATCH,
          text("rank ", rank.index, " is in ", label, " while rank ",
               group.members[other], " is in ",
               manifest.collectives[group.slots[other].collective].label),
          rank.index);
  return {};
}

} // namespace tpc::rt
