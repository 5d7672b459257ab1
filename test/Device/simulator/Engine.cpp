// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Engine.h"
#include <chrono>
#include <sstream>

namespace tpc::sim {

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

StreamPtr Engine::createStream(int32_t device, bool blocking) {
  auto stream = std::make_shared<Stream>();
  stream->number = ++numStreams;
  stream->device = device;
  stream->blocking = blocking;
  stream->timeline = numTimelines++;
  streams.push_back(stream);
  return stream;
}

StreamPtr Engine::defaultStream(int32_t device) {
  StreamPtr &stream = defaults[device];
  if (!stream)
    stream = createStream(device, false);
  return stream;
}

ActorPtr Engine::actorOn(Stream &stream, const std::string &text,
                         int64_t call) {
  auto actor = std::make_shared<Actor>();
  std::ostringstream name;
  name << text << " (call " << call << ", stream " << stream.number << ")";
  actor->text = name.str();
  stream.clock.join(host);
  actor->epoch = stream.clock.tick(stream.timeline);
  actor->clock = stream.clock;
  return actor;
}

ActorPtr Engine::hostActor(const std::string &text) {
  auto actor = std::make_shared<Actor>();
  actor->text = text;
  actor->epoch = host.tick(kHost);
  actor->clock = host;
  return actor;
}

void Engine::push(Stream &stream, Operation operation) {
  stream.queue.push_back(std::move(operation));
}

std::shared_ptr<Moment> Engine::reach(Stream &stream) {
  auto moment = std::make_shared<Moment>();
  stream.clock.join(host);
  stream.clock.tick(stream.timeline);
  moment->clock = stream.clock;
  for (const StreamPtr &owner : streams)
    if (owner.get() == &stream)
      moment->stream = owner;
  push(stream, {Operation::Reach, nullptr, nullptr, moment});
  return moment;
}

void Engine::waitFor(Stream &stream, const std::shared_ptr<Moment> &moment) {
  stream.clock.join(moment->clock);
  if (!moment->reached)
    push(stream, {Operation::Wait, nullptr, nullptr, moment});
}

void Engine::enqueue(Stream &stream, std::shared_ptr<const Task> task,
                     int64_t call) {
  if (stream.capture) {
    stream.capture->graph->nodes.push_back(
        {Operation::Work, stream.lane, std::move(task), call, -1});
    return;
  }
  // The legacy default stream follows all blocking streams, and they it.
  auto it = defaults.find(stream.device);
  Stream *legacy = it == defaults.end() ? nullptr : it->second.get();
  if (&stream == legacy) {
    for (const StreamPtr &other : std::vector<StreamPtr>(streams))
      if (other->blocking && other->device == stream.device && !other->capture)
        waitFor(stream, reach(*other));
  } else if (legacy && stream.blocking) {
    waitFor(stream, reach(*legacy));
  }
  ActorPtr actor = actorOn(stream, task->text, call);
  push(stream, {Operation::Work, actor, task->issue(), nullptr});
  afterEnqueue();
}

void Engine::record(Stream &stream, Event &event) {
  event.captured = stream.capture != nullptr;
  if (!stream.capture) {
    event.moment = reach(stream);
    afterEnqueue();
    return;
  }
  Graph &graph = *stream.capture->graph;
  event.graph = stream.capture->graph;
  event.graphMoment = graph.moments++;
  event.graphLane = stream.lane;
  graph.nodes.push_back(
      {Operation::Reach, stream.lane, nullptr, 0, event.graphMoment});
}

bool Engine::wait(Stream &stream, Event &event) {
  if (!event.captured) {
    if (stream.capture)
      return false;
    if (event.moment)
      waitFor(stream, event.moment);
    afterEnqueue();
    return true;
  }
  std::shared_ptr<Graph> graph = event.graph.lock();
  Capture *capture = nullptr;
  for (const auto &candidate : captures)
    if (candidate->graph == graph)
      capture = candidate.get();
  if (!capture || (stream.capture && stream.capture != capture))
    return false;
  if (!stream.capture) {
    stream.capture = capture;
    stream.lane = graph->lanes++;
    capture->streams.push_back(&stream);
  }
  graph->nodes.push_back(
      {Operation::Wait, stream.lane, nullptr, 0, event.graphMoment});
  return true;
}

Capture *Engine::capturing(std::thread::id thread) const {
  constexpr int kGlobal = 0, kThreadLocal = 1;
  for (const auto &capture : captures)
    if (capture->mode == kGlobal ||
        (capture->mode == kThreadLocal && capture->thread == thread))
      return capture.get();
  return nullptr;
}

std::shared_ptr<Graph> Engine::endCapture(Capture &capture) {
  std::shared_ptr<Graph> graph = capture.graph;
  // What each lane's end, and each moment, is behind of.
  std::vector<Clock> lanes(graph->lanes), moments(graph->moments);
  for (const Node &node : graph->nodes) {
    if (node.kind == Operation::Work)
      lanes[node.lane].tick(node.lane);
    else if (node.kind == Operation::Reach)
      moments[node.moment] = lanes[node.lane];
    else
      lanes[node.lane].join(moments[node.moment]);
  }
  bool joined = true;
  for (int32_t lane = 0; lane < graph->lanes; ++lane)
    joined &= lanes[capture.origin->lane].at(lane) == lanes[lane].at(lane);
  bool invalid = capture.invalid;
  for (Stream *stream : capture.streams) {
    stream->capture = nullptr;
    stream->lane = -1;
  }
  captures.erase(std::find_if(captures.begin(), captures.end(),
                              [&](auto &c) { return c.get() == &capture; }));
  return joined && !invalid ? graph : nullptr;
}

std::shared_ptr<GraphExec>
Engine::instantiate(std::shared_ptr<const Graph> graph, int32_t device) {
  auto exec = std::make_shared<GraphExec>();
  for (int32_t lane = 0; lane < graph->lanes; ++lane)
    exec->lanes.push_back(createStream(device, false));
  exec->graph = std::move(graph);
  return exec;
}

void Engine::launch(GraphExec &exec, const StreamPtr &stream, int64_t call) {
  if (exec.last)
    waitFor(*stream, exec.last);
  std::shared_ptr<Moment> start = reach(*stream);
  for (const StreamPtr &lane : exec.lanes)
    waitFor(*lane, start);
  std::vector<std::shared_ptr<Moment>> moments(exec.graph->moments);
  for (const Node &node : exec.graph->nodes) {
    Stream &lane = *exec.lanes[node.lane];
    if (node.kind == Operation::Reach)
      moments[node.moment] = reach(lane);
    else if (node.kind == Operation::Wait)
      waitFor(lane, moments[node.moment]);
    else
      push(lane, {Operation::Work,
                  actorOn(lane,
                          node.task->text + " captured by call " +
                              std::to_string(node.call) + ", launched",
                          call),
                  node.task->issue(), nullptr});
  }
  for (const StreamPtr &lane : exec.lanes)
    waitFor(*stream, reach(*lane));
  exec.last = reach(*stream);
  afterEnqueue();
}

bool Engine::step(Stream &stream) {
  if (stream.queue.empty() || running)
    return false;
  Operation &head = stream.queue.front();
  if (head.kind == Operation::Wait && !head.moment->reached)
    return false;
  if (head.kind == Operation::Reach) {
    head.moment->reached = true;
    head.moment->seconds = now();
  }
  if (head.kind == Operation::Work) {
    // Work may call back; it may not run other work meanwhile.
    running = true;
    Progress progress = head.step(head.actor);
    running = false;
    if (progress == Progress::Waiting)
      return false;
  }
  stream.queue.pop_front();
  return true;
}

/// One step of the stream, or of one that it waits for.
bool Engine::stepTowards(Stream &stream, int depth) {
  if (step(stream))
    return true;
  if (stream.queue.empty() || depth > 64)
    return false;
  const Operation &head = stream.queue.front();
  if (head.kind != Operation::Wait)
    return false;
  StreamPtr other = head.moment->stream.lock();
  return other && stepTowards(*other, depth + 1);
}

bool Engine::stepAny() {
  size_t count = streams.size();
  size_t first = options.schedule == Schedule::Random ? random() : next;
  for (size_t i = 0; i < count; ++i) {
    size_t at = (first + i) % count;
    if (step(*streams[at])) {
      next = at;
      return true;
    }
  }
  return false;
}

void Engine::afterEnqueue() {
  if (options.schedule == Schedule::Eager)
    while (stepAny()) {
    }
  if (options.schedule == Schedule::Random)
    for (uint64_t steps = random() % 3; steps > 0 && stepAny(); --steps) {
    }
  streams.erase(std::remove_if(streams.begin(), streams.end(),
                               [](const StreamPtr &stream) {
                                 return stream->destroyed &&
                                        stream->queue.empty();
                               }),
                streams.end());
  changed.notify_all();
}

void Engine::until(Lock &lock, const std::function<bool()> &done,
                   Stream *towards, const std::string &what) {
  double start = now();
  while (!done()) {
    bool stepped = options.schedule == Schedule::Lazy && towards
                       ? stepTowards(*towards) || stepAny()
                       : stepAny();
    if (stepped)
      continue;
    // Other threads or processes must come first; nobody waits for ever.
    constexpr double kDeadline = 120;
    if (now() - start > kDeadline) {
      findings.add(what + " waits for what does not come");
      return;
    }
    changed.wait_for(lock, std::chrono::microseconds(200));
  }
  changed.notify_all();
}

void Engine::finish(Lock &lock, const StreamPtr &stream) {
  until(
      lock, [&] { return stream->queue.empty(); }, stream.get(),
      "stream " + std::to_string(stream->number));
  host.join(stream->clock);
}

void Engine::finish(Lock &lock, std::shared_ptr<Moment> moment) {
  StreamPtr stream = moment->stream.lock();
  until(
      lock, [&] { return moment->reached; }, stream.get(), "an event");
  host.join(moment->clock);
}

void Engine::finishAll(Lock &lock, int32_t device) {
  for (const StreamPtr &stream : std::vector<StreamPtr>(streams))
    if (stream->device == device && !stream->capture)
      finish(lock, stream);
}

bool Engine::query(const StreamPtr &stream) {
  while (!stream->queue.empty() && (stepTowards(*stream) || stepAny())) {
  }
  if (!stream->queue.empty())
    return false;
  host.join(stream->clock);
  return true;
}

bool Engine::query(const std::shared_ptr<Moment> &moment) {
  StreamPtr stream = moment->stream.lock();
  while (!moment->reached && ((stream && stepTowards(*stream)) || stepAny())) {
  }
  if (!moment->reached)
    return false;
  host.join(moment->clock);
  return true;
}

} // namespace tpc::sim
