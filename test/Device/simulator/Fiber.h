// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that can stop in the middle: each runs on a stack of its own.
#ifndef TPC_TEST_DEVICE_SIMULATOR_FIBER_H
#define TPC_TEST_DEVICE_SIMULATOR_FIBER_H

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TPC_SIM_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TPC_SIM_TSAN 1
#endif
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace tpc::sim {

/// One stack. Whoever calls `resume` is the scheduler; `suspend`, called by
/// what runs on the stack, returns there.
class Fiber {
public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// The next `resume` calls `entry(argument)` on this stack. What the stack
  /// held before is forgotten.
  void start(void (*entry)(void *), void *argument);
  /// Runs until the function suspends or returns; true when it returned.
  bool resume();
  void suspend();

private:
  static void main(Fiber *self);
  void enter();
  void leave();

  char *stack;
  void (*entry)(void *) = nullptr;
  void *argument = nullptr;
  bool done = true;
#if defined(__x86_64__)
  void *own = nullptr;
  void *scheduler = nullptr;
#else
  ucontext_t own;
  ucontext_t scheduler;
#endif
#ifdef TPC_SIM_ASAN
  // What the address sanitizer wants to know of a switch.
  void *fakeStack = nullptr;
  const void *schedulerStack = nullptr;
  size_t schedulerBytes = 0;
#endif
#ifdef TPC_SIM_TSAN
  // The same for the thread sanitizer.
  void *watched = nullptr;
  void *watchedScheduler = nullptr;
#endif
};

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_FIBER_H
