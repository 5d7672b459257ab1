// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the processes of a world find each other: rank 0 listens, at an address
// that all know or that it writes to a file, and the others come to it.
#ifndef TPC_RT_SRC_RENDEZVOUS_H
#define TPC_RT_SRC_RENDEZVOUS_H

#include "socket.h"
#include <vector>

namespace tpc::rt {

struct JoinOptions {
  int32_t rank = 0;
  int32_t ranks = 1;
  /// `tcp:HOST:PORT` or `file:PATH`.
  std::string place;
  /// The same in all processes of a run and in no other run; may be empty.
  std::string job;
  double deadline = 60;
};

/// Another process of the world.
struct Peer {
  Socket socket;
  std::string host;
  int64_t process = 0;

  std::string str() const { return text("process ", process, " on ", host); }
};

/// `rank 2`, `ranks 1, 2 and 3`
std::string ranksText(const std::vector<int32_t> &ranks);

/// Meets the other processes. Rank 0 gets one peer per rank, its own without a
/// connection; the others get rank 0 alone. All learn of it when a process is
/// missing or does not belong to the world.
Status meetProcesses(const JoinOptions &options, std::vector<Peer> &peers);

} // namespace tpc::rt

#endif // TPC_RT_SRC_RENDEZVOUS_H
