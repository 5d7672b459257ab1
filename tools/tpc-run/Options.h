// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of tpc-run.
#ifndef TPC_RUN_OPTIONS_H
#define TPC_RUN_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tpc::run {

struct Options {
  /// Empty: the executable itself carries the artifact.
  std::string program;
  /// For tpc-compile, in the order given.
  std::vector<std::string> compileOptions;
  std::optional<int32_t> ranks;
  std::string communicator = "local";
  bool hasCommunicator = false;
  std::vector<std::string> inputs;
  std::string outputs;
  std::string profile;
  std::string function;
  std::optional<uint64_t> seed;
  int32_t threads = 0;
  int32_t repeat = 0;
  /// TPC_RT_STREAMS_...
  int32_t streams = 0;
  double deadline = 0;
  bool check = false;
  /// Print what a rank would be told to do, and do nothing.
  bool dryRun = false;
  int32_t dryRunRank = 0;
  bool noCudaGraph = false;
  bool help = false;

  bool isSource() const;
};

/// Parses the arguments behind the program's name. `isLinked`: the artifact is
/// part of the executable, so that no program is named. Throws Error.
Options parseOptions(const std::vector<std::string> &arguments, bool isLinked);

extern const char *const usage;

} // namespace tpc::run

#endif // TPC_RUN_OPTIONS_H
