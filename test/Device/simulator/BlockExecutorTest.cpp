// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor runs right kernels alike in every order, and shows what is wrong
// with wrong ones: a missing barrier, threads that part ways, shared memory
// that nobody wrote.
#include "BlockExecutor.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace tpc::sim;
using testing::HasSubstr;

namespace {

constexpr int64_t kBlock = 256;

template <typename T> T parameter(void **params, int i) {
  return *static_cast<T *>(params[i]);
}

int64_t at() { return kernelApi()->block() * kBlock + kernelApi()->thread(); }

int32_t *shared() {
  return static_cast<int32_t *>(kernelApi()->shared(kBlock * 4));
}

void store(int32_t *where, int32_t value) {
  kernelApi()->touch(where, 4, TPC_SIM_WRITE);
  *where = value;
}

int32_t load(const int32_t *where) {
  kernelApi()->touch(where, 4, TPC_SIM_READ);
  return *where;
}

/// Sums a block by shuffles within warps, then over warps.
void sumByShuffles(void **params) {
  auto *api = kernelApi();
  int32_t value = parameter<const int32_t *>(params, 0)[at()];
  for (int offset = 16; offset > 0; offset /= 2)
    value += api->shuffle(value, offset, 32, TPC_SIM_SHUFFLE_XOR);
  int64_t thread = api->thread();
  if (thread % 32 == 0)
    shared()[thread / 32] = value;
  api->barrier();
  if (thread == 0)
    parameter<int32_t *>(params, 1)[api->block()] =
        std::accumulate(shared(), shared() + kBlock / 32, 0);
}

/// Sums a block as a tree in shared memory.
template <bool lastBarrier> void sumByTree(void **params) {
  auto *api = kernelApi();
  int64_t thread = api->thread();
  shared()[thread] = parameter<const int32_t *>(params, 0)[at()];
  for (int64_t half = kBlock / 2; half > 0; half /= 2) {
    if (lastBarrier || half > 1)
      api->barrier();
    if (thread < half)
      shared()[thread] += shared()[thread + half];
  }
  if (thread == 0)
    parameter<int32_t *>(params, 1)[api->block()] = shared()[0];
}

/// Each thread gives its neighbour's number.
template <bool barrier> void neighbour(void **params) {
  auto *api = kernelApi();
  int64_t thread = api->thread();
  store(shared() + thread, static_cast<int32_t>(thread));
  if (barrier)
    api->barrier();
  parameter<int32_t *>(params, 1)[at()] =
      load(shared() + (thread + 1) % kBlock);
}

/// The same without saying what it touches: only the values show it.
void neighbourUnsaid(void **params) {
  int64_t thread = kernelApi()->thread();
  shared()[thread] = static_cast<int32_t>(thread);
  parameter<int32_t *>(params, 1)[at()] = shared()[(thread + 1) % kBlock];
}

struct Outcome {
  std::vector<int32_t> out;
  std::string failure;
};

Outcome run(void (*kernel)(void **), const std::string &order,
            const Touch &touch = nullptr) {
  constexpr int64_t grid = 3;
  std::vector<int32_t> in(grid * kBlock);
  std::iota(in.begin(), in.end(), 1);
  Outcome result;
  result.out.assign(in.size(), 0);
  const int32_t *from = in.data();
  int32_t *to = result.out.data();
  void *params[] = {&from, &to};
  result.failure = runKernel({"k", kernel, params, grid, kBlock, 0},
                             OrderOptions::parse(order), touch);
  return result;
}

const char *const kOrders[] = {"forward", "reverse", "random:1", "random:2"};

int32_t sumOfBlock(int32_t block) {
  return kBlock * (kBlock * block + 1) + kBlock * (kBlock - 1) / 2;
}

TEST(BlockExecutor, RightKernelsGiveTheSameInEveryOrder) {
  for (const char *order : kOrders)
    for (auto *kernel : {sumByShuffles, sumByTree<true>}) {
      Outcome got = run(kernel, order);
      EXPECT_EQ(got.failure, "");
      for (int32_t block = 0; block < 3; ++block)
        EXPECT_EQ(got.out[block], sumOfBlock(block)) << order;
    }
}

TEST(BlockExecutor, AMissingBarrierGivesOtherValuesInAnotherOrder) {
  EXPECT_NE(run(neighbourUnsaid, "forward").out,
            run(neighbourUnsaid, "reverse").out);
  EXPECT_EQ(run(neighbour<true>, "forward").out,
            run(neighbour<true>, "reverse").out);
  Outcome tree = run(sumByTree<false>, "reverse");
  EXPECT_EQ(tree.failure, "");
  EXPECT_EQ(run(sumByTree<false>, "forward").out[1] == sumOfBlock(1) &&
                tree.out[1] == sumOfBlock(1),
            false);
}

TEST(BlockExecutor, AMissingBarrierIsNamedWhereAccessesAreSaid) {
  for (const char *order : kOrders) {
    EXPECT_EQ(run(neighbour<true>, order).failure, "");
    EXPECT_THAT(run(neighbour<false>, order).failure,
                HasSubstr("with no barrier between"));
  }
}

TEST(BlockExecutor, ThreadsThatPartWaysAreAnError) {
  EXPECT_EQ(run(
                [](void **) {
                  if (kernelApi()->thread() != 7)
                    kernelApi()->barrier();
                },
                "forward")
                .failure,
            "kernel k, block 0: thread 0 waits at a barrier while thread 7 has "
            "ended");
  EXPECT_EQ(run(
                [](void **) {
                  if (kernelApi()->thread() == 40)
                    kernelApi()->barrier();
                  kernelApi()->shuffle(0, 1, 32, TPC_SIM_SHUFFLE_DOWN);
                },
                "reverse")
                .failure,
            "kernel k, block 2: thread 32 waits at a shuffle while thread 40 "
            "waits at a barrier");
  EXPECT_THAT(run(
                  [](void **) {
                    int32_t width = kernelApi()->thread() == 3 ? 16 : 32;
                    kernelApi()->shuffle(0, 1, width, TPC_SIM_SHUFFLE_UP);
                  },
                  "forward")
                  .failure,
              HasSubstr("threads 0 and 3 are in different shuffles"));
}

TEST(BlockExecutor, ShufflesKeepToTheirSegment) {
  auto give = [](int32_t mode, int32_t offset) {
    static int32_t m, o;
    m = mode, o = offset;
    return run(
               [](void **params) {
                 auto lane = static_cast<int32_t>(at());
                 parameter<int32_t *>(params, 1)[at()] =
                     kernelApi()->shuffle(lane, o, 8, m);
               },
               "random:3")
        .out;
  };
  std::vector<int32_t> flipped = give(TPC_SIM_SHUFFLE_XOR, 3),
                       up = give(TPC_SIM_SHUFFLE_UP, 2),
                       down = give(TPC_SIM_SHUFFLE_DOWN, 2),
                       fifth = give(TPC_SIM_SHUFFLE_IDX, 5);
  for (int32_t i = 0; i < kBlock; ++i) {
    int32_t first = i / 8 * 8;
    EXPECT_EQ(flipped[i], i ^ 3);
    EXPECT_EQ(up[i], i - 2 < first ? i : i - 2);
    EXPECT_EQ(down[i], i + 2 >= first + 8 ? i : i + 2);
    EXPECT_EQ(fifth[i], first + 5);
  }
}

TEST(BlockExecutor, SharedMemoryIsGarbageInEveryBlock) {
  Outcome got = run(
      [](void **params) {
        parameter<int32_t *>(params, 1)[at()] = shared()[kernelApi()->thread()];
        kernelApi()->barrier();
        shared()[kernelApi()->thread()] = 0;
      },
      "forward");
  for (int32_t value : got.out)
    EXPECT_EQ(value, static_cast<int32_t>(0xfbfbfbfb));
}

TEST(BlockExecutor, SharedMemoryHasAnEnd) {
  EXPECT_THAT(run(
                  [](void **) {
                    if (kernelApi()->thread() == 5)
                      shared()[kBlock] = 1;
                  },
                  "forward")
                  .failure,
              HasSubstr("wrote behind its 1024 bytes of shared memory"));
  EXPECT_THAT(run([](void **) { load(shared() + kBlock); }, "forward").failure,
              HasSubstr("reads or writes byte 1027 of its 1024 bytes"));
  EXPECT_THAT(
      run([](void **) { kernelApi()->shared(64 * 1024); }, "forward").failure,
      HasSubstr("of which a device has 49152"));
}

TEST(BlockExecutor, TheCallerMayRefuseAnAccess) {
  Outcome got = run(
      [](void **params) { store(parameter<int32_t *>(params, 1) + at(), 1); },
      "forward",
      [](const void *, int64_t bytes, int32_t kind, const Place &place) {
        EXPECT_EQ(bytes, 4);
        EXPECT_EQ(kind, TPC_SIM_WRITE);
        EXPECT_EQ(place.block, 0);
        EXPECT_EQ(place.thread, 0);
        return false;
      });
  EXPECT_EQ(got.failure,
            "kernel k, block 0, thread 0: reads or writes where it may not");
  EXPECT_EQ(got.out[0], 0);
}

TEST(BlockExecutor, RefusesWhatADeviceRefuses) {
  void *none[] = {nullptr};
  EXPECT_THAT(runKernel({"k", neighbourUnsaid, none, 1, 1025, 0}, {}),
              HasSubstr("is more than a device has"));
  EXPECT_THROW(OrderOptions::parse("backward"), std::invalid_argument);
}

} // namespace
