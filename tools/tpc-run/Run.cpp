// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads or compiles a program, runs it on its ranks, and shows what came out.

#include "Run.h"
#include "Check.h"
#include "Compile.h"
#include "Launch.h"
#include "Values.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tpc::run {

static int32_t chooseFunction(tpc_rt_module_t *module,
                              const std::string &name) {
  int32_t count = tpc_rt_module_function_count(module);
  std::string known;
  for (int32_t i = 0; i < count; ++i)
    known +=
        (i ? ", " : "") + std::string(tpc_rt_module_function_name(module, i));
  if (name.empty() && count == 1)
    return 0;
  int32_t function = tpc_rt_module_find_function(
      module, name.empty() ? "forward" : name.c_str());
  if (function >= 0)
    return function;
  if (name.empty())
    throw failure("the artifact has several functions, choose one with "
                  "--function: " +
                  known);
  throw failure("--function: expected one of " + known + ", got \"" + name +
                "\"");
}

static void requireRanks(tpc_rt_module_t *module, const Options &options,
                         const std::optional<Launch> &launch) {
  int32_t ranks = tpc_rt_module_rank_count(module);
  auto require = [&](int32_t given, const std::string &source) {
    if (given != ranks)
      throw failure("the artifact is compiled for " + std::to_string(ranks) +
                    " ranks (mesh " + tpc_rt_module_mesh(module) + "), " +
                    source + " is " + std::to_string(given));
  };
  if (options.ranks)
    require(*options.ranks, "-n");
  if (launch)
    require(launch->ranks, launch->source);
}

static World createWorld(tpc_rt_module_t *module, const Options &options,
                         const std::optional<Launch> &launch) {
  int32_t ranks = tpc_rt_module_rank_count(module);
  tpc_rt_world_options_t worldOptions{};
  worldOptions.size = sizeof(worldOptions);
  worldOptions.ranks = ranks;
  worldOptions.threads_per_rank = options.threads;
  worldOptions.profile = !options.profile.empty();
  worldOptions.deadline_seconds = options.deadline;
  worldOptions.communicator = options.communicator.c_str();
  worldOptions.streams = options.streams;
  worldOptions.device = tpc_rt_module_target(module);
  worldOptions.no_graphs = options.noCudaGraph;
  if (launch && !launch->rendezvous.empty()) {
    worldOptions.rendezvous = launch->rendezvous.c_str();
    worldOptions.job = launch->job.c_str();
    worldOptions.rank = launch->rank;
    worldOptions.local_rank = launch->localRank;
  }
  tpc_rt_world_t *world = nullptr;
  tpc_rt_status_t *status = tpc_rt_world_create(&worldOptions, &world);
  if (status && options.communicator != "local" && !launch && ranks > 1) {
    std::string message = tpc_rt_status_message(status);
    tpc_rt_status_release(status);
    throw failure(message +
                  " (this process has all ranks, since no launcher "
                  "is seen: none of " +
                  launchVariables() + " is set)");
  }
  check(status);
  return World(world);
}

/// Every process writes the trace of its ranks.
static std::string traceFile(const std::string &path, int32_t rank) {
  return rank == 0 ? path : path + ".rank" + std::to_string(rank);
}

static void printResult(const tpc_rt_value_t &value, tpc_rt_tensor_t *tensor) {
  constexpr int64_t shown = 6;
  int64_t count = tpc_rt_tensor_count(tensor);
  std::printf("%s: %s %s %s:", value.name, tpc_rt_dtype_name(value.dtype),
              shapeText(value.rank, value.shape).c_str(), value.placement);
  for (int64_t i = 0; i < std::min(count, shown); ++i)
    std::printf(" %.6g", elementOf(tensor, i));
  std::printf("%s\n", count > shown ? " ..." : "");
}

static void measure(tpc_rt_call_t *call, int32_t repeat, bool prints) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int32_t i = 0; i < repeat; ++i) {
    Clock::time_point begin = Clock::now();
    check(tpc_rt_call_run(call));
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  if (!prints)
    return;
  std::printf("step time: median %.3f ms, least %.3f ms (%d steps)\n",
              1e3 * seconds[seconds.size() / 2], 1e3 * seconds[0], repeat);
}

/// Before a run that would be lost: whether a file can be written. Pipes and
/// the like are left alone: whoever reads them would see an end.
static void requireWritable(const char *flag, const std::string &path) {
  struct stat found {};
  int error = 0;
  if (lstat(path.c_str(), &found) != 0) {
    int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0) {
      error = errno;
    } else {
      close(file);
      unlink(path.c_str());
    }
  } else if (S_ISDIR(found.st_mode)) {
    error = EISDIR;
  } else if (access(path.c_str(), F_OK) == 0 &&
             access(path.c_str(), W_OK) != 0) {
    error = errno;
  }
  if (error)
    throw failure(std::string(flag) + ": cannot write \"" + path +
                  "\": " + std::strerror(error));
}

/// What a .npy file can hold.
static void requireOneTensor(tpc_rt_module_t *module, int32_t function,
                             const std::string &path) {
  if (path.size() < 4 || path.compare(path.size() - 4, 4, ".npy") != 0)
    return;
  int32_t count = tpc_rt_module_result_count(module, function);
  if (count != 1)
    throw failure("--outputs: a .npy file holds 1 tensor, the function has " +
                  std::to_string(count) + " results; use .safetensors");
  tpc_rt_value_t value{};
  value.size = sizeof(value);
  check(tpc_rt_module_result(module, function, 0, &value));
  if (value.dtype == TPC_RT_BF16)
    throw failure("--outputs: a .npy file cannot hold bf16; use .safetensors");
}

