// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When one rank fails, all end, and one message says what happened where.

#include "Harness.h"
#include <atomic>
#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <pthread.h>
#include <thread>

namespace tpc::rt::conformance {

namespace {

using testing::AllOf;
using testing::HasSubstr;

class Failures : public testing::TestWithParam<Backend> {
protected:
  /// Three ranks with two all-reduces, over "y" and "z".
  void SetUp() override {
    program.mesh = {{"tp", 3}};
    for (const char *value : {"y", "z"})
      program.collectives.push_back({"all_reduce",
                                     {0},
                                     {{TPC_RT_F32, {4}, {{{0, -1}}}, {}}},
                                     false,
                                     value});
  }

  /// Runs collective `index` with buffers of the rank.
  int32_t reduce(tpc_rt_rank_t *rank, int64_t number, int32_t index) {
    const void *in = inputs[number];
    void *out = outputs[number];
    if (index >= static_cast<int32_t>(program.collectives.size()))
      return tpc_rt_collective(rank, TPC_RT_COMPUTE, index, 1, &in, &out);
    return collective(GetParam(), program, rank, index, {in}, {out});
  }

  Outcome run(double deadline, Body body) {
    program.body = std::move(body);
    Outcome outcome = running.start(GetParam(), program, deadline);
    return outcome.ok() ? running.run() : outcome;
  }

  Program program;
  Running running;
  float inputs[3][4] = {};
  float outputs[3][4] = {};
};
TPC_RT_CONFORMANCE(Failures);

const char *const labelY = "all_reduce over [tp] of \"y\" (model.py:7)";
const char *const labelZ = "all_reduce over [tp] of \"z\" (model.py:7)";

} // namespace

TEST_P(Failures, FunctionReturnsACode) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    return number == 2 ? 5 : reduce(rank, number, 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_RANK_FAILED);
  EXPECT_EQ(outcome.rank, 2);
  EXPECT_EQ(outcome.message, std::string("rank 2 did not take part in ") +
                                 labelY + ": its function returned code 5");
}

TEST_P(Failures, FunctionReturnsACodeWhileNobodyWaits) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *, int64_t number, auto...) {
    return number == 1 ? 5 : 0;
  });
  EXPECT_EQ(outcome.code, TPC_RT_RANK_FAILED);
  EXPECT_EQ(outcome.rank, 1);
  EXPECT_EQ(outcome.message, "rank 1 failed in function \"forward\": its "
                             "function returned code 5");
}

TEST_P(Failures, FunctionReturnsWithoutItsCollective) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    int32_t code = reduce(rank, number, 0);
    return code || number == 1 ? code : reduce(rank, number, 1);
  });
  EXPECT_EQ(outcome.code, TPC_RT_RANK_FAILED);
  EXPECT_EQ(outcome.rank, 1);
  EXPECT_EQ(outcome.message, std::string("rank 1 did not take part in ") +
                                 labelZ + ": its function has returned");
}

TEST_P(Failures, ThreadDies) {
  auto begin = std::chrono::steady_clock::now();
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    if (number == 1)
      pthread_exit(nullptr);
    return reduce(rank, number, 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_RANK_FAILED);
  EXPECT_EQ(outcome.rank, 1);
  EXPECT_EQ(outcome.message, std::string("rank 1 did not take part in ") +
                                 labelY + ": its thread ended");
  // Seen at once, not at the deadline.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  Outcome again = running.run();
  EXPECT_EQ(again.code, TPC_RT_RANK_FAILED);
  EXPECT_EQ(again.message, "the world cannot run any more: the thread of rank "
                           "1 ended in an earlier run");
}

