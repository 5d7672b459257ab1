// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events and graphs: what was asked for waits in queues, and runs when
// the schedule says, in any order that streams and events allow.
//
// A stream is a queue of work, of moments that it reaches (an event that was
// recorded) and of moments that it waits for. Work has a clock from the time it
// is enqueued: all that is certain to have happened before it. A graph is the
// list of what captured streams were given; a launch gives it to streams of the
// graph's own, one per captured stream, that start behind the launching stream,
// which then waits for them.
#ifndef TPC_TEST_DEVICE_SIMULATOR_ENGINE_H
#define TPC_TEST_DEVICE_SIMULATOR_ENGINE_H

#include "Memory.h"
#include "Options.h"
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace tpc::sim {

enum class Progress { Done, Waiting };

using ActorPtr = std::shared_ptr<const Actor>;
/// Tries to do the work; called again when it has to wait for others.
using Step = std::function<Progress(const ActorPtr &)>;

/// What a call asks of a stream, each launch of a graph anew: `issue` is called
/// in the order of the calls, the step when the work's turn has come.
struct Task {
  std::string text; // "kernel tpc_kernel_3"
  std::function<Step()> issue;
  const void *communicator = nullptr; // of NCCL, for which graphs keep it
};

struct Stream;

/// What an event stands for from one record on.
struct Moment {
  bool reached = false;
  double seconds = 0;
  Clock clock;
  std::weak_ptr<Stream> stream;
};

struct Operation {
  enum Kind { Work, Reach, Wait } kind;
  ActorPtr actor;
  Step step;
  std::shared_ptr<Moment> moment;
};

struct Capture;

struct Stream {
  int64_t number;
  int32_t device;
  int32_t timeline;
  bool blocking = false; // keeps order with the legacy default stream
  bool destroyed = false;
  Clock clock;
  std::deque<Operation> queue;
  Capture *capture = nullptr;
  int32_t lane = -1; // in the capture
};
using StreamPtr = std::shared_ptr<Stream>;

struct Node {
  Operation::Kind kind;
  int32_t lane;
  std::shared_ptr<const Task> task;
  int64_t call;
  int32_t moment = -1;
};

struct Graph {
  std::vector<Node> nodes;
  int32_t lanes = 0;
  int32_t moments = 0;
};

struct GraphExec {
  std::shared_ptr<const Graph> graph;
  std::vector<StreamPtr> lanes;
  std::shared_ptr<Moment> last; // launches of one graph follow each other
};

struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Stream *origin = nullptr;
  std::vector<Stream *> streams; // by lane
  int mode = 0;                  // CUstreamCaptureMode
  std::thread::id thread;
  bool invalid = false;
};

struct Event {
  int64_t number;
  std::shared_ptr<Moment> moment; // null: never recorded
  // Recorded in a capture: then it stands for a moment of that graph.
  std::weak_ptr<Graph> graph;
  bool captured = false;
  int32_t graphMoment = -1;
  int32_t graphLane = -1;
};

class Engine {
public:
  Engine(const Options &options, Findings &findings)
      : options(options), findings(findings), random(options.seed) {}

  /// Begins a random schedule anew, with the seed of the options.
  void reseed() { random.seed(options.seed); }

  StreamPtr createStream(int32_t device, bool blocking);
  StreamPtr defaultStream(int32_t device);

  /// Appends work to the stream, or to the graph that it is captured into.
  void enqueue(Stream &stream, std::shared_ptr<const Task> task, int64_t call);
  void record(Stream &stream, Event &event);
  /// False when the event and the stream's capture do not go together.
  bool wait(Stream &stream, Event &event);

  /// Ends the capture; null when a stream of it was not joined.
  std::shared_ptr<Graph> endCapture(Capture &capture);
  std::shared_ptr<GraphExec> instantiate(std::shared_ptr<const Graph> graph,
                                         int32_t device);
  void launch(GraphExec &exec, const StreamPtr &stream, int64_t call);

  using Lock = std::unique_lock<std::mutex>;
  /// Runs work until the stream is empty, or the moment is reached.
  void finish(Lock &lock, const StreamPtr &stream);
  void finish(Lock &lock, std::shared_ptr<Moment> moment);
  /// Runs what can run of the stream without waiting; true when it is empty.
  bool query(const StreamPtr &stream);
  bool query(const std::shared_ptr<Moment> &moment);
  void finishAll(Lock &lock, int32_t device);

  /// The host does something now; a moment's or stream's past becomes its own.
  ActorPtr hostActor(const std::string &text);

  Capture *capturing(std::thread::id thread) const;
  std::vector<std::shared_ptr<Capture>> captures;
  std::vector<StreamPtr> streams;

private:
  void push(Stream &stream, Operation operation);
  std::shared_ptr<Moment> reach(Stream &stream);
  void waitFor(Stream &stream, const std::shared_ptr<Moment> &moment);
  ActorPtr actorOn(Stream &stream, const std::string &text, int64_t call);
  void afterEnqueue();
  bool step(Stream &stream);
  bool stepTowards(Stream &stream, int depth = 0);
  bool stepAny();
  void until(Lock &lock, const std::function<bool()> &done, Stream *towards,
             const std::string &what);

  const Options &options;
  Findings &findings;
  std::mt19937_64 random;
  std::condition_variable changed;
  std::map<int32_t, StreamPtr> defaults;
  Clock host;
  int32_t numTimelines = 1;
  int64_t numStreams = 0;
  size_t next = 0;
  bool running = false;
};

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_ENGINE_H
