// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rank this process is, as its launcher says in the environment.
#ifndef TPC_RUN_LAUNCH_H
#define TPC_RUN_LAUNCH_H

#include <cstdint>
#include <optional>
#include <string>

namespace tpc::run {

struct Launch {
  int32_t rank = 0;
  int32_t ranks = 1;
  /// Among the processes of this machine.
  int32_t localRank = 0;
  /// Where `ranks` is from: `WORLD_SIZE (torchrun)`.
  std::string source;
  /// As in tpc_rt_world_options_t; empty for a world of one process.
  std::string rendezvous;
  std::string job;
};

/// Nothing when no launcher has started this process. Throws Error when the
/// variables contradict each other or say too little; where processes meet is
/// only looked for if they do.
std::optional<Launch> readLaunch(bool doMeet);

/// `TPC_RANK, RANK (torchrun), ...`: what readLaunch looks at.
std::string launchVariables();

} // namespace tpc::run

#endif // TPC_RUN_LAUNCH_H
