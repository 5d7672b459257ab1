// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block is run in phases: every thread goes on until it ends or waits; when
// none can go on, barriers and shuffles at which all have arrived are released.
#include "BlockExecutor.h"
#include "Fiber.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace tpc::sim {

static constexpr int64_t kWarp = 32;
static constexpr int64_t kMaxThreads = 1024;
static constexpr int64_t kStaticShared = 48 * 1024;
static constexpr int64_t kMaxShared = 227 * 1024;
static constexpr int64_t kGuard = 256;
static constexpr unsigned char kPoison = 0xfb; // an f32 of -2.6e36, no NaN

OrderOptions OrderOptions::parse(const std::string &text) {
  if (text == "forward")
    return {Order::Forward, 0};
  if (text == "reverse")
    return {Order::Reverse, 0};
  if (text.rfind("random:", 0) == 0)
    return {Order::Random, std::stoull(text.substr(7))};
  throw std::invalid_argument("expected forward, reverse or random:SEED, got " +
                              text);
}

namespace {

enum class State { Ready, Barrier, Shuffle, Done };

const char *stateText(State state) {
  switch (state) {
  case State::Barrier:
    return "waits at a barrier";
  case State::Shuffle:
    return "waits at a shuffle";
  case State::Done:
    return "has ended";
  case State::Ready:
    break;
  }
  return "runs";
}

struct Thread {
  State state = State::Ready;
  Fiber *fiber = nullptr;
  int32_t value = 0, offset = 0, width = 0, mode = 0;
};

/// What one thread last did to a byte of shared memory, between two barriers.
struct SharedByte {
  int64_t phase = -1;
  int32_t writer = -1;
  int32_t reader = -1; // -2: several
};

class Executor {
public:
  Executor(const KernelLaunch &launch, const OrderOptions &order,
           const Touch &touch)
      : launch(launch), order(order), touch(touch), random(order.seed) {}

  std::string run();
  void wait(State state);
  void fail(const std::string &why);
  /// Does not return. Nothing on the stack may own memory.
  void stop() { current->fiber->suspend(); }
  void *shared(int64_t bytes);
  void touched(const void *address, int64_t bytes, int32_t kind);

  const KernelLaunch &launch;
  Thread *current = nullptr;
  int64_t thread = 0;
  int64_t block = 0;

private:
  static void body(void *self);
  std::vector<int64_t> sequence(int64_t count);
  bool runBlock();
  bool runReady();
  bool release();
  bool releaseWarp(int64_t first, int64_t last);
  bool diverged(int64_t one, int64_t other);
  void touchedShared(int64_t offset, int64_t bytes, int32_t kind);

  const OrderOptions &order;
  const Touch &touch;
  std::mt19937_64 random;
  std::vector<Thread> threads;
  std::vector<unsigned char> memory;
  std::vector<SharedByte> shadow;
  int64_t sharedBytes = 0;
  int64_t phase = 0;
  std::string failure;
};

/// Making one takes longer than most threads run: they are kept.
struct Stacks {
  std::vector<std::unique_ptr<Fiber>> all;
  std::vector<Fiber *> free;