/// Runs the function and shows what came out. Of several processes rank 0's
/// prints, writes and compares.
static void execute(tpc_rt_module_t *module, int32_t function,
                    tpc_rt_world_t *world, const Options &options) {
  Inputs inputs(options);
  inputs.checkNames(module, function);
  int32_t ownRank = tpc_rt_world_first_rank(world);
  bool isFirst = ownRank == 0;
  if (!options.outputs.empty() && isFirst) {
    requireOneTensor(module, function, options.outputs);
    requireWritable("--outputs", options.outputs);
  }
  if (!options.profile.empty())
    requireWritable("--profile", traceFile(options.profile, ownRank));
  tpc_rt_call_t *rawCall = nullptr;
  check(tpc_rt_call_create(world, module, function, &rawCall));
  Call call(rawCall);
  inputs.set(rawCall, module, function);
  check(tpc_rt_call_run(rawCall));
  if (options.repeat > 0)
    measure(rawCall, options.repeat, isFirst);

  int32_t count = tpc_rt_module_result_count(module, function);
  std::vector<Tensor> results;
  std::vector<const char *> names;
  std::vector<tpc_rt_tensor_t *> tensors;
  for (int32_t i = 0; i < count; ++i) {
    tpc_rt_value_t value{};
    value.size = sizeof(value);
    check(tpc_rt_module_result(module, function, i, &value));
    tpc_rt_tensor_t *tensor = nullptr;
    check(tpc_rt_call_get_result(rawCall, i, &tensor));
    results.emplace_back(tensor);
    names.push_back(value.name);
    tensors.push_back(tensor);
    if (isFirst)
      printResult(value, tensor);
  }
  if (!options.outputs.empty() && isFirst)
    check(tpc_rt_file_write(options.outputs.c_str(), count, names.data(),
                            tensors.data()));
  if (!options.profile.empty())
    check(tpc_rt_world_write_trace(
        world, traceFile(options.profile, ownRank).c_str()));
  if (!options.check)
    return;
  for (int32_t i = 0; i < count; ++i)
    check(tpc_rt_call_check_replicas(rawCall, i));
  if (isFirst &&
      !checkAgainstReference(module, function, results, inputs, options))
    throw failure("--check: results differ from the one-device program");
}

/// Several processes that nobody has told to work together would do the same.
static void refuseCopies(const std::string &target) {
  std::optional<Launch> launch;
  try {
    launch = readLaunch(/*doMeet=*/false);
  } catch (const Error &) {
    // Variables that are no launcher's.
  }
  // A batch script of Slurm's has the variables of its first process.
  if (launch && launch->rank == 0 &&
      launch->source.rfind("SLURM_NTASKS", 0) == 0)
    return;
  if (launch && launch->ranks > 1)
    throw failure("this is one of " + std::to_string(launch->ranks) +
                  " processes, as " + launch->source +
                  " says, and each would run all ranks: " +
                  (target == "cuda" ? "give --comm nccl" : "start one") +
                  ", or give --comm local if that is what you want");
}

static int run(const Options &options) {
  std::optional<Launch> launch;
  if (options.communicator != "local")
    launch = readLaunch(/*doMeet=*/true);
  bool isOneOfSeveral = launch && launch->ranks > 1;
  if (options.isSource() && isOneOfSeveral)
    throw failure("unsupported: compiling \"" + options.program +
                  "\" in every process; compile it once with tpc-compile and "
                  "run the artifact");
  TemporaryFolder folder;
  std::string artifact = options.program;
  if (options.isSource()) {
    artifact = folder.file("step.so");
    compile(options.program, options.compileOptions, artifact);
  }
  tpc_rt_module_t *rawModule = nullptr;
  check(tpc_rt_module_load(artifact.empty() ? nullptr : artifact.c_str(),
                           &rawModule));
  Module module(rawModule);
  int32_t function = chooseFunction(rawModule, options.function);
  requireRanks(rawModule, options, launch);
  const std::string target = tpc_rt_module_target(rawModule);
  if (options.noCudaGraph && target != "cuda")
    throw failure("--no-cuda-graph: the artifact is compiled for " + target);
  if (!options.hasCommunicator && !options.dryRun)
    refuseCopies(target);
  if (options.dryRun) {
    auto print = [](void *, const char *line) { std::printf("%s\n", line); };
    check(tpc_rt_module_dry_run(rawModule, function, options.dryRunRank, print,
                                nullptr));
    return 0;
  }
  World world = createWorld(rawModule, options, launch);
  try {
    execute(rawModule, function, world.get(), options);
  } catch (const Error &error) {
    // The others end with this one, and say why.
    tpc_rt_status_release(tpc_rt_world_finish(world.get(), error.what()));
    if (!isOneOfSeveral)
      throw;
    throw Error(error.exitStatus,
                "rank " + std::to_string(launch->rank) + ": " + error.what());
  }
  check(tpc_rt_world_finish(world.get(), nullptr));
  return 0;
}

int runTool(int argc, char **argv, bool isLinked) {
  try {
    Options options = parseOptions({argv + 1, argv + argc}, isLinked);
    if (options.help) {
      std::fputs(usage, stdout);
      return 0;
    }
    return run(options);
  } catch (const Error &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "tpc-run: error: %s\n", error.what());
    if (error.exitStatus == 2)
      std::fprintf(stderr, "try tpc-run --help\n");
    // A rank that is stuck may still be at work: nothing may be torn down
    // under it.
    std::_Exit(error.exitStatus);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "tpc-run: error: %s\n", error.what());
    return 1;
  }
}

} // namespace tpc::run
