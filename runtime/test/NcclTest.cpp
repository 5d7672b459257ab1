// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The communicator nccl between processes, on simulated GPUs: one rank each, in
// a child of this process, which find each other as tpc-run's do.

#include "NcclProcesses.h"
#include <array>
#include <chrono>
#include <csignal>

namespace tpc::rt::conformance {

namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

/// Ranks that add up and gather.
class NcclSums : public NcclProcesses {
protected:
  /// Runs the sum of "x", sharded, three times: at once, recorded, replayed.
  std::string sumOn(int32_t rank, int32_t ranks,
                    const std::function<void(int)> &before = nullptr) {
    // For as long as the process: a rank that is given up is still in it.
    Program &program = *new Program;
    program.mesh = {{"tp", ranks}};
    Placement partial{{{0, -1}}}, shard{{{0, 0}}};
    program.arguments = {{"x", TPC_RT_F32, {2 * ranks}, shard}};
    program.results = {{"y", TPC_RT_F32, {2}, {}},
                       {"z", TPC_RT_F32, {2 * ranks}, {}}};
    program.collectives = {
        {"all_reduce", {0}, {{TPC_RT_F32, {2}, partial, {}}}, false, "y"},
        {"all_gather",
         {0},
         {{TPC_RT_F32, {2 * ranks}, shard, {}}},
         false,
         "z"}};
    program.body = [before, runs = 0](tpc_rt_rank_t *self, int64_t,
                                      const void *const *in,
                                      void *const *out) mutable {
      if (before)
        before(runs++);
      int32_t code = tpc_rt_collective(self, TPC_RT_COMPUTE, 0, 1, in, out);
      return code ? code
                  : tpc_rt_collective(self, TPC_RT_GATHER, 1, 1, in, out + 1);
    };
    Running running;
    Outcome outcome = take(program.create(running.module, {"cuda", "nccl"}));
    if (outcome.ok())
      outcome = take(create(rank, ranks, running.world, before ? 2 : 20));
    if (!outcome.ok())
      return outcome.message;
    tpc_rt_call_t *raw = nullptr;
    outcome = take(
        tpc_rt_call_create(running.world.get(), running.module.get(), 0, &raw));
    running.call.reset(raw);
    if (!outcome.ok())
      return outcome.message;
    int64_t shape[] = {2 * ranks};
    tpc_rt_tensor_t *x = nullptr;
    (void)take(tpc_rt_tensor_create(TPC_RT_F32, 1, shape, &x));
    Owned<tpc_rt_tensor_t> owned(x);
    for (int64_t i = 0; i < shape[0]; ++i)
      store(TPC_RT_F32, tpc_rt_tensor_data(x), i, i + 1);
    outcome = take(tpc_rt_call_set_argument(raw, 0, x));
    for (int i = 0; i < 3 && outcome.ok(); ++i)
      outcome = running.run();
    std::string text;
    for (int32_t index = 0; index < 2 && outcome.ok(); ++index) {
      outcome = take(tpc_rt_call_check_replicas(raw, index));
      tpc_rt_tensor_t *result = nullptr;
      if (outcome.ok())
        outcome = take(tpc_rt_call_get_result(raw, index, &result));
      Owned<tpc_rt_tensor_t> keep(result);
      for (int64_t i = 0; result && i < tpc_rt_tensor_count(result); ++i)
        text +=
            std::to_string(load(TPC_RT_F32, tpc_rt_tensor_data(result), i)) +
            " ";
    }
    if (!outcome.ok())
      return outcome.message;
    const char *order = std::getenv("NCCL_LAUNCH_ORDER_IMPLICIT");
    if (!order || std::string(order) != "1")
      return "kernels of several communicators start in any order";
    return text +
           take(tpc_rt_world_finish(running.world.get(), nullptr)).message;
  }
};

/// Ranks that are threads of one process.
class NcclThreads : public NcclProcesses {
protected:
  /// A gather on one stream, and then one on `second(run, rank)`.
  static Program gathersOn(std::function<int32_t(int64_t, int64_t)> second) {
    Program program;
    program.mesh = {{"tp", 2}};
    program.readsOnHost = false;
    program.arguments = {{"x", TPC_RT_F32, {4}, {{{0, 0}}}}};
    program.results = {{"y", TPC_RT_F32, {4}, {}}, {"z", TPC_RT_F32, {4}, {}}};
    program.collectives = {
        {"all_gather", {0}, {{TPC_RT_F32, {4}, {{{0, 0}}}, {}}}, false, "y"}};
    auto runs = std::make_shared<std::array<int64_t, 2>>();
    program.body = [=](tpc_rt_rank_t *rank, int64_t number,
                       const void *const *in, void *const *out) {
      int32_t code = tpc_rt_collective(rank, TPC_RT_COMPUTE, 0, 1, in, out);
      return code ? code
                  : tpc_rt_collective(rank, second((*runs)[number]++, number),
                                      0, 1, in, out + 1);
    };
    return program;
  }

