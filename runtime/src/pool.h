// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of one rank: the rank's own thread and its helpers.
#ifndef TPC_RT_SRC_POOL_H
#define TPC_RT_SRC_POOL_H

#include "wait.h"
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace tpc::rt {

class Pool {
public:
  /// A pool of `size` threads, the caller's included.
  explicit Pool(int32_t size);
  ~Pool();

  int32_t size() const { return static_cast<int32_t>(helpers.size()) + 1; }

  /// Runs `body(worker)` on workers 0 .. count - 1, worker 0 being the caller,
  /// and returns when all are done. `onLate` is called once if a helper has not
  /// finished `deadline` seconds after the caller: it cannot be stopped, and
  /// what it works on must stay alive, so the wait goes on.
  void run(int32_t count, double deadline,
           const std::function<void(int32_t)> &body,
           const std::function<void()> &onLate);

private:
  struct Helper {
    Counter wanted;
    Counter done;
    std::thread thread;
  };
  void serve(Helper &helper, int32_t worker);

  std::vector<std::unique_ptr<Helper>> helpers;
  const std::function<void(int32_t)> *job = nullptr;
  std::atomic<bool> isStopping{false};
};

} // namespace tpc::rt

#endif // TPC_RT_SRC_POOL_H
