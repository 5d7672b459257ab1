// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands work to the threads of a rank's streams, and makes them wait for each
// other.

#include "streams.h"

namespace tpc::rt {

Streams::~Streams() {
  isStopping = true;
  for (Line &line : lines)
    if (line.thread.joinable()) {
      line.given.store(line.given.load() + 1);
      line.thread.join();
    }
}

void Streams::start() {
  std::lock_guard<std::mutex> lock(mutex);
  for (int32_t stream = 0; stream < TPC_RT_STREAMS; ++stream)
    if (Line &line = lines[stream];
        stream != TPC_RT_COMPUTE && !line.thread.joinable())
      line.thread = std::thread([this, &line] { serve(line); });
}

void Streams::serve(Line &line) {
  for (uint32_t next = 1;; ++next) {
    line.given.wait(next, [] { return false; });
    if (isStopping)
      return;
    std::function<void()> work;
    {
      std::lock_guard<std::mutex> lock(line.mutex);
      work = std::move(line.work.front());
      line.work.pop_front();
    }
    work();
    line.done.store(next);
  }
}

void Streams::begin(int32_t numEvents, std::function<bool()> newGiveUp) {
  events.assign(numEvents, Event());
  giveUp = std::move(newGiveUp);
}

void Streams::drain() {
  for (Line &line : lines)
    line.done.wait(line.given.load(), [] { return false; });
}

void Streams::enqueue(int32_t stream, std::function<void()> work) {
  Line &line = lines[stream];
  {
    std::lock_guard<std::mutex> lock(line.mutex);
    line.work.push_back(std::move(work));
  }
  line.given.store(line.given.load() + 1);
}

void Streams::record(int32_t event, int32_t stream) {
  events[event] = {stream, lines[stream].given.load()};
}

bool Streams::wait(int32_t stream, int32_t number) {
  // The event as it is now: it may be recorded again before its stream is
  // there.
  Event event = events[number];
  if (event.stream == TPC_RT_COMPUTE || event.stream == stream)
    return true;
  Counter &done = lines[event.stream].done;
  if (stream == TPC_RT_COMPUTE)
    return done.wait(event.position, giveUp);
  enqueue(stream, [this, &done, position = event.position] {
    (void)done.wait(position, giveUp);
  });
  return true;
}

} // namespace tpc::rt
