// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the communicator nccl registers, and with which calls, on simulated
// GPUs; and that nothing of communicators that are gone is used again.

#include "NcclProcesses.h"

namespace tpc::rt::conformance {

namespace {

using testing::HasSubstr;

/// Adds up x twice in the workspace: into it, inside of it, out of it.
Program sumsInTheWorkspace(int64_t ranks) {
  Placement partial{{{0, -1}}}, whole;
  Program program;
  program.mesh = {{"tp", ranks}};
  program.workspaceBytes = 8192;
  program.readsOnHost = false;
  program.arguments = {{"x", TPC_RT_F32, {4}, whole}};
  program.results = {{"y", TPC_RT_F32, {4}, whole}};
  for (int i = 0; i < 3; ++i)
    program.collectives.push_back(
        {"all_reduce", {0}, {{TPC_RT_F32, {4}, partial, whole}}, false, "y"});
  program.body = [](tpc_rt_rank_t *rank, int64_t, const void *const *arguments,
                    void *const *results) {
    void *first = workspace() + 256, *second = workspace() + 4096;
    int32_t code =
        tpc_rt_collective(rank, TPC_RT_COMPUTE, 0, 1, arguments, &first);
    const void *in = first;
    if (code == 0)
      code = tpc_rt_collective(rank, TPC_RT_COMPUTE, 1, 1, &in, &second);
    in = second;
    if (code == 0)
      code = tpc_rt_collective(rank, TPC_RT_COMPUTE, 2, 1, &in, results);
    return code;
  };
  return program;
}

class NcclWindows : public NcclProcesses {
protected:
  static Outcome setX(tpc_rt_call_t *call) {
    int64_t shape = 4;
    tpc_rt_tensor_t *x = nullptr;
    (void)take(tpc_rt_tensor_create(TPC_RT_F32, 1, &shape, &x));
    Owned<tpc_rt_tensor_t> owned(x);
    for (int64_t i = 0; i < shape; ++i)
      store(TPC_RT_F32, tpc_rt_tensor_data(x), i, i + 1);
    return take(tpc_rt_call_set_argument(call, 0, x));
  }
  static std::string resultOf(tpc_rt_call_t *call) {
    tpc_rt_tensor_t *y = nullptr;
    Outcome outcome = take(tpc_rt_call_get_result(call, 0, &y));
    Owned<tpc_rt_tensor_t> owned(y);
    std::string text = outcome.message;
    for (int64_t i = 0; y && i < 4; ++i)
      text += std::to_string(load(TPC_RT_F32, tpc_rt_tensor_data(y), i)) + " ";
    return text;
  }

  /// Two ranks as threads: results of three runs, and which calls they took.
  std::string runWith(const char *variable, const char *value) {
    return run(1, [&](int32_t) {
      if (variable)
        setenv(variable, value, 1);
      setenv("TPC_SIM_LOG", (folder + "/log").c_str(), 1);
      std::string text;
      {
        Program program = sumsInTheWorkspace(2);
        Running running;
        Outcome outcome = running.start({"cuda", "nccl"}, program);
        if (outcome.ok())
          outcome = setX(running.call.get());
        for (int i = 0; i < 3 && outcome.ok(); ++i)
          outcome = running.run();
        text = outcome.ok() ? resultOf(running.call.get()) : outcome.message;
      }
      auto count = [&](const std::string &first, const std::string &second) {
        std::ifstream log(folder + "/log");
        int number = 0;
        for (std::string line; std::getline(log, line);)
          number += line.find("\"" + first + "\"") != std::string::npos &&
                    line.find(second) != std::string::npos;
        return " " + std::to_string(number);
      };
      return text + "windows" + count("ncclCommWindowRegister", "") +
             count("ncclCommWindowDeregister", "") + count("ncclMemAlloc", "") +
             ", used" + count("ncclAllReduce", "\"window\"") + " of" +
             count("ncclAllReduce", "") + ", buffers" +
             count("ncclCommRegister", "") + count("ncclCommDeregister", "");
    })[0];
  }

  /// Two ranks as threads: what comes of each of `runs` runs.
  std::string runsWith(const char *fault, int runs) {
    return run(1, [&](int32_t) {
      setenv("TPC_SIM_FAULT", fault, 1);
      Program program = sumsInTheWorkspace(2);
      Running running;
      Outcome outcome = running.start({"cuda", "nccl"}, program, 1);
      if (outcome.ok())
        outcome = setX(running.call.get());
      std::string text;
      for (int i = 0; i < runs; ++i) {
        outcome = running.run();
        text +=
            (outcome.ok() ? resultOf(running.call.get()) : outcome.message) +
            "; ";
      }
      return text;
    })[0];
  }
};

} // namespace

// Two runs call NCCL, at once and recorded; each has one sum whose operands
// both lie in the workspace.
TEST_F(NcclWindows, TheWorkspaceIsOne) {
  EXPECT_EQ(runWith(nullptr, nullptr),
            "8 16 24 32 windows 2 2 2, used 4 of 12, buffers 4 4");
}

TEST_F(NcclWindows, OlderVersionsHaveBuffers) {
  EXPECT_EQ(runWith("TPC_SIM_NCCL_VERSION", "22605"),
            "8 16 24 32 windows 0 0 0, used 0 of 12, buffers 6 6");
}

TEST_F(NcclWindows, RanksThatHaveNoneHaveBuffers) {
  EXPECT_EQ(runWith("NCCL_WIN_ENABLE", "0"),
            "8 16 24 32 windows 2 0 2, used 0 of 12, buffers 6 6");
}

TEST_F(NcclWindows, NoRoomForTheWorkspace) {
  EXPECT_THAT(runWith("TPC_SIM_MEMORY", "4096"),
              HasSubstr("device 0 (simulated device 0) is out of memory: 8192 "
                        "bytes are needed, "));
}

// A rank that has no room for the window ends the run; the next one makes
// communicators and windows anew.
TEST_F(NcclWindows, AWindowThatCannotBeMade) {
  EXPECT_EQ(
      runsWith("no-window:0@1", 3),
      "rank 1: waiting for the ranks of all_reduce over [tp] of \"y\" "
      "(model.py:7) to share their workspaces: NCCL: unhandled system "
      "error (run with NCCL_DEBUG=INFO for details): no room for the "
      "window; NCCL_WIN_ENABLE=0 does without; 8 16 24 32 ; 8 16 24 32 ; ");
}

// The third sum of rank 1 in the third run, which is replayed, never comes.
TEST_F(NcclWindows, WhatWasRecordedIsNotReplayedBehindAnAbort) {
  EXPECT_THAT(
      runsWith("dead-rank:8@1", 6),
      testing::MatchesRegex(
          "8 16 24 32 ; 8 16 24 32 ; rank [01]: device [01] .simulated device "
          "[01]. has not finished within 1 seconds, in the recorded function "
          ".forward.; --no-cuda-graph tells which operation.*; 8 16 24 32 ; 8 "
          "16 24 32 ; 8 16 24 32 ; "));
}

} // namespace tpc::rt::conformance
