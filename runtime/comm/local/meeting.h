// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where ranks that are threads of one process wait for each other and show what
// the others need: the host's side of local communicators.
//
// Invariants: a rank's slot is read by others only between its arrival and the
// last wait of the same collective; a rank that fails returns early, which is
// safe because the world keeps all buffers until every rank has ended its run.
#ifndef TPC_RT_COMM_LOCAL_MEETING_H
#define TPC_RT_COMM_LOCAL_MEETING_H

#include "world.h"
#include <map>

namespace tpc::rt {

/// What a member of a group shows to the others.
struct Slot {
  Counter arrived;
  int32_t collective = -1;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  /// Events of the member's device, one per meeting of a collective.
  void *events[3] = {};
  std::string text;
};

struct Group {
  /// Ascending.
  std::vector<int32_t> members;
  std::unique_ptr<Slot[]> slots;

  size_t memberOf(int32_t rank) const {
    size_t member = 0;
    while (members[member] != rank)
      ++member;
    return member;
  }
};

class Meeting {
public:
  explicit Meeting(World &world) : world(world) {}

  /// Ranks may meet on several streams at once: each has groups of its own.
  TPC_RT_SHARED Group *findGroup(const std::vector<int32_t> &members,
                                 int32_t stream = TPC_RT_COMPUTE);

  /// Called while no rank runs.
  TPC_RT_SHARED void reset();

  /// Arrives and waits for all members of the group. `label` says where, for
  /// messages.
  TPC_RT_SHARED Status meet(tpc_rt_rank_t &rank, Group &group, size_t member,
                            const std::string &label);

  /// Shows that the rank is in collective `index`, meets, and fails unless all
  /// are in the same one.
  TPC_RT_SHARED Status meetIn(tpc_rt_rank_t &rank, Group &group, size_t member,
                              const Manifest &manifest, int32_t index);

  /// See Communicator::agree.
  TPC_RT_SHARED Status agree(tpc_rt_rank_t &rank, const std::string &text);

private:
  Status reportMissing(tpc_rt_rank_t &rank, int32_t late, double waited,
                       const std::string &label);

  World &world;
  std::mutex mutex;
  std::map<std::vector<int32_t>, Group> groups[TPC_RT_STREAMS];
};

} // namespace tpc::rt

#endif // TPC_RT_COMM_LOCAL_MEETING_H
