// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives between two local ranks, as a share of a plain memcpy.
//
// The yardstick is measured in the same run: both ranks' threads copy at once,
// with memcpy between buffers of their own, as many bytes as a rank has to
// write into its result. `share` is the time of that copy over the time of the
// collective; `GB/s` counts the same bytes.
//
//   all-reduce      the operand              (wire: 2 (n-1)/n of it, the same)
//   all-gather      the gathered result      (a rank's own part is copied too,
//                                             for inputs never alias results)
//   reduce-scatter  the scattered result

#include "tpc_rt/rt.h"
#include <algorithm>
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int ranks = 2;

/// What the ranks do in one run of the program.
enum class Work { AllReduce, AllGather, ReduceScatter, Copy };

struct Job {
  Work work;
  int repeats;
  int64_t bytes;
  std::vector<std::vector<char>> inputs, outputs;
};
Job *job = nullptr;

int32_t runJob(tpc_rt_rank_t *rank, const void *const *, void *const *,
               void *) {
  int64_t self = tpc_rt_coordinate(rank, 0);
  const void *in = job->inputs[self].data();
  void *out = job->outputs[self].data();
  for (int i = 0; i < job->repeats; ++i) {
    if (job->work == Work::Copy) {
      std::memcpy(out, in, job->bytes);
      benchmark::DoNotOptimize(out);
      benchmark::ClobberMemory();
    } else if (int32_t code = tpc_rt_collective(rank, TPC_RT_COMPUTE,
                                                static_cast<int32_t>(job->work),
                                                1, &in, &out)) {
      return code;
    }
  }
  return 0;
}

/// One axis of two ranks; `elements` floats in the operand of a reduction or
/// the result of a gather.
std::string manifest(int64_t elements) {
  std::string partial = R"([{"axis":"tp","partial":"sum"}])";
  std::string shard = R"([{"axis":"tp","shard":0}])";
  auto collective = [&](const std::string &kind, const std::string &from,
                        const std::string &to) {
    return R"({"kind":")" + kind +
           R"(","axes":["tp"],"parts":[{"dtype":"f32","shape":[)" +
           std::to_string(elements) + R"(],"from":)" + from + R"(,"to":)" + to +
           "}]}";
  };
  return R"({"abi":3,"fingerprint":"0","mesh":[{"name":"tp","size":2}],)"
         R"("functions":[{"name":"run","symbol":"run","workspace_bytes":0,)"
         R"("arguments":[],"results":[]}],"collectives":[)" +
         collective("all_reduce", partial, "[]") + "," +
         collective("all_gather", shard, "[]") + "," +
         collective("reduce_scatter", partial, shard) + "]}";
}

void require(tpc_rt_status_t *status) {
  if (!status)
    return;
  std::fprintf(stderr, "%s\n", tpc_rt_status_message(status));
  std::exit(1);
}

/// Seconds per repeat, the least of several runs.
double measure(tpc_rt_call_t *call, int repeats) {
  double least = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    Clock::time_point begin = Clock::now();
    require(tpc_rt_call_run(call));
    least = std::min(
        least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least / repeats;
}

void run(benchmark::State &state, Work work) {
  int64_t bytes = state.range(0);
  int64_t elements = bytes / 4;
  Job current;
  current.work = work;
  // Enough to hide the start of a run.
  current.repeats =
      static_cast<int>(std::clamp<int64_t>((256 << 20) / bytes, 4, 20000));
  current.bytes = work == Work::ReduceScatter ? bytes / 2 : bytes;
  for (int rank = 0; rank < ranks; ++rank) {
    current.inputs.emplace_back(bytes);
    current.outputs.emplace_back(bytes);
  }
  job = &current;

  tpc_rt_module_t *module = nullptr;
  require(tpc_rt_module_create(
      manifest(elements).c_str(),
      [](void *, const char *) -> tpc_rt_function_t { return runJob; }, nullptr,
      &module));
  tpc_rt_world_options_t options{};
  options.size = sizeof(options);
  options.ranks = ranks;
  options.threads_per_rank = 1;
  tpc_rt_world_t *world = nullptr;
  require(tpc_rt_world_create(&options, &world));
  tpc_rt_call_t *call = nullptr;
  require(tpc_rt_call_create(world, module, 0, &call));

  current.work = Work::Copy;
  double copySeconds = measure(call, current.repeats);
  current.work = work;
  double seconds = 1e9;
  for (auto _ : state) {
    double once = measure(call, current.repeats);
    state.SetIterationTime(once);
    seconds = std::min(seconds, once);
  }
  current.work = Work::Copy;
  copySeconds = std::min(copySeconds, measure(call, current.repeats));

  double moved = static_cast<double>(current.bytes);
  state.counters["share"] = copySeconds / seconds;
  state.counters["GB/s"] = moved / seconds / 1e9;
  state.counters["copy_GB/s"] = moved / copySeconds / 1e9;
  tpc_rt_call_release(call);
  tpc_rt_world_release(world);
  tpc_rt_module_release(module);
}

void sizes(benchmark::internal::Benchmark *bench) {
  bench->RangeMultiplier(8)->Range(1 << 10, 64 << 20);
  bench->UseManualTime()->Iterations(3)->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(run, all_reduce, Work::AllReduce)->Apply(sizes);
BENCHMARK_CAPTURE(run, all_gather, Work::AllGather)->Apply(sizes);
BENCHMARK_CAPTURE(run, reduce_scatter, Work::ReduceScatter)->Apply(sizes);

} // namespace

BENCHMARK_MAIN();
