// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Communicators: ranks, whether threads of one process or processes of one
// machine, meet in a file that all of them map.
//
// A collective is two steps of a rank's stream: it posts what it sends when all
// have done the collective before, and takes what it receives when all have
// posted. What does not fit together between ranks is found there.
#ifndef TPC_TEST_DEVICE_SIMULATOR_NCCL_H
#define TPC_TEST_DEVICE_SIMULATOR_NCCL_H

#include "Simulator.h"
#include <atomic>

namespace tpc::sim {

enum class Collective : int32_t {
  AllReduce,
  Broadcast,
  Reduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Gather,
  Scatter,
};

/// What all ranks must say alike.
struct Header {
  Collective kind;
  int32_t type;
  int32_t op;
  int32_t root;
  int64_t count;
  /// In symmetric windows, where both lie in some; -1 otherwise.
  int64_t sendOffset;
  int64_t recvOffset;
};

/// What a rank brings to the making of a window.
struct WindowPart {
  int64_t bytes;
  int64_t offset; // in its allocation
  int64_t allocation;
  int32_t flags;
};

/// One rank's part of the file.
struct RankBlock {
  std::atomic<int32_t> joined;
  int32_t device;
  int64_t process;
  int64_t version;
  std::atomic<int64_t> posted; // collectives, and read of all ranks
  std::atomic<int64_t> done;
  Header header;
  std::atomic<int64_t> splitPosted;
  std::atomic<int64_t> splitRead;
  int32_t color;
  int32_t key;
  std::atomic<int64_t> windowPosted;
  std::atomic<int64_t> windowRead;
  WindowPart window;
  std::atomic<int32_t> finalized;
  std::atomic<int32_t> left; // destroyed or aborted
};

/// From one rank to one other.
struct Mailbox {
  std::atomic<int64_t> posted;
  std::atomic<int64_t> taken;
  int64_t bytes;
};

/// The file of a communicator, mapped.
class Meeting {
public:
  Meeting(const std::string &name, int32_t ranks);
  ~Meeting();

  RankBlock &rank(int32_t r) const;
  char *data(int32_t r) const;
  Mailbox &mailbox(int32_t from, int32_t to) const;
  char *mail(int32_t from, int32_t to) const;
  bool complete() const;
  /// Nobody else comes: the file needs no name any more.
  void unlink();

  static constexpr int64_t kDataBytes = int64_t(256) << 20;
  static constexpr int64_t kMailBytes = int64_t(64) << 20;

private:
  std::string path;
  int32_t ranks;
  char *base;
  int64_t bytes;
};

struct PointToPoint {
  bool sends;
  char *data;
  int64_t bytes;
  int32_t peer;
};

struct Window {
  const char *data;
  int64_t bytes;
  bool isSymmetric;
};

/// All ranks come to the making of a window; a communicator that does not block
/// is not ready until they have.
struct WindowInTheMaking {
  int64_t number;
  WindowPart part;
  Window made;
  ncclWindow_t *result;
  std::string text;
  bool isPosted = false;
  bool isFaulty = false;
};

/// The same of a communicator that is split off.
struct SplitInTheMaking {
  int64_t number;
  int color;
  int key;
  ncclComm_t *result;
  bool isPosted = false;
};

} // namespace tpc::sim

/// NCCL's handle points at this.
struct ncclComm {
  std::string name;
  int32_t rank;
  int32_t ranks;
  int32_t device;
  std::shared_ptr<tpc::sim::Meeting> meeting;
  bool aborted = false;
  bool finalizing = false;
  bool blocking = true;
  ncclResult_t error = ncclInProgress; // until all have come
  int64_t splits = 0;
  int64_t issued = 0; // of all kinds, in the order of the calls
  int64_t executed = 0;
  int64_t collectives = 0;
  std::map<void *, std::pair<const void *, size_t>> registered;
  std::map<void *, tpc::sim::Window> windows;
  int64_t numWindows = 0; // asked for so far
  std::unique_ptr<tpc::sim::WindowInTheMaking> window;
  std::unique_ptr<tpc::sim::SplitInTheMaking> split;
  // Groups that a communicator that does not block has still to enqueue.
  std::vector<std::function<void(tpc::sim::Call &)>> groups;
  // What a fault keeps back until the next one was issued.
  std::function<void()> held;

  /// Behind an abort, or ranks that differ, nothing is done or waited for.
  bool gaveUp() const {
    return aborted || (error != ncclSuccess && error != ncclInProgress);
  }
  /// Looks whether all ranks are there and fit together.
  ncclResult_t poll();
  ncclResult_t pollWindow();
  ncclResult_t pollSplit();
  /// Whether all ranks have counted so far.
  bool haveAll(std::atomic<int64_t> tpc::sim::RankBlock::*counter,
               int64_t least) const;
  void enqueueGroups(tpc::sim::Call &call);
  /// Where an address is in a symmetric window, or -1.
  int64_t offsetInWindow(const void *address) const;
  std::string text() const;
};

namespace tpc::sim {

std::shared_ptr<ncclComm> joinComm(const std::string &name, int32_t ranks,
                                   int32_t rank, int32_t device);
/// Makes it a handle's.
ncclComm_t addComm(const std::shared_ptr<ncclComm> &comm);
/// Waits, without the lock, until all ranks have come.
ncclResult_t awaitComm(ncclComm &comm);
std::shared_ptr<ncclComm> findComm(ncclComm_t handle);
const std::map<ncclComm_t, std::shared_ptr<ncclComm>> &allComms();
/// Whether this thread is inside of a group; what joins there waits at its end.
bool inGroup();
ncclResult_t finishJoins();
/// Why the last call of this thread failed.
extern thread_local std::string lastNcclError;

const char *collectiveName(Collective kind);
int64_t ncclTypeBytes(ncclDataType_t type);

struct CollectiveCall {
  std::shared_ptr<ncclComm> comm;
  Header header;
  const char *send;
  char *recv;
};

Step issueCollective(const CollectiveCall &what);
Step issuePointToPoint(const std::shared_ptr<ncclComm> &comm,
                       const std::vector<PointToPoint> &parts);

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_NCCL_H