TEST_P(Failures, RankArrivesTooLate) {
  Outcome outcome = run(0.5, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    // Until the others have given up: entry points fail from then on.
    char nothing = 0;
    while (number == 2 && tpc_rt_read(rank, &nothing, &nothing, 0) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return reduce(rank, number, 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_TIMEOUT);
  EXPECT_EQ(outcome.rank, 2);
  EXPECT_THAT(outcome.message,
              AllOf(HasSubstr("waited 0.5 seconds for rank 2 in "),
                    HasSubstr(labelY),
                    HasSubstr("rank 2 is computing, before its first "
                              "collective")));
}

TEST_P(Failures, RankIsStuckForGood) {
  std::atomic<bool> isOver{false};
  std::atomic<bool> hasLeft{false};
  {
    Outcome outcome =
        run(0.2, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
          if (int32_t code = reduce(rank, number, 0))
            return code;
          if (number == 0) {
            while (!isOver)
              std::this_thread::sleep_for(std::chrono::milliseconds(5));
            hasLeft = true;
            return 0;
          }
          return reduce(rank, number, 1);
        });
    EXPECT_EQ(outcome.code, TPC_RT_TIMEOUT);
    EXPECT_EQ(outcome.rank, 0);
    EXPECT_THAT(outcome.message,
                AllOf(HasSubstr("for rank 0 in "), HasSubstr(labelZ),
                      HasSubstr("rank 0 is computing, after "),
                      HasSubstr(labelY)));
    EXPECT_EQ(running.run().message, "the world cannot run any more: rank 0 "
                                     "did not end after an earlier failure");
  }
  // The handles may go while the rank is still at work.
  running = Running();
  isOver = true;
  while (!hasLeft)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST_P(Failures, NothingMovesOutsideACollective) {
  Outcome outcome = run(1, [&](tpc_rt_rank_t *, int64_t number, auto...) {
    if (number == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(1800));
    return 0;
  });
  EXPECT_EQ(outcome.code, TPC_RT_TIMEOUT);
  EXPECT_EQ(outcome.rank, 1);
  EXPECT_EQ(outcome.message, "nothing has moved for 1 seconds; rank 1 is "
                             "computing, before its first collective");
}

TEST_P(Failures, RanksInDifferentCollectives) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    return reduce(rank, number, number == 1 ? 1 : 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_MISMATCH);
  EXPECT_THAT(outcome.message,
              AllOf(HasSubstr(labelY), HasSubstr(labelZ), HasSubstr("rank 1"),
                    HasSubstr(" while rank ")));
}

TEST_P(Failures, AFailedRunLeavesTheWorldUsable) {
  bool fails = true;
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    return fails && number == 0 ? 3 : reduce(rank, number, 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_RANK_FAILED);
  fails = false;
  for (int repeat = 0; repeat < 3; ++repeat)
    EXPECT_TRUE(running.run().ok());
}

TEST_P(Failures, WrongCollectiveCalls) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    return reduce(rank, number, 7);
  });
  EXPECT_EQ(outcome.code, TPC_RT_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message,
              HasSubstr(": expected a collective below 2, got 7"));
  outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t, auto...) {
    return tpc_rt_collective(rank, TPC_RT_COMPUTE, 0, 2, nullptr, nullptr);
  });
  EXPECT_EQ(outcome.code, TPC_RT_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message,
              AllOf(HasSubstr(labelY), HasSubstr("expected 1 parts, got 2")));
}

TEST_P(Failures, KernelsOfAnotherDevice) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t, auto...) {
    return tpc_rt_kernel(rank, 0, nullptr);
  });
  if (hasHostMemory(GetParam())) {
    EXPECT_EQ(outcome.code, TPC_RT_UNSUPPORTED);
    EXPECT_THAT(outcome.message, HasSubstr("device kernels on the cpu: compile "
                                           "for --target cpu"));
    return;
  }
  EXPECT_THAT(outcome.message, HasSubstr("expected a kernel below 0, got 0"));
  outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t, auto...) {
    return tpc_rt_launch(rank, nullptr, 1, 1, nullptr);
  });
  EXPECT_EQ(outcome.code, TPC_RT_UNSUPPORTED);
  EXPECT_THAT(outcome.message, HasSubstr("kernels of the cpu on a GPU: compile "
                                         "for --target cuda"));
}

TEST_P(Failures, CollectivesThatCannotWork) {
  auto create = [&](CollectiveSpec spec, Mesh mesh = {{"dp", 2}, {"tp", 2}}) {
    Program broken;
    broken.mesh = std::move(mesh);
    broken.collectives = {std::move(spec)};
    Running attempt;
    return attempt.start(GetParam(), broken);
  };
  // The outer of two nested axes cannot be gathered alone.
  Outcome outcome = create(
      {"all_gather", {0}, {{TPC_RT_F32, {8}, {{{0, 0}, {1, 0}}}, {{{1, 0}}}}}});
  EXPECT_EQ(outcome.code, TPC_RT_MALFORMED);
  EXPECT_EQ(outcome.message,
            "all_gather over [dp] of \"v\" (model.py:7): rank 0 needs 4 "
            "elements and its group holds 2 of them, from [dp: S(0), tp: S(0)] "
            "to [tp: S(0)] of shape [8]");
  outcome = create({"all_reduce", {0}, {{TPC_RT_F32, {8}, {{{1, -1}}}, {}}}});
  EXPECT_EQ(outcome.code, TPC_RT_MALFORMED);
  EXPECT_THAT(outcome.message,
              HasSubstr("axis \"tp\" is reduced from [tp: P(sum)] to [] but is "
                        "not an axis of the collective"));
  outcome =
      create({"all_reduce", {1}, {{TPC_RT_F32, {8}, {{{1, -1}}}, {}, "and"}}});
  EXPECT_EQ(outcome.code, TPC_RT_MALFORMED);
  EXPECT_THAT(outcome.message,
              HasSubstr("reduction and is not defined for f32"));
}

