// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The NCCL communicators of a world's ranks: made, watched, aborted, destroyed.
//
// Every set of mesh axes has a communicator of its own per stream, so that
// streams run side by side; it is split off the world's the first time it is
// needed, which all ranks come to in the same order. Calls of NCCL do not
// block; whoever waits looks for failures of other ranks and for the deadline,
// and aborts.
//
// The end of a communicator may wait for its other ranks, for its graphs, and
// for kernels of other communicators that end with these. So graphs go first,
// all communicators end at the same time, each on a thread of its own, and they
// are waited for together: behind a failed run, or when the world goes. NCCL
// frees those of all ranks of a process when the last has come (commReclaim in
// its init.cc): if one does not end, the GPUs of all are given up with what
// memory they have.
#ifndef TPC_RT_COMM_NCCL_CONNECTIONS_H
#define TPC_RT_COMM_NCCL_CONNECTIONS_H

#include "library.h"
#include "world.h"
#include <future>
#include <map>
#include <set>

namespace tpc::rt::nccl {

class Connections {
public:
  explicit Connections(World &world) : world(world) {}
  ~Connections();

  /// Opens NCCL and connects the ranks of this process with all others.
  Status open();
  /// See Communicator::endFailedRun.
  void endFailedRun();
  /// Connects anew if anything was aborted. Called while no rank runs.
  Status renew();
  /// How often that was so: nothing of another generation can be used.
  int64_t generation() const { return numRenewals; }

  /// The communicator of `rank` with `members` for a collective over `axes` on
  /// a stream; `label` names the collective.
  Status findGroup(int32_t rank, const std::vector<int32_t> &axes,
                   int32_t color, int32_t stream, const std::string &label,
                   ncclComm_t &comm);

  /// Waits until the last call on the communicator, which returned `result`,
  /// has come through.
  Status await(int32_t rank, ncclComm_t comm, const std::string &what,
               ncclResult_t result = ncclInProgress);

  /// See Communicator::watch.
  Status watch(tpc_rt_rank_t &rank, bool isLate);

  /// Whether the rank's communicators end by force, or have.
  bool isAborted(int32_t rank);

  /// Makes the calling thread one of the rank's GPU.
  Status makeCurrent(int32_t rank) const;

  const Library &nccl() const { return *library; }

private:
  /// The communicators of one rank. While it runs they are its thread's alone.
  struct OfRank {
    ncclComm_t world = nullptr;
    /// By axes and stream. Changed under the mutex. Null while NCCL makes it,
    /// which may last beyond the world's end.
    std::map<std::pair<std::vector<int32_t>, int32_t>,
             std::shared_ptr<ncclComm_t>>
        groups;
  };

  Status checkDevices();
  Status connect();
  Status connectRank(int32_t rank, const ncclUniqueId &id);
  void abort(int32_t rank);
  /// False when it was.
  bool markAborted(int32_t rank);
  /// Of all communicators of the rank, if that has not been done. `isLost`: its
  /// thread has been given up, and may hold what would be waited for.
  void startEnds(int32_t rank, bool byForce, bool isLost = false);
  void awaitEnds(double seconds);

  World &world;
  const Library *library = nullptr;
  std::map<int32_t, OfRank> comms;
  bool isConnected = false;
  int64_t numRenewals = 0;
  std::mutex mutex;
  /// Under the mutex.
  std::set<int32_t> aborted;
  /// Under the mutex. By rank, once they were started: those not waited for.
  std::map<int32_t, std::vector<std::future<void>>> ends;
};

} // namespace tpc::rt::nccl

#endif // TPC_RT_COMM_NCCL_CONNECTIONS_H
