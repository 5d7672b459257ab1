// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A world: its ranks, the threads that drive them, and how they fail together.
#ifndef TPC_RT_SRC_WORLD_H
#define TPC_RT_SRC_WORLD_H

#include "comm.h"
#include "device.h"
#include "module.h"
#include "peers.h"
#include "plugin.h"
#include "wait.h"
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace tpc::rt {

/// A function with the buffers of all ranks.
struct Call {
  Call() = default;
  /// What devices have recorded goes before what communicators keep of buffers,
  /// and that before these.
  ~Call() {
    for (RankBuffers &ofRank : buffers)
      ofRank.device.reset();
    collectives.reset();
  }

  std::shared_ptr<World> world;
  std::shared_ptr<Module> module;
  int32_t function = 0;
  std::unique_ptr<CollectiveSet> collectives;
  /// Set once the ranks have found that they run the same program.
  bool isAgreed = false;
  /// Runs without a failure so far, on this generation of the communicator.
  /// Changes between runs.
  int64_t goodRuns = 0;
  int64_t generation = 0;

  struct RankBuffers {
    std::unique_ptr<DeviceCall> device;
    std::vector<std::shared_ptr<void>> owned;
    std::vector<const void *> arguments;
    std::vector<void *> results;
    void *workspace = nullptr;
  };
  std::vector<RankBuffers> buffers;

  const Function &signature() const {
    return module->manifest.functions[function];
  }
  /// What all ranks must run the same of, for messages.
  std::string programText() const;
  /// The ranks this process has.
  std::vector<int32_t> ownRanks() const;
  /// That a rank's function has failed; `how`, as "its thread ended".
  TPC_RT_SHARED Status failedOn(int32_t rank, const std::string &how) const;
};

/// `its function returned code 5`
TPC_RT_SHARED std::string codeText(int32_t code);

/// Something a rank did, for the trace.
struct TraceEvent {
  const char *category;
  std::string name;
  Clock::time_point begin;
  Clock::time_point end;
};

} // namespace tpc::rt

struct tpc_rt_rank_t {
  tpc::rt::World *world = nullptr;
  int32_t index = 0;
  std::unique_ptr<tpc::rt::Device> device;

  /// Of the current run.
  tpc::rt::Call *call = nullptr;
  std::vector<int64_t> coordinates;

  /// Read by other ranks and by the host. `endReason` is written before
  /// isRunning becomes false.
  std::atomic<bool> isRunning{false};
  std::atomic<int32_t> lastCollective{-1};
  std::atomic<uint32_t> progress{0};
  std::string endReason;

  /// What belongs to one stream, and to the thread that does its work.
  struct Stream {
    /// The collective it is in, or -1.
    std::atomic<int32_t> collective{-1};
    std::vector<tpc::rt::TraceEvent> trace;
    /// Where a communicator gathers the pointers of a group.
    std::vector<const void *> pointers;
  };
  Stream streams[TPC_RT_STREAMS];
};

namespace tpc::rt {

class World : public std::enable_shared_from_this<World> {
public:
  struct Options {
    /// Of the whole world.
    int32_t ranks = 1;
    /// Which of them this process has, if not all.
    std::optional<int32_t> ownRank;
    bool profile = false;
    double deadline = 60;
    std::string device = "cpu";
    std::string communicator = "local";
    PlatformOptions platform;
  };

  /// `peers`: the other processes, where there are some.
  explicit World(const Options &options,
                 std::unique_ptr<Peers> peers = nullptr);
  ~World();

  /// Opens the devices and the communicator; before anything else.
  Status open();
  /// The same on a given platform.
  Status openOn(std::unique_ptr<Platform> given);

  /// Starts the threads of the ranks.
  void start();
  /// Ends them; the last thing a world does.
  void stop();

  /// Runs the call on all ranks. One at a time.
  Status run(const std::shared_ptr<Call> &call);

  int32_t numRanks() const { return options.ranks; }
  /// The ranks of this process are those from `firstRank` on.
  int32_t firstRank() const { return options.ownRank.value_or(0); }
  int32_t numOwnRanks() const { return options.ownRank ? 1 : options.ranks; }
  bool isOwn(int32_t rank) const {
    return rank >= firstRank() && rank < firstRank() + numOwnRanks();
  }
  /// Null when this process has all ranks.
  Peers *peers() const { return otherProcesses.get(); }
  int32_t threadsPerRank() const { return options.platform.threadsPerRank; }
  const std::string &device() const { return options.device; }
  double deadline() const { return options.deadline; }
  bool profiles() const { return options.profile; }
  tpc_rt_rank_t &rank(int32_t index) { return *ranks[index - firstRank()]; }
  Communicator &communicator() { return *comm; }

  /// The first failure of a run is the one reported; it ends all ranks.
  TPC_RT_SHARED void reportFailure(Status status);
  /// That failure, if there is one.
  Status firstFailure();
  /// Ends the world in agreement with the other processes: all say how it went,
  /// and fail if one of them did. An empty text: it went well.
  Status finish(const std::string &failure);
  bool hasFailed() const { return isFailed.load(std::memory_order_acquire); }

  /// `in all_reduce ...`, `computing, after all_reduce ...`: where a rank is.
  TPC_RT_SHARED std::string whereabouts(int32_t rank) const;

private:
  std::string whereabouts(int32_t rank, const Call &call) const;

  class EndOfRun;

  /// Under the lock, which it lets go while it waits.
  Status run(const std::shared_ptr<Call> &call,
             std::unique_lock<std::mutex> &lock);
  void serve(tpc_rt_rank_t &rank);
  /// Another process says that a rank failed.
  void hearOfFailure(const Status &told);
  void runRank(tpc_rt_rank_t &rank, Call &call);
  void awaitRanks(std::unique_lock<std::mutex> &lock);

  Options options;
  std::unique_ptr<Peers> otherProcesses;
  /// Outlives what it has made.
  std::unique_ptr<Platform> platform;
  /// Those of this process.
  std::vector<std::unique_ptr<tpc_rt_rank_t>> ranks;
  std::unique_ptr<Communicator> comm;
  std::vector<std::thread> threads;

  std::mutex mutex;
  std::condition_variable wakeRanks;
  std::condition_variable wakeHost;
  uint32_t generation = 0;
  bool isStopping = false;
  /// One run at a time, to the end of a failed one's collectives.
  bool isRunning = false;
  /// Of the current run.
  std::shared_ptr<Call> current;
  int32_t numPending = 0;
  /// Ranks whose function failed or did not return, in that order.
  std::vector<int32_t> badRanks;
  Status failure;
  std::atomic<bool> isFailed{false};
  /// Why no run is possible any more; empty while one is.
  std::string brokenReason;
  /// What finish() has said.
  std::optional<Status> outcome;
};

/// Chrome trace viewer JSON of what the ranks kept.
Status writeTrace(World &world, const std::string &path);

} // namespace tpc::rt

struct tpc_rt_world_t {
  std::atomic<int32_t> references{1};
  std::shared_ptr<tpc::rt::World> object;
  ~tpc_rt_world_t() {
    if (object)
      object->stop();
  }
  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  bool dropsLast() {
    return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
};

#endif // TPC_RT_SRC_WORLD_H
