// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what torchrun, srun and mpirun tell the processes they start. What is
// said in TPC_ variables goes before what a launcher says.

#include "Launch.h"
#include "Handles.h"
#include <cerrno>
#include <cstdlib>

namespace tpc::run {

namespace {

struct Family {
  const char *launcher;
  const char *rank;
  const char *ranks;
  const char *localRank;
};

/// In the order in which they are looked for. mpirun within srun sets its own
/// variables beside those of srun, and is the one that counts.
const Family families[] = {
    {"", "TPC_RANK", "TPC_WORLD_SIZE", "TPC_LOCAL_RANK"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
};

const char *find(const char *name) {
  const char *value = std::getenv(name);
  return value && *value ? value : nullptr;
}

int32_t integer(const char *name, int32_t least, int32_t most) {
  const char *value = find(name);
  char *end = nullptr;
  errno = 0;
  long number = std::strtol(value, &end, 10);
  if (*end || errno || number < least || number > most)
    throw failure(std::string(name) + ": expected an integer from " +
                  std::to_string(least) + " to " + std::to_string(most) +
                  ", got \"" + value + "\"");
  return static_cast<int32_t>(number);
}

/// The same for all processes of a run, and no other's if possible.
std::string findJob() {
  if (const char *job = find("TPC_JOB"))
    return job;
  auto join = [](const char *first, const char *second) -> std::string {
    const char *tail = find(second);
    return find(first) + (tail ? std::string(".") + tail : "");
  };
  if (find("TORCHELASTIC_RUN_ID"))
    return join("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT");
  if (find("SLURM_JOB_ID"))
    return join("SLURM_JOB_ID", "SLURM_STEP_ID");
  const char *job = find("PMIX_NAMESPACE");
  return job ? job : "";
}

std::string findRendezvous() {
  if (const char *path = find("TPC_RENDEZVOUS"))
    return std::string("file:") + path;
  const char *host = find("MASTER_ADDR");
  if (!host || !find("MASTER_PORT"))
    throw failure("several processes: expected MASTER_ADDR and MASTER_PORT, "
                  "where rank 0 is reached, or TPC_RENDEZVOUS, a file that all "
                  "processes see");
  // torchrun's own store listens at the port it names.
  int32_t port =
      integer("MASTER_PORT", 1, 65534) + (find("TORCHELASTIC_RUN_ID") ? 1 : 0);
  return std::string("tcp:") + host + ":" + std::to_string(port);
}

} // namespace

std::string launchVariables() {
  std::string text;
  for (const Family &family : families)
    text += (text.empty() ? "" : ", ") + std::string(family.rank) +
            (*family.launcher ? " (" + std::string(family.launcher) + ")" : "");
  return text;
}

std::optional<Launch> readLaunch(bool doMeet) {
  for (const Family &family : families) {
    if (!find(family.rank))
      continue;
    if (!find(family.ranks))
      throw failure(std::string(family.rank) + " is set and " + family.ranks +
                    " is not");
    Launch launch;
    launch.ranks = integer(family.ranks, 1, 65536);
    launch.rank = integer(family.rank, 0, launch.ranks - 1);
    // Where nobody says, all processes are on one machine.
    launch.localRank = find(family.localRank)
                           ? integer(family.localRank, 0, 65535)
                           : launch.rank;
    launch.source = family.ranks;
    if (*family.launcher)
      launch.source += " (" + std::string(family.launcher) + ")";
    launch.job = findJob();
    if (launch.ranks > 1 && doMeet)
      launch.rendezvous = findRendezvous();
    return launch;
  }
  return std::nullopt;
}

} // namespace tpc::run