TEST_P(Failures, WorldOfAnotherSize) {
  program.body = [](auto...) { return 0; };
  Owned<tpc_rt_module_t> module;
  ASSERT_OK(program.create(module));
  Owned<tpc_rt_world_t> world = makeWorld(GetParam(), 2);
  tpc_rt_call_t *call = nullptr;
  Outcome outcome =
      take(tpc_rt_call_create(world.get(), module.get(), 0, &call));
  EXPECT_EQ(outcome.code, TPC_RT_INVALID_ARGUMENT);
  EXPECT_EQ(call, nullptr);
  EXPECT_EQ(outcome.message, "the artifact is compiled for 3 ranks (mesh "
                             "tp=3), the world has 2");
  outcome = take(tpc_rt_call_create(world.get(), module.get(), 4, &call));
  EXPECT_EQ(outcome.message, "expected a function below 1, got 4");
}

TEST(Worlds, OfAnotherDevice) {
  Program program;
  program.mesh = {{"tp", 1}};
  std::string manifest = program.manifest();
  manifest.replace(manifest.find("\"target\":\"cpu\""), 14,
                   "\"target\":\"cuda\",\"constants\":[],\"images\":[],"
                   "\"kernels\":[]");
  tpc_rt_module_t *module = nullptr;
  auto lookup = [](void *, const char *) -> tpc_rt_function_t {
    return [](auto...) { return 0; };
  };
  ASSERT_OK(tpc_rt_module_create(manifest.c_str(), lookup, nullptr, &module));
  Owned<tpc_rt_module_t> owned(module);
  EXPECT_STREQ(tpc_rt_module_target(module), "cuda");
  Owned<tpc_rt_world_t> world = makeWorld({"cpu", "local"}, 1);
  tpc_rt_call_t *call = nullptr;
  EXPECT_EQ(take(tpc_rt_call_create(world.get(), module, 0, &call)).message,
            "the artifact is compiled for cuda, the world's device is cpu");
}

TEST(Worlds, OptionsOfAnEarlierVersion) {
  tpc_rt_world_options_t options{};
  options.size = offsetof(tpc_rt_world_options_t, device);
  options.ranks = 1;
  // Behind what the caller knows of.
  options.device = "not looked at";
  tpc_rt_world_t *world = nullptr;
  ASSERT_OK(tpc_rt_world_create(&options, &world));
  tpc_rt_world_release(world);
}

TEST_P(Failures, OneCallAtATime) {
  std::atomic<bool> hasBegun{false};
  std::atomic<bool> isOver{false};
  program.body = [&](auto...) {
    hasBegun = true;
    while (!isOver)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
  };
  ASSERT_TRUE(running.start(GetParam(), program).ok());
  std::thread other([&] { EXPECT_TRUE(running.run().ok()); });
  while (!hasBegun)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Outcome outcome = running.run();
  EXPECT_EQ(outcome.code, TPC_RT_INVALID_ARGUMENT);
  EXPECT_EQ(outcome.message, "the world is running another call already");
  isOver = true;
  other.join();
}

TEST(Worlds, TraceNeedsProfile) {
  Owned<tpc_rt_world_t> world = makeWorld(backends[0], 1);
  EXPECT_EQ(take(tpc_rt_world_write_trace(world.get(), "trace.json")).message,
            "the world was created without profile");
}

TEST(Worlds, WrongOptions) {
  auto create = [](auto change) {
    tpc_rt_world_options_t options{};
    options.size = sizeof(options);
    options.ranks = 1;
    change(options);
    tpc_rt_world_t *world = nullptr;
    Outcome outcome = take(tpc_rt_world_create(&options, &world));
    EXPECT_EQ(world, nullptr);
    return outcome.message;
  };
  EXPECT_EQ(create([](auto &o) { o.ranks = 0; }),
            "expected at least 1 rank, got 0");
  EXPECT_EQ(create([](auto &o) { o.size = 4; }),
            "tpc_rt_world_options_t: expected size 80, got 4");
  EXPECT_EQ(create([](auto &o) { o.threads_per_rank = -1; }),
            "expected 0 or more threads per rank, got -1");
  EXPECT_EQ(create([](auto &o) { o.deadline_seconds = -1; }),
            "expected a deadline of 0 or more seconds, got -1");
  EXPECT_EQ(create([](auto &o) { o.device = "tpu"; }),
            "expected device \"cpu\" or \"cuda\", got \"tpu\"");
  EXPECT_EQ(create([](auto &o) { o.streams = 3; }),
            "expected streams from 0 to 2, got 3");
  EXPECT_EQ(create([](auto &o) { o.communicator = "carrier-pigeon"; }),
            "expected communicator \"local\", got \"carrier-pigeon\"");
}

} // namespace tpc::rt::conformance
