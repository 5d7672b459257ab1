// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of the communicator nccl on simulated GPUs share: a process per
// rank, in which the simulator's findings are failures.
#ifndef TPC_RT_TEST_NCCLPROCESSES_H
#define TPC_RT_TEST_NCCLPROCESSES_H

#include "Harness.h"
#include <dlfcn.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tpc::rt::conformance {

class NcclProcesses : public testing::Test {
protected:
  NcclProcesses() {
    char pattern[] = "/tmp/tpc-nccl-XXXXXX";
    folder = mkdtemp(pattern);
  }
  ~NcclProcesses() override {
    if (std::system(("rm -rf " + folder).c_str()) != 0)
      ADD_FAILURE() << "cannot remove " << folder;
  }
  void SetUp() override {
    if (run(1, [](int32_t) {
          void *driver = dlopen("libcuda.so.1", RTLD_NOW);
          bool isSimulated = driver && dlsym(driver, "tpc_sim_own_image");
          return std::string(isSimulated ? "yes" : "no");
        })[0] != "yes")
      GTEST_SKIP() << "needs the simulated driver";
  }

  /// What `body` returns in a process of each rank.
  std::vector<std::string>
  run(int32_t ranks, const std::function<std::string(int32_t)> &body) {
    std::vector<pid_t> children;
    for (int32_t rank = 0; rank < ranks; ++rank) {
      children.push_back(fork());
      if (children.back() == 0) {
        std::string text = body(rank) + findings();
        std::ofstream(folder + "/" + std::to_string(rank)) << text;
        _exit(0);
      }
    }
    std::vector<std::string> texts;
    for (int32_t rank = 0; rank < ranks; ++rank) {
      int status = 0;
      waitpid(children[rank], &status, 0);
      std::stringstream text;
      text << std::ifstream(folder + "/" + std::to_string(rank)).rdbuf();
      texts.push_back(WIFSIGNALED(status) ? "killed" : text.str());
    }
    return texts;
  }

  tpc_rt_status_t *create(int32_t rank, int32_t ranks,
                          Owned<tpc_rt_world_t> &world, double deadline = 20) {
    std::string place = "file:" + folder + "/meet";
    tpc_rt_world_options_t options{};
    options.size = sizeof(options);
    options.ranks = ranks;
    options.device = "cuda";
    options.communicator = communicator;
    options.deadline_seconds = deadline;
    options.rendezvous = rank < 0 ? nullptr : place.c_str();
    options.rank = std::max(rank, 0);
    options.local_rank = std::max(rank, 0);
    tpc_rt_world_t *raw = nullptr;
    tpc_rt_status_t *status = tpc_rt_world_create(&options, &raw);
    world.reset(raw);
    return status;
  }

  /// A world, or why there is none.
  std::string createdOn(int32_t rank, int32_t ranks) {
    Owned<tpc_rt_world_t> world;
    Outcome outcome = take(create(rank, ranks, world));
    return outcome.ok()
               ? take(tpc_rt_world_finish(world.get(), nullptr)).message
               : outcome.message;
  }

  /// What the simulator of this process has found, leaks included.
  static std::string findings() {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    auto find = [&](auto &pointer, const char *name) {
      pointer = reinterpret_cast<std::decay_t<decltype(pointer)>>(
          dlsym(driver, name));
    };
    void (*checkLeaks)();
    int64_t (*count)();
    const char *(*finding)(int64_t);
    find(checkLeaks, "tpc_sim_check_leaks");
    find(count, "tpc_sim_num_findings");
    find(finding, "tpc_sim_finding");
    checkLeaks();
    std::string text;
    for (int64_t i = 0; i < count(); ++i)
      text += std::string("; found: ") + finding(i);
    return text;
  }

  std::string folder;
  const char *communicator = "nccl";
};

} // namespace tpc::rt::conformance

#endif // TPC_RT_TEST_NCCLPROCESSES_H
