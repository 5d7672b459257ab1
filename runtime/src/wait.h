// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter that threads wait on: spin first, then give the core away, then
// sleep in the kernel.
#ifndef TPC_RT_SRC_WAIT_H
#define TPC_RT_SRC_WAIT_H

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tpc::rt {

using Clock = std::chrono::steady_clock;

/// On a cache line of its own: one thread advances it, others poll it.
class alignas(64) Counter {
public:
  uint32_t load() const { return value.load(std::memory_order_acquire); }

  /// Publishes everything written before to whoever sees the new value.
  void store(uint32_t next);

  /// Waits until the counter, which only grows (modulo 2^32), has reached
  /// `target`. Returns false when `give_up()` does before, which is asked every
  /// few milliseconds at least.
  template <typename GiveUp> bool wait(uint32_t target, GiveUp &&giveUp) {
    if (reached(target))
      return true;
    for (int i = 0; i < spins(); ++i) {
      pause();
      if (reached(target))
        return true;
    }
    // While others want the core, yielding hands it to the one we wait for.
    Clock::time_point start = Clock::now();
    while (Clock::now() - start < std::chrono::microseconds(200)) {
      if (reached(target))
        return true;
      if (giveUp())
        return reached(target);
      yield();
    }
    while (true) {
      if (reached(target))
        return true;
      if (giveUp())
        return reached(target);
      sleep(target);
    }
  }

private:
  void wake();
  bool reached(uint32_t target) const {
    return static_cast<int32_t>(load() - target) >= 0;
  }
  /// Spinning only pays when the other side runs at the same time.
  static int spins();
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  static void yield();
  /// Sleeps until woken, at most a few milliseconds.
  void sleep(uint32_t target);

  std::atomic<uint32_t> value{0};
  std::atomic<int32_t> sleepers{0};
};

/// Seconds since `start`.
inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace tpc::rt

#endif // TPC_RT_SRC_WAIT_H
