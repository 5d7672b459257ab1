// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulator.h"
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace tpc::sim {

thread_local int32_t currentDevice = -1;

/// Runs behind all that the process registered after its first call: what it
/// frees at its end counts as freed.
static void exitCheck() { Simulator::get().finalCheck(); }

Simulator::Simulator() {
  reset();
  atexit(exitCheck);
}

Simulator &Simulator::get() {
  // Never destroyed: calls come until the very end.
  static Simulator *simulator = new Simulator;
  return *simulator;
}

const Fault *Simulator::fault(const char *name) const {
  auto it = options.faults.find(name);
  return it == options.faults.end() ? nullptr : &it->second;
}

bool Simulator::strikes(const char *name, int64_t rank) {
  const Fault *made = fault(name);
  if (!made || (made->rank >= 0 && rank >= 0 && made->rank != rank))
    return false;
  int64_t chance = chances[{name, made->rank >= 0 ? rank : -1}]++;
  if (chance != made->nth)
    return false;
  findings.note("fault " + std::string(name) + " made in call " +
                std::to_string(numCalls));
  return true;
}

void Simulator::reportLeaks() {
  auto leaks = [&](size_t count, const char *what) {
    if (count > 0)
      findings.add(std::to_string(count) + " " + what);
  };
  memory.checkGuards("the end");
  // What belongs to a GPU that never comes to rest cannot be freed.
  if (hasEndlessWork)
    return;
  memory.reportLeaks();
  leaks(streams.size(), "streams are never destroyed");
  leaks(events.size(), "events are never destroyed");
  leaks(modules.size(), "modules are never unloaded");
  leaks(graphs.size() + execs.size(), "graphs are never destroyed");
  leaks(numComms(), "communicators are never destroyed");
}

void Simulator::finalCheck() {
  {
    std::unique_lock<std::mutex> lock(mutex);
    reportLeaks();
    if (findings.all().empty())
      return;
    fprintf(stderr, "simulated device: %zu errors\n", findings.all().size());
  }
  fflush(nullptr);
  _exit(3);
}

void Simulator::reset() {
  options = Options::fromEnvironment();
  if (!options.log.empty())
    findings.openLog(options.log);
  findings.clear();
  engine.reseed();
  sticky.clear();
  hasPriorities = false;
  hasEndlessWork = false;
  chances.clear();
  lateWait.reset();
}

Call::Call(const char *name)
    : sim(Simulator::get()), lock(sim.mutex), number(++sim.numCalls),
      name(name) {
  if (sim.findings.logs())
    line = "{\"call\": " + std::to_string(number) +
           ", \"name\": " + quoted(name) +
           ", \"device\": " + std::to_string(currentDevice);
}

Call::~Call() {
  if (sim.findings.logs())
    sim.findings.write(line + "}");
}

Call &Call::with(const char *key, int64_t value) {
  if (sim.findings.logs())
    line += ", " + quoted(key) + ": " + std::to_string(value);
  return *this;
}

Call &Call::with(const char *key, const std::string &value) {
  if (sim.findings.logs())
    line += ", " + quoted(key) + ": " + quoted(value);
  return *this;
}

std::string Call::text() const {
  return name + " (call " + std::to_string(number) + ")";
}

void Call::found(const std::string &what) {
  sim.findings.add(text() + " " + what);
}

void Call::spoil(Capture &capture) {
  capture.invalid = true;
  found("is not allowed while stream " +
        std::to_string(capture.origin->number) + " is being captured");
}

bool Call::breaksCapture() {
  Capture *capture = sim.engine.capturing(std::this_thread::get_id());
  if (capture)
    spoil(*capture);
  return capture;
}

bool Call::breaksCapture(Stream &stream) {
  if (stream.capture)
    spoil(*stream.capture);
  return stream.capture;
}

CUresult Call::refused() {
  if (!sim.initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (currentDevice < 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  auto it = sim.sticky.find(currentDevice);
  return it == sim.sticky.end() ? CUDA_SUCCESS : it->second;
}

StreamPtr Call::stream(CUstream handle) {
  if (!handle || handle == CU_STREAM_LEGACY)
    return currentDevice < 0 ? nullptr
                             : sim.engine.defaultStream(currentDevice);
  auto it = sim.streams.find(handle);
  if (it == sim.streams.end()) {
    found("is given a stream that does not exist");
    return nullptr;
  }
  with("stream", it->second->number);
  return it->second;
}

void Call::enqueue(const StreamPtr &stream, std::string what,
                   std::function<Step()> issue, const void *communicator) {
  auto task = std::make_shared<Task>();
  task->communicator = communicator;
  task->text = std::move(what);
  // Behind an error that sticks nothing runs any more.
  int32_t device = stream->device;
  task->issue = [issue = std::move(issue), device]() -> Step {
    return [step = issue(), device](const ActorPtr &actor) {
      Simulator &sim = Simulator::get();
      return sim.sticky.count(device) ? Progress::Done : step(actor);
    };
  };
  sim.engine.enqueue(*stream, task, number);
  if (sim.lateWait && sim.lateWait->first == stream) {
    auto late = std::move(sim.lateWait);
    sim.engine.wait(*stream, late->second);
  }
}

} // namespace tpc::sim
