// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one simulated machine of a process, behind one lock, and what every entry
// point does first: take the lock, number the call, log it, refuse it where a
// capture forbids it.
#ifndef TPC_TEST_DEVICE_SIMULATOR_SIMULATOR_H
#define TPC_TEST_DEVICE_SIMULATOR_SIMULATOR_H

#include "Engine.h"
#include "Headers.h"

namespace tpc::sim {

struct Function {
  std::string name;
  const tpc_sim_entry *entry;
  int64_t sharedLimit = 48 * 1024;
};

struct Module {
  std::vector<std::unique_ptr<Function>> functions;
};

class Simulator {
public:
  static Simulator &get();

  /// Whether the fault strikes now: this is its n-th chance on this rank.
  bool strikes(const char *fault, int64_t rank = -1);
  const Fault *fault(const char *name) const;
  /// Ends the process with status 3 if anything was found.
  void finalCheck();
  void reportLeaks();
  void reset();

  std::mutex mutex;
  Options options;
  Findings findings;
  Memory memory{findings};
  Engine engine{options, findings};
  std::map<CUstream, StreamPtr> streams;
  std::map<CUevent, std::unique_ptr<Event>> events;
  std::map<CUgraph, std::shared_ptr<Graph>> graphs;
  bool hasPriorities = false; // some stream goes before others
  std::map<CUgraphExec, std::shared_ptr<GraphExec>> execs;
  std::map<CUmodule, std::shared_ptr<Module>> modules;
  std::map<CUfunction, Function *> functions;
  std::map<int32_t, int64_t> retained;         // primary contexts by device
  std::set<std::pair<int32_t, int32_t>> peers; // who may access whom
  std::map<int32_t, CUresult> sticky;
  bool hasEndlessWork = false;
  // A wait that a fault makes one call too late.
  std::unique_ptr<std::pair<StreamPtr, Event>> lateWait;
  bool initialized = false;
  int64_t numCalls = 0;
  int64_t numHandles = 0;

private:
  Simulator();
  std::map<std::pair<std::string, int64_t>, int64_t> chances;
};

/// An entry point at work.
class Call {
public:
  explicit Call(const char *name);
  ~Call();

  Call &with(const char *key, int64_t value);
  Call &with(const char *key, const std::string &value);
  Call &with(const char *key, const void *value) {
    return with(key, reinterpret_cast<int64_t>(value));
  }

  /// "cuMemAlloc (call 7)"
  std::string text() const;
  /// A finding that begins with this call.
  void found(const std::string &what);
  /// What the call returns unless all is well: nothing is initialised, there is
  /// no current context, or an earlier error of the device sticks.
  CUresult refused();
  /// A call that no capture of this thread allows: true, and the capture is
  /// spoiled, when there is one.
  bool breaksCapture();
  bool breaksCapture(Stream &stream);
  /// Null, and a finding, when there is no such stream.
  StreamPtr stream(CUstream handle);
  /// Work for the stream.
  void enqueue(const StreamPtr &stream, std::string what,
               std::function<Step()> issue, const void *communicator = nullptr);

  Simulator &sim;
  Engine::Lock lock;
  int64_t number;

private:
  void spoil(Capture &capture);

  std::string name;
  std::string line;
};

size_t numComms();
/// Names a communicator of NCCL's that knows the memory there, or is empty.
std::string registrationOf(const void *data);

/// What one host thread has set.
extern thread_local int32_t currentDevice;

/// A step that is done when it returns.
template <typename Body> std::function<Step()> once(Body body) {
  return [body]() -> Step {
    return [body](const ActorPtr &actor) {
      body(actor);
      return Progress::Done;
    };
  };
}

/// A handle that no other object has.
template <typename Handle> Handle newHandle(Simulator &sim) {
  return reinterpret_cast<Handle>(0x5100000000 + 16 * ++sim.numHandles);
}

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_SIMULATOR_H
