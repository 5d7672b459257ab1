// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives on several streams and the events between them, with threads for
// the streams and without: values, order, and every way to fail.

#include "Harness.h"
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <thread>

namespace tpc::rt::conformance {

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kRanks = 3;
constexpr int kSize = 5000;

struct Setting {
  Backend backend;
  int32_t streams;
};

std::vector<Setting> allSettings() {
  std::vector<Setting> settings;
  for (const Backend &backend : backends)
    for (int32_t streams :
         {TPC_RT_STREAMS_AUTO, TPC_RT_STREAMS_INLINE, TPC_RT_STREAMS_THREADS})
      settings.push_back({backend, streams});
  return settings;
}

std::string settingName(const testing::TestParamInfo<Setting> &info) {
  static const char *const names[] = {"auto", "inline", "threads"};
  return std::string(info.param.backend.device) + "_" +
         info.param.backend.communicator + "_" + names[info.param.streams];
}

/// Three ranks that add vectors: collective i is over the value "v<i>".
class Streams : public testing::TestWithParam<Setting> {
protected:
  void SetUp() override {
    if (!hasHostMemory(GetParam().backend))
      GTEST_SKIP() << "of threads for the streams of the cpu";
    program.mesh = {{"tp", kRanks}};
    program.events = 4;
    for (int i = 0; i < 4; ++i)
      program.collectives.push_back({"all_reduce",
                                     {0},
                                     {{TPC_RT_F32, {kSize}, {{{0, -1}}}, {}}},
                                     false,
                                     "v" + std::to_string(i)});
    for (auto &ofRank : buffers)
      for (auto &buffer : ofRank)
        buffer.assign(kSize, 0);
  }

  /// out = the sum of `in` over the ranks; buffers by number.
  int32_t add(tpc_rt_rank_t *rank, int64_t number, int32_t stream,
              int32_t index, int in, int out) {
    const void *input = buffers[number][in].data();
    void *output = buffers[number][out].data();
    return tpc_rt_collective(rank, stream, index, 1, &input, &output);
  }
  void fill(int64_t number, int buffer, float value) {
    std::fill(buffers[number][buffer].begin(), buffers[number][buffer].end(),
              value);
  }

  Outcome start(Body body, double deadline = patience) {
    program.body = std::move(body);
    return running.start(GetParam().backend, program, deadline, 2,
                         GetParam().streams);
  }
  Outcome run(double deadline, Body body) {
    Outcome outcome = start(std::move(body), deadline);
    return outcome.ok() ? running.run() : outcome;
  }
  bool hasThreads() const {
    return GetParam().streams == TPC_RT_STREAMS_THREADS;
  }

  Program program;
  Running running;
  std::vector<float> buffers[kRanks][6];
};

INSTANTIATE_TEST_SUITE_P(Conformance, Streams, testing::ValuesIn(allSettings()),
                         settingName);

std::string labelOf(int index) {
  return "all_reduce over [tp] of \"v" + std::to_string(index) +
         "\" (model.py:7)";
}

} // namespace

#define TPC_TRY(expression)                                                    \
  if (int32_t code = (expression))                                             \
  return code

TEST_P(Streams, TwoCollectivesOfOneGroupAtOnce) {
  Outcome outcome = start([&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    for (int step = 0; step < 50; ++step) {
      fill(number, 0, number + step);
      fill(number, 1, 10 * number + step);
      TPC_TRY(tpc_rt_record(rank, 0, TPC_RT_COMPUTE));
      TPC_TRY(tpc_rt_wait(rank, TPC_RT_GATHER, 0));
      TPC_TRY(tpc_rt_wait(rank, TPC_RT_REDUCE, 0));
      TPC_TRY(add(rank, number, TPC_RT_GATHER, 0, 0, 2));
      TPC_TRY(tpc_rt_record(rank, 1, TPC_RT_GATHER));
      TPC_TRY(add(rank, number, TPC_RT_REDUCE, 1, 1, 3));
      TPC_TRY(tpc_rt_record(rank, 2, TPC_RT_REDUCE));
      // And one of the compute stream beside them.
      TPC_TRY(add(rank, number, TPC_RT_COMPUTE, 2, 0, 4));
      TPC_TRY(tpc_rt_wait(rank, TPC_RT_COMPUTE, 2));
      TPC_TRY(tpc_rt_wait(rank, TPC_RT_COMPUTE, 1));
      for (int i = 0; i < kSize; i += 999)
        if (buffers[number][2][i] != 3 + 3 * step ||
            buffers[number][3][i] != 30 + 3 * step ||
            buffers[number][4][i] != 3 + 3 * step)
          return 100;
    }
    return 0;
  });
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  for (int repeat = 0; repeat < 3; ++repeat) {
    outcome = running.run();
    ASSERT_TRUE(outcome.ok()) << outcome.message;
  }
}

