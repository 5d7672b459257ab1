// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streams of a rank beside its own thread, which is the compute stream: a
// thread each that does what it is given, in order.
#ifndef TPC_RT_CPU_STREAMS_H
#define TPC_RT_CPU_STREAMS_H

#include "tpc_rt/abi.h"
#include "wait.h"
#include <array>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tpc::rt {

/// What the compute stream was given is done when the rank's thread goes on, so
/// an event of it has always happened. An event of another stream is a number
/// of pieces of its work. All functions but the constructor, the destructor and
/// `start` are called by the rank's thread.
class Streams {
public:
  ~Streams();

  /// Starts the threads; does nothing when they run.
  void start();

  /// Before the first piece of work of a run. `giveUp` ends waits for events.
  void begin(int32_t numEvents, std::function<bool()> giveUp);
  /// Waits until all work is done.
  void drain();

  void enqueue(int32_t stream, std::function<void()> work);
  void record(int32_t event, int32_t stream);
  /// False when the compute stream has given up waiting.
  bool wait(int32_t stream, int32_t event);

private:
  struct Line {
    std::mutex mutex;
    std::deque<std::function<void()>> work;
    /// Pieces of work so far.
    Counter given, done;
    std::thread thread;
  };
  struct Event {
    int32_t stream = TPC_RT_COMPUTE;
    uint32_t position = 0;
  };

  void serve(Line &line);

  std::mutex mutex;
  /// Of the compute stream none is used.
  std::array<Line, TPC_RT_STREAMS> lines;
  std::vector<Event> events;
  std::function<bool()> giveUp;
  std::atomic<bool> isStopping{false};
};

} // namespace tpc::rt

#endif // TPC_RT_CPU_STREAMS_H
