// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands a job to the helpers of a rank and waits for them.

#include "pool.h"

namespace tpc::rt {

Pool::Pool(int32_t size) {
  for (int32_t worker = 1; worker < size; ++worker) {
    helpers.push_back(std::make_unique<Helper>());
    Helper &helper = *helpers.back();
    helper.thread =
        std::thread([this, &helper, worker] { serve(helper, worker); });
  }
}

Pool::~Pool() {
  isStopping = true;
  for (auto &helper : helpers)
    helper->wanted.store(helper->wanted.load() + 1);
  for (auto &helper : helpers)
    helper->thread.join();
}

void Pool::serve(Helper &helper, int32_t worker) {
  for (uint32_t next = 1;; ++next) {
    helper.wanted.wait(next, [] { return false; });
    if (isStopping)
      return;
    (*job)(worker);
    helper.done.store(next);
  }
}

void Pool::run(int32_t count, double deadline,
               const std::function<void(int32_t)> &body,
               const std::function<void()> &onLate) {
  job = &body;
  for (int32_t worker = 1; worker < count; ++worker) {
    Counter &wanted = helpers[worker - 1]->wanted;
    wanted.store(wanted.load() + 1);
  }
  body(0);
  Clock::time_point start = Clock::now();
  bool isLate = false;
  for (int32_t worker = 1; worker < count; ++worker) {
    Helper &helper = *helpers[worker - 1];
    helper.done.wait(helper.wanted.load(), [&] {
      if (!isLate && secondsSince(start) > deadline) {
        isLate = true;
        onLate();
      }
      return false;
    });
  }
}

} // namespace tpc::rt