TEST_P(Streams, OneStreamWaitsForAnother) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    for (int step = 0; step < 50; ++step) {
      fill(number, 0, 1 + step);
      TPC_TRY(add(rank, number, TPC_RT_REDUCE, 0, 0, 1));
      TPC_TRY(tpc_rt_record(rank, 0, TPC_RT_REDUCE));
      TPC_TRY(tpc_rt_wait(rank, TPC_RT_GATHER, 0));
      TPC_TRY(add(rank, number, TPC_RT_GATHER, 1, 1, 2));
      TPC_TRY(tpc_rt_record(rank, 1, TPC_RT_GATHER));
      // The number is free: its wait has been enqueued.
      TPC_TRY(add(rank, number, TPC_RT_REDUCE, 2, 0, 3));
      TPC_TRY(tpc_rt_record(rank, 0, TPC_RT_REDUCE));
      TPC_TRY(tpc_rt_wait(rank, TPC_RT_COMPUTE, 1));
      if (buffers[number][2][kSize - 1] != 9 * (1 + step))
        return 100;
      TPC_TRY(tpc_rt_wait(rank, TPC_RT_COMPUTE, 0));
      if (buffers[number][3][kSize - 1] != 3 * (1 + step))
        return 101;
    }
    return 0;
  });
  EXPECT_TRUE(outcome.ok()) << outcome.message;
}

TEST_P(Streams, AFunctionEndsWithItsStreams) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    fill(number, 0, 1);
    return add(rank, number, TPC_RT_REDUCE, 0, 0, 1);
  });
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  for (auto &ofRank : buffers)
    EXPECT_EQ(ofRank[1][kSize - 1], 3);
}

TEST_P(Streams, EventsThatNobodyRecordedHoldNobodyUp) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t, auto...) {
    TPC_TRY(tpc_rt_wait(rank, TPC_RT_COMPUTE, 3));
    TPC_TRY(tpc_rt_wait(rank, TPC_RT_GATHER, 3));
    return 0;
  });
  EXPECT_TRUE(outcome.ok()) << outcome.message;
}

TEST_P(Streams, ComputeGoesOnMeanwhile) {
  if (!hasThreads())
    GTEST_SKIP() << "needs threads";
  // Rank 1 takes part only when the others have gone on.
  std::atomic<int> ahead{0};
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    fill(number, 0, 1);
    while (number == 1 && ahead < kRanks - 1)
      std::this_thread::yield();
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 0, 0, 1));
    TPC_TRY(tpc_rt_record(rank, 0, TPC_RT_REDUCE));
    ++ahead;
    TPC_TRY(tpc_rt_wait(rank, TPC_RT_COMPUTE, 0));
    return buffers[number][1][0] == 3 ? 0 : 100;
  });
  EXPECT_TRUE(outcome.ok()) << outcome.message;
}

TEST_P(Streams, WrongNumbers) {
  auto message = [&](auto call) {
    return run(30, [&](tpc_rt_rank_t *rank, int64_t number,
                       auto...) { return number == 0 ? call(rank) : 0; })
        .message;
  };
  EXPECT_EQ(message([](auto *rank) {
              return tpc_rt_collective(rank, 3, 0, 1, nullptr, nullptr);
            }),
            "rank 0: expected a stream below 3, got 3");
  EXPECT_EQ(message([](auto *rank) { return tpc_rt_record(rank, 0, -1); }),
            "rank 0: expected a stream below 3, got -1");
  EXPECT_EQ(
      message([](auto *rank) { return tpc_rt_wait(rank, TPC_RT_COMPUTE, 4); }),
      "rank 0: expected an event below 4, got 4");
  EXPECT_EQ(
      message([](auto *rank) { return tpc_rt_record(rank, 9, TPC_RT_GATHER); }),
      "rank 0: expected an event below 4, got 9");
}

TEST_P(Streams, ARankEndsWhileOthersWait) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 0, 0, 1));
    if (number == 2)
      return 5;
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 1, 0, 2));
    TPC_TRY(tpc_rt_record(rank, 0, TPC_RT_REDUCE));
    return tpc_rt_wait(rank, TPC_RT_COMPUTE, 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_RANK_FAILED);
  EXPECT_EQ(outcome.rank, 2);
  EXPECT_EQ(outcome.message, "rank 2 did not take part in " + labelOf(1) +
                                 ": its function returned code 5");
  // Nothing of that is left in the world.
  program.body = [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    fill(number, 0, 2);
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 0, 0, 1));
    TPC_TRY(add(rank, number, TPC_RT_GATHER, 1, 0, 2));
    return 0;
  };
  for (int repeat = 0; repeat < 3; ++repeat) {
    outcome = running.run();
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_EQ(buffers[1][1][7], 6);
    EXPECT_EQ(buffers[1][2][7], 6);
  }
}