  /// What comes of each of `runs` runs.
  std::string messagesOf(const Program &program, double deadline, int runs) {
    return run(1, [&](int32_t) {
      std::string text;
      Running running;
      Outcome outcome = running.start({"cuda", "nccl"}, program, deadline);
      for (int i = 0; i < runs && (i > 0 || outcome.ok()); ++i) {
        outcome = running.run();
        text += outcome.message + "; ";
      }
      return text + (text.empty() ? outcome.message : "");
    })[0];
  }
};

int32_t onCompute(int64_t, int64_t) { return TPC_RT_COMPUTE; }

} // namespace

// NCCL wants all ranks of a node for the end of a communicator.
TEST_F(NcclThreads, RanksEndTogether) {
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(messagesOf(gathersOn(onCompute), 60, 3), "; ; ; ");
  // Neither has waited for the other until the deadline.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(40));
}

// The second run is recorded, and NCCL refuses what it is asked for the first
// time there. What was recorded ends before the communicators do.
TEST_F(NcclThreads, AFailureOfNcclInARecording) {
  auto second = [](int64_t run, int64_t) {
    return run == 0 ? TPC_RT_COMPUTE : TPC_RT_GATHER;
  };
  std::string text = messagesOf(gathersOn(second), 60, 5);
  EXPECT_THAT(text, testing::MatchesRegex(
                        "; rank [01]: waiting for the ranks of all_gather over "
                        ".tp. of .y. .model.py:7. to connect: NCCL: invalid "
                        "usage .*; ; ; ; ; found: .*"));
  EXPECT_THAT(text, testing::Not(HasSubstr("graphs")));
}

// What NCCL may still use is not freed, of no rank, and every later run says
// so.
TEST_F(NcclThreads, AnAbortThatDoesNotEnd) {
  for (const char *fault :
       {"endless-abort:0@0,dead-rank:0@1", "endless-abort:0@1,dead-rank:0@0"}) {
    setenv("TPC_SIM_FAULT", fault, 1);
    std::string text = messagesOf(gathersOn(onCompute), 1, 3);
    unsetenv("TPC_SIM_FAULT");
    EXPECT_THAT(text, testing::MatchesRegex(
                          "rank [01]: device [01] .* has not finished within 1 "
                          "seconds, .*; device 0 .simulated device 0. is still "
                          "at work that did not end in time; device 0 "
                          ".simulated device 0. is still at work that did not "
                          "end in time; ; found: allocation .*"))
        << fault;
    for (const char *own : {"#1 of 8 bytes", "#5 of 8 bytes"})
      EXPECT_THAT(text, HasSubstr(std::string("allocation ") + own));
  }
}

