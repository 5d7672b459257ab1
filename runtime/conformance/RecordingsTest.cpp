// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that only enqueue, on all streams and with events between: what
// devices may record, replayed with other arguments.

#include "Harness.h"

namespace tpc::rt::conformance {

namespace {

class Recordings : public testing::TestWithParam<Backend> {};
TPC_RT_CONFORMANCE(Recordings);

constexpr int64_t length = 6000;

/// Two chains of collectives from one argument: the sum over all ranks by way
/// of the gather stream, and the own shard of it by way of the reduce stream,
/// which is gathered again on the compute stream.
Program twoChains(int64_t ranks) {
  Placement partial{{{0, -1}}}, shard{{{0, 0}}}, whole;
  Program program;
  program.mesh = {{"tp", ranks}};
  program.events = 4;
  program.readsOnHost = false;
  program.arguments = {{"x", TPC_RT_F32, {length}, partial}};
  program.results = {{"sum", TPC_RT_F32, {length}, whole},
                     {"shard", TPC_RT_F32, {length}, shard},
                     {"again", TPC_RT_F32, {length}, whole}};
  program.collectives = {
      {"all_reduce", {0}, {{TPC_RT_F32, {length}, partial, whole}}},
      {"reduce_scatter", {0}, {{TPC_RT_F32, {length}, partial, shard}}},
      {"all_gather", {0}, {{TPC_RT_F32, {length}, shard, whole}}}};
  program.body = [](tpc_rt_rank_t *rank, int64_t, const void *const *arguments,
                    void *const *results) {
    int32_t code = 0;
    auto then = [&](int32_t next) { code = code ? code : next; };
    auto enqueue = [&](int32_t stream, int32_t index, const void *in,
                       void *out) {
      then(tpc_rt_collective(rank, stream, index, 1, &in, &out));
    };
    // The arguments are there when the compute stream is.
    then(tpc_rt_record(rank, 0, TPC_RT_COMPUTE));
    then(tpc_rt_wait(rank, TPC_RT_GATHER, 0));
    then(tpc_rt_wait(rank, TPC_RT_REDUCE, 0));
    enqueue(TPC_RT_GATHER, 0, arguments[0], results[0]);
    enqueue(TPC_RT_REDUCE, 1, arguments[0], results[1]);
    then(tpc_rt_record(rank, 1, TPC_RT_REDUCE));
    then(tpc_rt_wait(rank, TPC_RT_COMPUTE, 1));
    enqueue(TPC_RT_COMPUTE, 2, results[1], results[2]);
    then(tpc_rt_record(rank, 2, TPC_RT_GATHER));
    then(tpc_rt_wait(rank, TPC_RT_COMPUTE, 2));
    return code;
  };
  return program;
}

void checkRun(Running &running, float scale) {
  tpc_rt_tensor_t *raw = nullptr;
  int64_t shape = length;
  ASSERT_OK(tpc_rt_tensor_create(TPC_RT_F32, 1, &shape, &raw));
  Owned<tpc_rt_tensor_t> argument(raw);
  auto *values = static_cast<float *>(tpc_rt_tensor_data(raw));
  for (int64_t i = 0; i < length; ++i)
    values[i] = scale * static_cast<float>(i % 101);
  ASSERT_OK(tpc_rt_call_set_argument(running.call.get(), 0, raw));
  ASSERT_OK(tpc_rt_call_run(running.call.get()));
  for (int32_t result = 0; result < 3; ++result) {
    ASSERT_OK(tpc_rt_call_get_result(running.call.get(), result, &raw));
    Owned<tpc_rt_tensor_t> got(raw);
    auto *results = static_cast<float *>(tpc_rt_tensor_data(raw));
    for (int64_t i = 0; i < length; ++i)
      ASSERT_EQ(results[i], values[i]) << "result " << result << " at " << i;
    ASSERT_OK(tpc_rt_call_check_replicas(running.call.get(), result));
  }
}

/// Another call of the function, in the same world.
void addCall(Running &first, Running &second) {
  tpc_rt_call_t *raw = nullptr;
  ASSERT_OK(tpc_rt_call_create(first.world.get(), first.module.get(), 0, &raw));
  second.call.reset(raw);
}

} // namespace

TEST_P(Recordings, RunsWithOtherArgumentsGiveOtherResults) {
  for (int64_t ranks : {1, 2, 3, 4}) {
    Program program = twoChains(ranks);
    Running running;
    Outcome outcome = running.start(GetParam(), program);
    ASSERT_TRUE(outcome.ok()) << outcome.message;
    for (float scale : {1, 2, 3, 4, 5})
      checkRun(running, scale);
  }
}

TEST_P(Recordings, CallsOfOneWorldTakeTurns) {
  Program program = twoChains(2);
  Running first;
  ASSERT_TRUE(first.start(GetParam(), program).ok());
  Running second;
  addCall(first, second);
  for (float scale : {1, 2, 3, 4}) {
    checkRun(first, scale);
    checkRun(second, scale + 10);
  }
}

TEST_P(Recordings, AFailureWhileWorkIsRecordedLeavesTheWorldUsable) {
  // In front of all collectives, and behind, where other ranks may be done.
  for (bool behind : {false, true}) {
    Program program = twoChains(3);
    bool fails = false;
    Body good = program.body;
    program.body = [&](tpc_rt_rank_t *rank, int64_t number, auto... buffers) {
      bool failsHere = fails && number == 1;
      int32_t code = failsHere && !behind ? 5 : good(rank, number, buffers...);
      return failsHere && code == 0 ? 5 : code;
    };
    Running running;
    ASSERT_TRUE(running.start(GetParam(), program).ok());
    checkRun(running, 1);
    fails = true;
    EXPECT_EQ(running.run().code, TPC_RT_RANK_FAILED);
    fails = false;
    for (float scale : {2, 3, 4})
      checkRun(running, scale);
  }
}

TEST_P(Recordings, AFailureLeavesOtherCallsUsable) {
  Program program = twoChains(2);
  bool fails = false;
  Body good = program.body;
  program.body = [&](tpc_rt_rank_t *rank, int64_t number, auto... buffers) {
    return fails && number == 1 ? 5 : good(rank, number, buffers...);
  };
  Running first;
  ASSERT_TRUE(first.start(GetParam(), program).ok());
  Running second;
  addCall(first, second);
  for (float scale : {1, 2, 3})
    checkRun(first, scale);
  fails = true;
  EXPECT_EQ(take(tpc_rt_call_run(second.call.get())).code, TPC_RT_RANK_FAILED);
  fails = false;
  for (float scale : {4, 5, 6}) {
    checkRun(first, scale);
    checkRun(second, scale);
  }
}

} // namespace tpc::rt::conformance