  Fiber *take() {
    if (free.empty()) {
      all.push_back(std::make_unique<Fiber>());
      return all.back().get();
    }
    Fiber *fiber = free.back();
    free.pop_back();
    return fiber;
  }
};
thread_local Stacks stacks;

// One kernel runs at a time on a host thread.
thread_local Executor *running = nullptr;

std::vector<int64_t> Executor::sequence(int64_t count) {
  std::vector<int64_t> result(count);
  std::iota(result.begin(), result.end(), 0);
  if (order.order == Order::Reverse)
    std::reverse(result.begin(), result.end());
  // std::shuffle is not the same everywhere; this is.
  if (order.order == Order::Random)
    for (int64_t i = count - 1; i > 0; --i)
      std::swap(result[i], result[random() % (i + 1)]);
  return result;
}

void Executor::body(void *self) {
  auto *executor = static_cast<Executor *>(self);
  executor->launch.run(executor->launch.params);
}

void Executor::fail(const std::string &why) {
  failure = std::string("kernel ") + launch.name + ", block " +
            std::to_string(block) + ", thread " + std::to_string(thread) +
            ": " + why;
}

void Executor::wait(State state) {
  Thread *self = current;
  int64_t number = thread;
  self->state = state;
  self->fiber->suspend();
  current = self;
  thread = number;
}

bool Executor::diverged(int64_t one, int64_t other) {
  std::ostringstream text;
  text << "kernel " << launch.name << ", block " << block << ": thread " << one
       << " " << stateText(threads[one].state) << " while thread " << other
       << " " << stateText(threads[other].state);
  failure = text.str();
  return false;
}

bool Executor::runReady() {
  for (int64_t number : sequence(launch.block)) {
    Thread &self = threads[number];
    if (self.state != State::Ready)
      continue;
    if (!self.fiber) {
      self.fiber = stacks.take();
      self.fiber->start(body, this);
    }
    current = &self;
    thread = number;
    bool ended = self.fiber->resume();
    if (!failure.empty())
      return false;
    if (ended) {
      self.state = State::Done;
      stacks.free.push_back(self.fiber);
      self.fiber = nullptr;
    }
  }
  return true;
}

bool Executor::releaseWarp(int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    if (threads[i].state != threads[first].state)
      return diverged(first, i);
    if (threads[i].width != threads[first].width ||
        threads[i].mode != threads[first].mode) {
      failure = std::string("kernel ") + launch.name + ": threads " +
                std::to_string(first) + " and " + std::to_string(i) +
                " are in different shuffles";
      return false;
    }
  }
  std::vector<int32_t> values;
  for (int64_t i = first; i < last; ++i)
    values.push_back(threads[i].value);
  for (int64_t i = first; i < last; ++i) {
    Thread &self = threads[i];
    int64_t lane = i - first;
    int64_t segment = lane / self.width * self.width;
    int64_t source = lane;
    switch (self.mode) {
    case TPC_SIM_SHUFFLE_XOR:
      source = lane ^ self.offset;
      break;
    case TPC_SIM_SHUFFLE_UP:
      source = lane - self.offset;
      break;
    case TPC_SIM_SHUFFLE_DOWN:
      source = lane + self.offset;
      break;
    case TPC_SIM_SHUFFLE_IDX:
      source = segment + self.offset % self.width;
      break;
    }
    // A lane outside of the segment, or that the block does not have.
    bool inside = source >= segment && source < segment + self.width &&
                  source < last - first;
    self.value = inside ? values[source] : values[lane];
    self.state = State::Ready;
  }
  return true;
}

bool Executor::release() {
  bool shuffled = false;
  for (int64_t first = 0; first < launch.block; first += kWarp) {
    int64_t last = std::min(first + kWarp, launch.block);
    auto shuffles = [](const Thread &t) { return t.state == State::Shuffle; };
    if (std::none_of(&threads[first], &threads[0] + last, shuffles))
      continue;
    if (!releaseWarp(first, last))
      return false;
    shuffled = true;
  }
  if (shuffled)
    return true;
  for (int64_t i = 0; i < launch.block; ++i)
    if (threads[i].state != threads[0].state)
      return diverged(0, i);
  ++phase;
  for (Thread &self : threads)
    if (self.state == State::Barrier)
      self.state = State::Ready;
  return true;
}

bool Executor::runBlock() {
  sharedBytes = 0;
  threads.assign(launch.block, Thread());
  ++phase;
  do {
    if (!runReady() || !release())
      return false;
  } while (threads[0].state != State::Done);
  auto intact = [](unsigned char byte) { return byte == kPoison; };
  if (sharedBytes > 0 && !std::all_of(&memory[sharedBytes],
                                      &memory[sharedBytes + kGuard], intact)) {
    failure = std::string("kernel ") + launch.name + ", block " +
              std::to_string(block) + " wrote behind its " +
              std::to_string(sharedBytes) + " bytes of shared memory";
    return false;
  }
  return true;
}

