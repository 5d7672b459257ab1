// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes that have met confer, and learn of each other's failures.

#include "Processes.h"
#include <csignal>

namespace tpc::rt {

using testing::AllOf;
using testing::HasSubstr;

using PeersOfProcesses = Processes;

namespace {

std::string describe(const Status &status) {
  return status ? text(status.code(), " ", status.rank(), " ", status.message())
                : "fine";
}

Status concatenate(std::vector<std::string> &given, std::string &answer) {
  for (const std::string &text : given)
    answer += text;
  return {};
}

/// Runs `body` on joined peers.
std::string withPeers(const JoinOptions &options,
                      const std::function<std::string(Peers &)> &body) {
  std::unique_ptr<Peers> peers;
  if (Status status = Peers::join(options, peers))
    return status.message();
  return body(*peers);
}

} // namespace

TEST_F(PeersOfProcesses, Confer) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    return withPeers(options(rank, 3), [&](Peers &peers) {
      std::string all;
      for (int i = 0; i < 20; ++i) {
        std::string answer;
        if (Status status =
                peers.confer("a test", text(rank, i, ","), concatenate, answer))
          return status.message();
        all = answer;
      }
      // More than any buffer of the system holds.
      std::string answer;
      Status status = peers.confer(
          "a large test", std::string(20 << 20, static_cast<char>('a' + rank)),
          concatenate, answer);
      return all + describe(status) + text(answer.size()) + answer.back();
    });
  });
  EXPECT_THAT(results, testing::Each("019,119,219,fine62914560c"));
}

TEST_F(PeersOfProcesses, Agree) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    return withPeers(options(rank, 3), [&](Peers &peers) {
      Status same = peers.agree("programs", "the same");
      return describe(same) + ", " +
             describe(peers.agree("programs", rank == 2 ? "B" : "A"));
    });
  });
  EXPECT_THAT(results,
              testing::Each("fine, 5 2 the ranks run different programs: rank "
                            "0 runs A, rank 2 runs B"));
}

TEST_F(PeersOfProcesses, ConferAboutDifferentThings) {
  auto results = fork({0, 1}, [&](int32_t rank) {
    return withPeers(options(rank, 2), [&](Peers &peers) {
      std::string answer;
      return describe(peers.confer(rank ? "the cellar" : "the attic", "",
                                   concatenate, answer));
    });
  });
  EXPECT_THAT(results, testing::Each("5 1 rank 0 is in the attic while rank 1 "
                                     "is in the cellar"));
}

TEST_F(PeersOfProcesses, OneIsLate) {
  for (int32_t late : {0, 1}) {
    auto results = fork({0, 1, 2}, [&](int32_t rank) {
      JoinOptions given = options(rank, 3);
      given.deadline = 1;
      return withPeers(given, [&](Peers &peers) {
        peers.setWhereabouts([rank] { return text("in room ", rank); });
        usleep(rank == late ? 3000000 : 300000);
        std::string answer;
        return describe(peers.confer("a test", "", concatenate, answer));
      });
    });
    std::string message =
        late == 0 ? "6 0 rank 1 waited 1 seconds for rank 0 in a test; rank 0 "
                    "is in room 0"
                  : "6 1 rank 0 waited 1 seconds for rank 1 in a test; rank 1 "
                    "is in room 1";
    if (late == 0)
      EXPECT_THAT(results, testing::Each(HasSubstr(
                               " waited 1 seconds for rank 0 in a test; rank "
                               "0 is in room 0")));
    else
      EXPECT_THAT(results, testing::Each(message));
  }
}

TEST_F(PeersOfProcesses, PatienceWithTheLiving) {
  auto results = fork({0, 1}, [&](int32_t rank) {
    JoinOptions given = options(rank, 2);
    given.deadline = 0.5;
    return withPeers(given, [&](Peers &peers) {
      usleep(rank == 0 ? 1500000 : 0);
      std::string answer;
      Status first = peers.confer("a test", "", concatenate, answer, true);
      usleep(rank == 1 ? 1500000 : 0);
      return describe(first) +
             describe(peers.confer("a test", "", concatenate, answer, true));
    });
  });
  EXPECT_THAT(results, testing::Each("finefine"));
}

TEST_F(PeersOfProcesses, OneDies) {
  for (int32_t dying : {0, 2}) {
    auto results = fork({0, 1, 2}, [&](int32_t rank) {
      return withPeers(options(rank, 3), [&](Peers &peers) {
        std::string answer;
        Status status = peers.confer("a test", "", concatenate, answer);
        if (rank == dying)
          raise(SIGKILL);
        return describe(peers.confer("a test", "", concatenate, answer));
      });
    });
    for (int32_t rank = 0; rank < 3; ++rank)
      if (rank == dying)
        EXPECT_EQ(results[rank], "signal 9");
      else if (dying == 0)
        EXPECT_EQ(results[rank], "7 0 the process of rank 0 ended");
      else
        EXPECT_THAT(results[rank],
                    AllOf(testing::StartsWith("7 2 the process of rank 2 "
                                              "(process "),
                          testing::EndsWith(") ended")));
  }
}

TEST_F(PeersOfProcesses, OneIsSilent) {
  auto results = fork({0, 1}, [&](int32_t rank) {
    JoinOptions given = options(rank, 2);
    given.deadline = 0.2;
    return withPeers(given, [&](Peers &peers) {
      std::string answer;
      if (rank == 1) {
        // Stops all threads; ends when rank 0 has ended.
        pid_t self = getpid();
        if (::fork() == 0) {
          sleep(7);
          kill(self, SIGKILL);
          std::_Exit(0);
        }
        raise(SIGSTOP);
      }
      return describe(peers.confer("a test", "", concatenate, answer, true));
    });
  });
  EXPECT_THAT(results[0],
              HasSubstr("the process of rank 1 has not been heard of for 0.2 "
                        "seconds"));
}

TEST_F(PeersOfProcesses, OneLeavesInOrder) {
  for (int32_t leaving : {0, 1}) {
    auto results = fork({0, 1}, [&](int32_t rank) {
      return withPeers(options(rank, 2), [&](Peers &peers) {
        if (rank == leaving)
          return std::string();
        std::string answer;
        return describe(peers.confer("a test", "", concatenate, answer));
      });
    });
    EXPECT_EQ(results[1 - leaving],
              text("7 ", leaving, " rank ", leaving,
                   " did not take part in a test: its process has left the "
                   "world"));
  }
}

TEST_F(PeersOfProcesses, TheFirstFailureCounts) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    return withPeers(options(rank, 3), [&](Peers &peers) {
      std::string heard = "nothing";
      std::mutex mutex;
      peers.onFailure([&](const Status &status) {
        std::lock_guard<std::mutex> lock(mutex);
        heard = status.message();
      });
      if (rank != 1)
        usleep(500000);
      Status own(TPC_RT_IO, text("rank ", rank, " has no disk"), rank);
      Status settled = peers.settle(std::move(own));
      peers.onFailure(nullptr);
      std::lock_guard<std::mutex> lock(mutex);
      return heard + "; " + describe(settled);
    });
  });
  EXPECT_THAT(results,
              testing::Each("rank 1 has no disk; 9 1 rank 1 has no disk"));
}

} // namespace tpc::rt
