// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of several processes share: one that is forked per rank, and says
// in a file what came of it.
#ifndef TPC_RT_TEST_PROCESSES_H
#define TPC_RT_TEST_PROCESSES_H

#include "peers.h"
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tpc::rt {

/// A free port, most likely.
inline int freePort() {
  int port = 0;
  Socket socket;
  EXPECT_TRUE(listenAt(port, socket).ok());
  return port;
}

class Processes : public testing::Test {
protected:
  Processes() {
    char pattern[] = "/tmp/tpc-processes-XXXXXX";
    folder = mkdtemp(pattern);
    place = text("tcp:127.0.0.1:", freePort());
  }
  ~Processes() override {
    if (std::system(("rm -rf " + folder).c_str()) != 0)
      ADD_FAILURE() << "cannot remove " << folder;
  }

  JoinOptions options(int32_t rank, int32_t ranks) const {
    JoinOptions result;
    result.rank = rank;
    result.ranks = ranks;
    result.place = place;
    result.deadline = 20;
    return result;
  }

  /// Runs `body(rank)` in a process of its own for each rank, and returns what
  /// each returned; "signal N" for one that was ended, "status N" for one that
  /// a sanitizer has stopped.
  std::vector<std::string>
  fork(std::vector<int32_t> ranks,
       const std::function<std::string(int32_t)> &body) {
    std::vector<pid_t> children;
    for (size_t i = 0; i < ranks.size(); ++i) {
      pid_t child = ::fork();
      if (child == 0) {
        std::string result;
        try {
          result = body(ranks[i]);
        } catch (const std::exception &error) {
          result = error.what();
        }
        std::ofstream(text(folder, "/", i)) << result;
        std::_Exit(0);
      }
      children.push_back(child);
    }
    std::vector<std::string> results;
    for (size_t i = 0; i < ranks.size(); ++i) {
      int status = 0;
      waitpid(children[i], &status, 0);
      std::stringstream content;
      content << std::ifstream(text(folder, "/", i)).rdbuf();
      results.push_back(WIFSIGNALED(status) ? text("signal ", WTERMSIG(status))
                        : WEXITSTATUS(status)
                            ? text("status ", WEXITSTATUS(status))
                            : content.str());
    }
    return results;
  }

  /// Joins with `change` made to the options and says how that went.
  std::string join(
      int32_t rank, int32_t ranks,
      const std::function<void(JoinOptions &)> &change = [](JoinOptions &) {
      }) const {
    JoinOptions given = options(rank, ranks);
    change(given);
    std::unique_ptr<Peers> peers;
    Status status = Peers::join(given, peers);
    return status ? status.message() : "met";
  }

  std::string folder;
  std::string place;
};

} // namespace tpc::rt

#endif // TPC_RT_TEST_PROCESSES_H