TEST_P(Streams, AThreadDiesWithWorkOnItsStreams) {
  auto begin = std::chrono::steady_clock::now();
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 0, 0, 1));
    if (number == 1)
      pthread_exit(nullptr);
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 1, 0, 2));
    return 0;
  });
  EXPECT_EQ(outcome.code, TPC_RT_RANK_FAILED);
  EXPECT_EQ(outcome.rank, 1);
  EXPECT_EQ(outcome.message,
            "rank 1 did not take part in " + labelOf(1) + ": its thread ended");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_P(Streams, ARankComesTooLate) {
  Outcome outcome = run(0.5, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 0, 0, 1));
    auto nothing = [](void *const *, int64_t, int64_t) {};
    while (number == 2 && tpc_rt_launch(rank, nothing, 0, 0, nullptr) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 1, 0, 2));
    TPC_TRY(tpc_rt_record(rank, 0, TPC_RT_REDUCE));
    return tpc_rt_wait(rank, TPC_RT_COMPUTE, 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_TIMEOUT);
  EXPECT_EQ(outcome.rank, 2);
  EXPECT_THAT(outcome.message,
              AllOf(HasSubstr("waited 0.5 seconds for rank 2 in " + labelOf(1)),
                    HasSubstr("rank 2 is computing, after " + labelOf(0))));
}

TEST_P(Streams, ARankIsStuckForGood) {
  std::atomic<bool> isOver{false};
  std::atomic<bool> hasLeft{false};
  Outcome outcome = run(0.2, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    TPC_TRY(add(rank, number, TPC_RT_REDUCE, 0, 0, 1));
    if (number == 0) {
      while (!isOver)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      hasLeft = true;
      return 0;
    }
    TPC_TRY(add(rank, number, TPC_RT_GATHER, 1, 0, 2));
    TPC_TRY(tpc_rt_record(rank, 0, TPC_RT_GATHER));
    return tpc_rt_wait(rank, TPC_RT_COMPUTE, 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_TIMEOUT);
  EXPECT_EQ(outcome.rank, 0);
  EXPECT_THAT(outcome.message, HasSubstr("for rank 0 in " + labelOf(1)));
  EXPECT_EQ(running.run().message, "the world cannot run any more: rank 0 did "
                                   "not end after an earlier failure");
  // The handles may go while the rank is still at work.
  running = Running();
  isOver = true;
  while (!hasLeft)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST_P(Streams, RanksInDifferentCollectives) {
  Outcome outcome = run(30, [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    TPC_TRY(add(rank, number, TPC_RT_GATHER, number == 1 ? 1 : 0, 0, 1));
    TPC_TRY(tpc_rt_record(rank, 0, TPC_RT_GATHER));
    return tpc_rt_wait(rank, TPC_RT_COMPUTE, 0);
  });
  EXPECT_EQ(outcome.code, TPC_RT_MISMATCH);
  EXPECT_THAT(outcome.message,
              AllOf(HasSubstr(labelOf(0)), HasSubstr(labelOf(1)),
                    HasSubstr(" while rank ")));
}

TEST_P(Streams, TheTraceHasARowPerStream) {
  program.body = [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    return add(rank, number, TPC_RT_REDUCE, 0, 0, 1);
  };
  tpc_rt_world_options_t options{};
  options.size = sizeof(options);
  options.ranks = kRanks;
  options.threads_per_rank = 1;
  options.profile = 1;
  options.streams = GetParam().streams;
  tpc_rt_world_t *world = nullptr;
  ASSERT_OK(program.create(running.module));
  ASSERT_OK(tpc_rt_world_create(&options, &world));
  running.world.reset(world);
  tpc_rt_call_t *call = nullptr;
  ASSERT_OK(tpc_rt_call_create(world, running.module.get(), 0, &call));
  running.call.reset(call);
  ASSERT_OK(tpc_rt_call_run(call));
  std::string path = testing::TempDir() + "/tpc-streams.json";
  ASSERT_OK(tpc_rt_world_write_trace(world, path.c_str()));
  std::ifstream stream(path);
  auto json = nlohmann::json::parse(stream);
  std::remove(path.c_str());
  std::map<int, std::string> rows;
  std::vector<std::string> where;
  for (const auto &event : json["traceEvents"]) {
    if (event["ph"] == "M")
      rows[event["tid"]] = event["args"]["name"];
    else if (event["cat"] == "collective")
      where.push_back(rows[event["tid"]]);
  }
  ASSERT_EQ(where.size(), size_t(kRanks));
  if (GetParam().streams == TPC_RT_STREAMS_INLINE)
    EXPECT_EQ(where[1], "rank 1");
  if (hasThreads())
    EXPECT_EQ(where[1], "rank 1, reduce");
}

} // namespace tpc::rt::conformance
