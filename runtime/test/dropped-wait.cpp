// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of two ranks whose sum is read by the compute stream: behind a wait
// or, with the argument "drop", without. Built for the thread sanitizer, which
// must see the difference.

#include "Harness.h"
#include <cstdio>

using namespace tpc::rt::conformance;

int main(int argc, char **) {
  bool drops = argc > 1;
  Program program;
  program.mesh = {{"tp", 2}};
  program.collectives = {
      {"all_reduce", {0}, {{TPC_RT_F32, {1024}, {{{0, -1}}}, {}}}}};
  program.events = 1;
  std::vector<float> inputs[2], outputs[2];
  for (int rank = 0; rank < 2; ++rank) {
    inputs[rank].assign(1024, 1);
    outputs[rank].assign(1024, 0);
  }
  program.body = [&](tpc_rt_rank_t *rank, int64_t number, auto...) {
    const void *in = inputs[number].data();
    void *out = outputs[number].data();
    int32_t code = tpc_rt_collective(rank, TPC_RT_REDUCE, 0, 1, &in, &out);
    if (!code)
      code = tpc_rt_record(rank, 0, TPC_RT_REDUCE);
    if (!code && !drops)
      code = tpc_rt_wait(rank, TPC_RT_COMPUTE, 0);
    for (float &value : outputs[number])
      value += 1;
    return code;
  };
  Running running;
  Outcome outcome =
      running.start({"cpu", "local"}, program, 30, 1, TPC_RT_STREAMS_THREADS);
  if (outcome.ok())
    outcome = running.run();
  if (!outcome.ok())
    std::printf("%s\n", outcome.message.c_str());
  return outcome.ok() ? 0 : 1;
}