std::string Executor::run() {
  if (launch.block < 1 || launch.block > kMaxThreads || launch.grid < 1 ||
      launch.sharedBytes < 0 || launch.sharedBytes > kMaxShared)
    return std::string("kernel ") + launch.name + ": a grid of " +
           std::to_string(launch.grid) + " blocks of " +
           std::to_string(launch.block) + " threads with " +
           std::to_string(launch.sharedBytes) +
           " bytes of shared memory is more than a device has";
  memory.resize(std::max(launch.sharedBytes, kStaticShared) + kGuard);
  Executor *outer = running;
  running = this;
  for (int64_t number : sequence(launch.grid)) {
    block = number;
    if (!runBlock())
      break;
  }
  for (Thread &left : threads)
    if (left.fiber)
      stacks.free.push_back(left.fiber);
  running = outer;
  return failure;
}

void *Executor::shared(int64_t bytes) {
  if (launch.sharedBytes == 0 && bytes > kStaticShared) {
    fail("asks for " + std::to_string(bytes) +
         " bytes of static shared memory, of which a device has " +
         std::to_string(kStaticShared));
    stop();
  }
  if (sharedBytes == 0)
    std::fill(memory.begin(), memory.end(), kPoison);
  sharedBytes = std::max({sharedBytes, bytes, launch.sharedBytes});
  return memory.data();
}

void Executor::touched(const void *address, int64_t bytes, int32_t kind) {
  auto *at = static_cast<const unsigned char *>(address);
  if (at >= memory.data() && at < memory.data() + memory.size())
    touchedShared(at - memory.data(), bytes, kind);
  else if (touch &&
           !touch(address, bytes, kind,
                  {static_cast<int32_t>(block), static_cast<int32_t>(thread),
                   static_cast<int32_t>(phase)}))
    fail("reads or writes where it may not");
  if (!failure.empty())
    stop();
}

void Executor::touchedShared(int64_t offset, int64_t bytes, int32_t kind) {
  if (offset % bytes != 0)
    return fail("touches " + std::to_string(bytes) +
                " bytes of shared memory at an address that is no multiple");
  if (offset + bytes > sharedBytes)
    return fail("reads or writes byte " + std::to_string(offset + bytes - 1) +
                " of its " + std::to_string(sharedBytes) +
                " bytes of shared memory");
  shadow.resize(memory.size());
  auto self = static_cast<int32_t>(thread);
  for (int64_t i = offset; i < offset + bytes; ++i) {
    SharedByte &byte = shadow[i];
    if (byte.phase != phase)
      byte = {phase, -1, -1};
    bool write = kind & TPC_SIM_WRITE;
    int32_t other = byte.writer;
    if (write && (other == -1 || other == self) && byte.reader != -1)
      other = byte.reader;
    if (other != -1 && other != self && !(kind & TPC_SIM_ATOMIC))
      return fail((write ? "writes" : "reads") +
                  (" byte " + std::to_string(i)) +
                  " of shared memory, which thread " +
                  (other == -2 ? "another" : std::to_string(other)) +
                  (other == byte.writer ? " wrote" : " read") +
                  " with no barrier between");
    if (write)
      byte.writer = self;
    else
      byte.reader = byte.reader == -1 || byte.reader == self ? self : -2;
  }
}

} // namespace

const tpc_sim_api *kernelApi() {
  static const tpc_sim_api api = {
      [] { return running->thread; },
      [] { return running->block; },
      [] { running->wait(State::Barrier); },
      [](int32_t value, int32_t offset, int32_t width, int32_t mode) {
        Executor *executor = running;
        Thread *self = executor->current;
        if (width < 1 || width > kWarp || (width & (width - 1)) || mode < 0 ||
            mode > TPC_SIM_SHUFFLE_IDX) {
          executor->fail("shuffles over " + std::to_string(width) +
                         " lanes in mode " + std::to_string(mode));
          executor->stop();
        }
        self->value = value;
        self->offset = offset;
        self->width = width;
        self->mode = mode;
        executor->wait(State::Shuffle);
        return self->value;
      },
      [](int64_t bytes) { return running->shared(bytes); },
      [](const void *address, int64_t bytes, int32_t kind) {
        running->touched(address, bytes, kind);
      },
  };
  return &api;
}

std::string runKernel(const KernelLaunch &launch, const OrderOptions &order,
                      const Touch &touch) {
  return Executor(launch, order, touch).run();
}

} // namespace tpc::sim