// Between a failed run and the next one arguments can be set.
TEST_F(NcclThreads, ArgumentsBehindAFailure) {
  bool fails = true;
  Program program = gathersOn(onCompute);
  program.arguments[0].shape = {1 << 24};
  program.results[0].shape = program.results[1].shape = {1 << 24};
  program.collectives[0].parts[0].shape = {1 << 24};
  Body good = program.body;
  program.body = [&](tpc_rt_rank_t *rank, int64_t number, auto... buffers) {
    return fails && number == 1 ? 5 : good(rank, number, buffers...);
  };
  EXPECT_EQ(run(1,
                [&](int32_t) {
                  Running running;
                  std::string text =
                      running.start({"cuda", "nccl"}, program, 20).message;
                  text += running.run().message;
                  int64_t shape = 1 << 24;
                  tpc_rt_tensor_t *x = nullptr;
                  (void)take(tpc_rt_tensor_create(TPC_RT_F32, 1, &shape, &x));
                  Owned<tpc_rt_tensor_t> owned(x);
                  text +=
                      take(tpc_rt_call_set_argument(running.call.get(), 0, x))
                          .message;
                  fails = false;
                  return text + "; " + running.run().message;
                })[0],
            "rank 1 did not take part in all_gather over [tp] of \"y\" "
            "(model.py:7): its function returned code 5; ");
}

TEST_F(NcclSums, RunRecordAndReplay) {
  for (int32_t ranks : {2, 4}) {
    auto texts = run(ranks, [&](int32_t rank) { return sumOn(rank, ranks); });
    EXPECT_EQ(texts[0], ranks == 2 ? "4 6 1 2 3 4 " : "16 20 1 2 3 4 5 6 7 8 ");
    for (int32_t rank = 1; rank < ranks; ++rank)
      EXPECT_EQ(texts[rank], "");
  }
}

TEST_F(NcclSums, VersionsThatDiffer) {
  EXPECT_THAT(run(2,
                  [&](int32_t rank) {
                    setenv("TPC_SIM_NCCL_VERSION", rank ? "21903" : "22809", 1);
                    return createdOn(rank, 2);
                  }),
              Each("the ranks run different versions of NCCL: rank 0 runs "
                   "2.28.9, rank 1 runs 2.19.3"));
}

TEST_F(NcclSums, VersionIsTooOld) {
  EXPECT_EQ(run(1,
                [&](int32_t) {
                  setenv("TPC_SIM_NCCL_VERSION", "21805", 1);
                  return createdOn(-1, 1);
                })[0],
            "communicator \"nccl\": expected NCCL 2.19.0 or newer, got 2.18.5");
}

TEST_F(NcclSums, MoreRanksThanGpus) {
  EXPECT_THAT(
      run(1,
          [&](int32_t) {
            setenv("TPC_SIM_DEVICES", "1", 1);
            return createdOn(-1, 2);
          })[0],
      AllOf(HasSubstr("communicator \"nccl\" needs a GPU for each rank, "
                      "ranks 0 and 1 are both on device 0"),
            HasSubstr("; start one process per GPU, or use --comm "
                      "local")));
}

TEST_F(NcclSums, AnotherCommunicator) {
  communicator = "mpi";
  EXPECT_EQ(run(1, [&](int32_t) { return createdOn(-1, 1); })[0],
            "expected communicator \"local\" or \"nccl\", got \"mpi\"");
}

TEST_F(NcclSums, ARankDies) {
  auto texts = run(2, [&](int32_t rank) {
    return sumOn(rank, 2, [rank](int) {
      if (rank == 1)
        raise(SIGKILL);
    });
  });
  EXPECT_EQ(texts[1], "killed");
  EXPECT_THAT(texts[0], AllOf(HasSubstr("the process of rank 1 (process "),
                              HasSubstr(") ended")));
}

TEST_F(NcclSums, ARankIsLate) {
  auto texts = run(2, [&](int32_t rank) {
    return sumOn(rank, 2, [rank](int) { sleep(rank ? 5 : 0); });
  });
  EXPECT_THAT(texts[0],
              HasSubstr("rank 0 waited 2 seconds for rank 1 in all_reduce over "
                        "[tp] of \"y\" (model.py:7); rank 1 is computing, "
                        "before its first collective"));
}

} // namespace tpc::rt::conformance
