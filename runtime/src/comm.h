// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the ranks of a world talk to each other.
#ifndef TPC_RT_SRC_COMM_H
#define TPC_RT_SRC_COMM_H

#include "device.h"
#include "manifest.h"

namespace tpc::rt {

class World;

/// The collectives of one module, planned for the ranks of a world.
class CollectiveSet {
public:
  virtual ~CollectiveSet() = default;
};

class Communicator {
public:
  virtual ~Communicator() = default;

  /// Plans all collectives of `manifest`, which outlives the set.
  virtual Status prepare(const Manifest &manifest,
                         std::unique_ptr<CollectiveSet> &set) = 0;

  /// Memory of a function's temporaries, as much on all ranks; zeroed.
  virtual Status allocateWorkspace(Device &device, int64_t bytes,
                                   std::shared_ptr<void> &memory) {
    return device.allocate(bytes, memory);
  }

  /// Called while no rank runs: forgets what a failed run may have left.
  virtual Status beginRun() = 0;

  /// Called behind a run that has failed, when no rank runs but those that are
  /// given up: ends what ranks may still wait for, and use memory for.
  virtual void endFailedRun() {}

  /// Another number when what was recorded before cannot be replayed.
  virtual int64_t generation() const { return 0; }

  /// Fails unless all ranks come with the same `text`; the message names the
  /// first two that differ.
  virtual Status agree(tpc_rt_rank_t &rank, const std::string &text) = 0;

  /// Asked again and again while a device waits for the rank's work. Fails when
  /// there is no use in waiting; `isLate`: the deadline has passed, and what is
  /// under way must end.
  virtual Status watch(tpc_rt_rank_t &, bool /*isLate*/) { return {}; }

  /// Enqueues collective `index` on `stream`: one input and one output per
  /// part.
  virtual Status run(tpc_rt_rank_t &rank, int32_t stream, CollectiveSet &set,
                     int32_t index, const void *const *inputs,
                     void *const *outputs) = 0;

  /// Whether the streams of the ranks wait for each other's events, so that a
  /// device that records work can record that of all ranks only together.
  virtual bool joinsRanks() const { return false; }
};

/// Ranks are threads of this process and read each other's buffers.
std::unique_ptr<Communicator> createLocalCommunicator(World &world);

} // namespace tpc::rt

#endif // TPC_RT_SRC_COMM_H
