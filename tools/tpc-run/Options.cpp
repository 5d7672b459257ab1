// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells tpc-run's own options from those that tpc-compile gets.

#include "Options.h"
#include "Handles.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <functional>
#include <map>

namespace tpc::run {

const char *const usage =
    R"(usage: tpc-run step.so | model.mlir [options] [options of tpc-compile]

Runs an artifact on N ranks. A model is compiled first by the tpc-compile beside
this executable, which gets every option not listed here.

  -n N               number of ranks (default: what the artifact is compiled for)
  --comm local|nccl  how ranks talk: as threads of one process (the default,
                     to be given where a launcher has started several), or
                     through NCCL, one process per rank where a launcher
                     (torchrun, srun, mpirun) has started several
  --inputs FILE      arguments from a .safetensors file, or NAME=FILE.npy; may be
                     repeated, a later one wins
  --seed S           random values for arguments that no file has
                     (without --inputs: for all, with seed 0)
  --outputs FILE     write the results to a .safetensors file, or one to a .npy
  --check            run the one-device program too and compare
  --function NAME    which function (default: the only one, or forward)
  --threads N        threads per rank (default: cores / ranks)
  --deadline SECONDS the longest wait for another rank (default: 60)
  --streams HOW      who communicates beside the compute: inline (the rank's
                     thread), threads (one per stream), auto (default: threads
                     where there are cores for them)
  --repeat N         run N more times and print the time per step
  --dry-run          print what the function enqueues on a rank, and run nothing
  --rank N           the rank of --dry-run (default: 0)
  --no-cuda-graph    enqueue the work of a GPU anew in every run
  --profile FILE     write a trace for chrome://tracing
  --help             this text

Exit status: 0 success, 1 failure, 2 wrong usage.
)";

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

static bool isModel(const std::string &text) {
  return endsWith(text, ".mlir") || endsWith(text, ".mlirbc");
}

bool Options::isSource() const { return isModel(program); }

static long long integer(const std::string &flag, const std::string &text,
                         long long least, long long most) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || value < least || value > most)
    throw usageError(flag + ": expected an integer from " +
                     std::to_string(least) + " to " + std::to_string(most) +
                     ", got \"" + text + "\"");
  return value;
}

static double seconds(const std::string &flag, const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(value > 0) || value > 1e9)
    throw usageError(flag + ": expected a number of seconds above 0, got \"" +
                     text + "\"");
  return value;
}

Options parseOptions(const std::vector<std::string> &arguments, bool isLinked) {
  Options options;
  bool hasRank = false;
  using Setter = std::function<void(const std::string &, const std::string &)>;
  const std::map<std::string, Setter> withValue = {
      {"-n",
       [&](const auto &f, const auto &v) {
         options.ranks = static_cast<int32_t>(integer(f, v, 1, 4096));
       }},
      {"--comm",
       [&](const auto &f, const auto &v) {
         if (v != "local" && v != "nccl")
           throw usageError(f + ": expected local or nccl, got \"" + v + "\"");
         options.communicator = v;
         options.hasCommunicator = true;
       }},
      {"--inputs",
       [&](const auto &, const auto &v) { options.inputs.push_back(v); }},
      {"--outputs",
       [&](const auto &f, const auto &v) {
         // Before the run: a wrong name must not cost its results.
         if (!endsWith(v, ".safetensors") && !endsWith(v, ".npy"))
           throw usageError(f +
                            ": expected a file name ending in "
                            ".safetensors or .npy, got \"" +
                            v + "\"");
         options.outputs = v;
       }},
      {"--profile", [&](const auto &, const auto &v) { options.profile = v; }},
      {"--function",
       [&](const auto &, const auto &v) { options.function = v; }},
      {"--seed",
       [&](const auto &f, const auto &v) {
         options.seed = integer(f, v, 0, LLONG_MAX);
       }},
      {"--threads",
       [&](const auto &f, const auto &v) {
         options.threads = static_cast<int32_t>(integer(f, v, 1, 4096));
       }},
      {"--streams",
       [&](const auto &f, const auto &v) {
         static const std::map<std::string, int32_t> ways = {
             {"auto", TPC_RT_STREAMS_AUTO},
             {"inline", TPC_RT_STREAMS_INLINE},
             {"threads", TPC_RT_STREAMS_THREADS}};
         auto way = ways.find(v);
         if (way == ways.end())
           throw usageError(f + ": expected auto, inline or threads, got \"" +
                            v + "\"");
         options.streams = way->second;
       }},
      {"--repeat",
       [&](const auto &f, const auto &v) {
         options.repeat = static_cast<int32_t>(integer(f, v, 1, INT_MAX));
       }},
      {"--rank",
       [&](const auto &f, const auto &v) {
         options.dryRunRank = static_cast<int32_t>(integer(f, v, 0, INT_MAX));
         hasRank = true;
       }},
      {"--deadline", [&](const auto &f, const auto &v) {
         options.deadline = seconds(f, v);
       }}};
  // An option of tpc-compile may take a value that looks like a program, so
  // the first argument that ends like one is it.
  bool hasModel = false;
  std::vector<std::string> rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string flag = arguments[i];
    std::string value;
    size_t equals = flag.find('=');
    bool hasValue = flag.rfind("--", 0) == 0 && equals != std::string::npos;
    if (hasValue) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    }
    if (auto it = withValue.find(flag); it != withValue.end()) {
      if (!hasValue) {
        if (++i == arguments.size())
          throw usageError(flag + ": expected a value");
        value = arguments[i];
      }
      it->second(flag, value);
    } else if (flag == "--check" && !hasValue) {
      options.check = true;
    } else if (flag == "--dry-run" && !hasValue) {
      options.dryRun = true;
    } else if (flag == "--no-cuda-graph" && !hasValue) {
      options.noCudaGraph = true;
    } else if ((flag == "--help" || flag == "-h") && !hasValue) {
      options.help = true;
    } else if (!isLinked && !hasModel &&
               (endsWith(arguments[i], ".so") || isModel(arguments[i]))) {
      hasModel = true;
      options.program = arguments[i];
    } else {
      rest.push_back(arguments[i]);
    }
  }
  if (options.help)
    return options;
  if (!isLinked && !hasModel && !rest.empty() && rest[0][0] != '-') {
    options.program = rest[0];
    rest.erase(rest.begin());
    hasModel = true;
  }
  if (!isLinked && !hasModel)
    throw usageError("expected an artifact or a model");
  if (!rest.empty() && !options.isSource())
    throw usageError("unknown option \"" + rest[0] + "\"");
  if (hasRank && !options.dryRun)
    throw usageError("--rank needs --dry-run");
  if (options.dryRun && options.check)
    throw usageError("--dry-run runs nothing: --check has nothing to compare");
  if (options.dryRun && !options.outputs.empty())
    throw usageError("--dry-run runs nothing: --outputs has nothing to write");
  if (options.dryRun && !options.profile.empty())
    throw usageError("--dry-run runs nothing: --profile has nothing to show");
  if (options.dryRun && options.repeat > 0)
    throw usageError("--dry-run runs nothing: --repeat has nothing to time");
  options.compileOptions = std::move(rest);
  return options;
}

} // namespace tpc::run
