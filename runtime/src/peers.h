// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processes of a world, one rank each: they confer, and learn of each
// other's failures. What the ranks compute with does not go this way.
//
// All connections are to rank 0. One thread per process reads and writes them,
// so that a failure, or the end of a process, is heard of whatever the other
// threads do.
#ifndef TPC_RT_SRC_PEERS_H
#define TPC_RT_SRC_PEERS_H

#include "rendezvous.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tpc::rt {

class Peers {
public:
  /// Meets the other processes.
  static Status join(const JoinOptions &options, std::unique_ptr<Peers> &peers);
  ~Peers();
  /// Says goodbye and closes the connections, once all is sent.
  void leave();

  int32_t rank() const { return options.rank; }
  int32_t numRanks() const { return options.ranks; }

  /// Called with the first failure that another process reports, from the
  /// thread of the connections.
  void onFailure(std::function<void(const Status &)> handler);
  /// Says where the own rank is, for messages of others.
  void setWhereabouts(std::function<std::string()> text);

  /// Turns what the ranks gave, in their order, into what all get. Runs on
  /// rank 0. Its failure is everybody's.
  using Decide =
      std::function<Status(std::vector<std::string> &given, std::string &)>;

  /// Every process gives something and gets the same answer. All must confer
  /// about the same `what`. `isPatient`: waits beyond the deadline for
  /// processes that are alive.
  TPC_RT_SHARED Status confer(const std::string &what, std::string given,
                              const Decide &decide, std::string &answer,
                              bool isPatient = false);

  /// Fails unless all run the same `what`, naming the first that differs.
  TPC_RT_SHARED Status agree(const std::string &what, const std::string &given);

  /// Tells the others. The first failure of all is the one that counts.
  void fail(const Status &failure);
  /// The failure that counts, once this process knows of one itself.
  Status settle(Status own);

private:
  struct Connection {
    Peer peer;
    int32_t rank = 0;
    FrameReader reader;
    ByteQueue outgoing;
    std::deque<std::string> given;
    Clock::time_point lastHeard;
    /// Of bytes other than signs of life.
    Clock::time_point lastMoved;
    std::string whereabouts;
    bool isOver = false;
    bool saidGoodbye = false;
  };

  explicit Peers(const JoinOptions &options) : options(options) {}
  void start(std::vector<Peer> met);
  void serve();
  void serveConnection(Connection &connection, bool canRead);
  void handle(Connection &connection, Frame frame);
  void flush(Connection &connection);
  void noteSilence();
  void announce(FrameKind kind, const std::string &bytes);
  void wake();
  void fail(const Status &failure, std::unique_lock<std::mutex> &lock);
  Status conferAsHost(const std::string &what, std::string given,
                      const Decide &decide, std::string &answer,
                      bool isPatient);
  Status conferAsGuest(const std::string &what, std::string given,
                       std::string &answer, bool isPatient);
  bool isHost() const { return options.rank == 0; }

  JoinOptions options;
  std::vector<std::unique_ptr<Connection>> connections;
  Socket wakeIn, wakeOut;
  std::thread thread;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::function<void(const Status &)> failureHandler;
  std::function<std::string()> whereaboutsText;
  std::deque<std::string> answers;
  /// How often rank 0 has said that it waits, and how often we conferred.
  int64_t numWaits = 0;
  int64_t numConferred = 0;
  Status failure;
  bool hasFailed = false;
  /// Rank 0 has confirmed the failure, or made it.
  bool isSettled = false;
  bool isLeaving = false;
  Clock::time_point nextSign;
};

} // namespace tpc::rt

#endif // TPC_RT_SRC_PEERS_H
