// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sleeping part of a counter, on a futex: it needs no lock shared by all
// ranks, and nothing is called when nobody sleeps.

#include "wait.h"
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace tpc::rt {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t),
              "a futex is a plain 32-bit word");

int Counter::spins() {
  // About 20 microseconds: more than a barrier of threads that all run needs,
  // less than a time slice by far.
  static const int count = std::thread::hardware_concurrency() > 1 ? 500 : 0;
  return count;
}

void Counter::yield() { sched_yield(); }

void Counter::store(uint32_t next) {
  // Sequentially consistent together with the increment in `sleep`: either the
  // sleeper sees the new value or it is seen here.
  value.store(next, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) > 0)
    wake();
}

void Counter::wake() {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&value), FUTEX_WAKE_PRIVATE,
          INT_MAX, nullptr, nullptr, 0);
}

void Counter::sleep(uint32_t target) {
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  uint32_t seen = value.load(std::memory_order_seq_cst);
  if (static_cast<int32_t>(seen - target) < 0) {
    timespec limit{0, 5 * 1000 * 1000};
    syscall(SYS_futex, reinterpret_cast<uint32_t *>(&value), FUTEX_WAIT_PRIVATE,
            seen, &limit, nullptr, 0);
  }
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

} // namespace tpc::rt
