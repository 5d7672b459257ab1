// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worlds of several processes: they meet, confer, share their failures and join
// results. The processes are forked; the ranks exchange data over the
// connections of the peers, by a communicator that exists for this test alone.

#include "kernels.h"
#include "results.h"
#include <csignal>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tpc::rt {

namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A free port, most likely.
int freePort() {
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
  /// each returned; "signal N" for one that was ended.
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

std::string describe(const Status &status) {
  return status ? text(status.code(), " ", status.rank(), " ", status.message())
                : "fine";
}

Status concatenate(std::vector<std::string> &given, std::string &answer) {
  for (const std::string &text : given)
    answer += text;
  return {};
}

} // namespace

TEST_F(Processes, MeetAtAPort) {
  EXPECT_THAT(fork({0, 1, 2}, [&](int32_t rank) { return join(rank, 3); }),
              testing::Each("met"));
  EXPECT_EQ(join(0, 1), "met");
}

TEST_F(Processes, MeetByAFile) {
  std::string path = folder + "/meet";
  place = "file:" + path;
  EXPECT_THAT(fork({2, 1, 0}, [&](int32_t rank) { return join(rank, 3); }),
              testing::Each("met"));
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  // What another job has left does not matter.
  std::ofstream(path) << "tpc rendezvous 1\njob  old\nport 1\nhost nowhere\n";
  auto asNew = [&](int32_t rank) {
    return join(rank, 2, [](JoinOptions &o) { o.job = "new"; });
  };
  EXPECT_THAT(fork({0, 1}, asNew), testing::Each("met"));
}

TEST_F(Processes, FilesThatDoNotHelp) {
  std::string path = folder + "/meet";
  place = "file:" + path;
  auto soon = [](JoinOptions &o) { o.deadline = 0.3; };
  EXPECT_EQ(join(1, 2, soon), "rank 1 found no rendezvous file \"" + path +
                                  "\" within 0.3 seconds");
  std::ofstream(path) << "tpc rendezvous 1\njob  old\nport 1\nhost nowhere\n";
  EXPECT_EQ(join(1, 2, soon),
            "rank 1 found no rendezvous file \"" + path +
                "\" within 0.3 seconds, only one of job \"old\" (this is job "
                "\"\")");
  EXPECT_EQ(join(0, 2, [](JoinOptions &o) { o.job = "old"; }),
            "the rendezvous file \"" + path +
                "\" is there already, of job \"old\"; remove it, or give every "
                "run another TPC_JOB");
  place = "file:" + folder + "/none/meet";
  EXPECT_EQ(join(0, 2), "cannot write the rendezvous file \"" + folder +
                            "/none/meet\": No such file or directory");
}

TEST_F(Processes, PlacesThatAreNone) {
  place = "here";
  EXPECT_EQ(join(0, 2), "expected a rendezvous tcp:HOST:PORT or file:PATH, got "
                        "\"here\"");
  place = "tcp:localhost";
  EXPECT_EQ(join(0, 2),
            "expected the address of rank 0 as HOST:PORT, got \"localhost\"");
  place = "tcp:localhost:70000";
  EXPECT_THAT(join(1, 2), HasSubstr("got \"localhost:70000\""));
}

TEST_F(Processes, PortIsTaken) {
  int port = 0;
  Socket socket;
  ASSERT_TRUE(listenAt(port, socket).ok());
  place = text("tcp:127.0.0.1:", port);
  EXPECT_EQ(join(0, 2), text("rank 0 cannot listen at port ", port,
                             ", where the processes meet: Address already in "
                             "use"));
  // Whoever listens there says nothing.
  EXPECT_EQ(join(1, 2, [](JoinOptions &o) { o.deadline = -4.5; }),
            text("rank 1 lost the connection to rank 0 at 127.0.0.1:", port,
                 " while the processes met"));
}

TEST_F(Processes, ARankIsMissing) {
  auto soon = [](JoinOptions &o) { o.deadline = o.rank ? 20 : 1; };
  std::string message = text("rank 0 waited 1 seconds at ", place.substr(4),
                             " for ranks 2 and 3 of 4, which did not come");
  EXPECT_THAT(fork({0, 1}, [&](int32_t rank) { return join(rank, 4, soon); }),
              testing::Each(message));
  EXPECT_EQ(join(1, 2, [](JoinOptions &o) { o.deadline = 0.2; }),
            text("rank 1 could not reach rank 0 at ", place.substr(4),
                 " within 0.2 seconds: Connection refused"));
}

TEST_F(Processes, AProcessOfAnotherWorld) {
  auto results =
      fork({0, 1}, [&](int32_t rank) { return join(rank, rank ? 4 : 2); });
  EXPECT_THAT(results,
              testing::Each(AllOf(HasSubstr("rank 1 (process "),
                                  HasSubstr(") was started as one of 4 ranks, "
                                            "rank 0 as one of 2"))));
  results = fork({0, 1}, [&](int32_t rank) {
    return join(rank, 2,
                [&](JoinOptions &o) { o.job = rank ? "mine" : "yours"; });
  });
  EXPECT_THAT(results,
              testing::Each(HasSubstr(") belongs to job \"mine\", rank "
                                      "0 to job \"yours\"")));
  results = fork({0, 1, 1}, [&](int32_t rank) { return join(rank, 3); });
  EXPECT_THAT(results, testing::Each(HasSubstr(
                           "two processes came as rank 1: process ")));
  results = fork({0, 5}, [&](int32_t rank) { return join(rank, 2); });
  EXPECT_THAT(results, testing::Each(HasSubstr(
                           " came as rank 5, expected ranks 1 to 1")));
}

// Something that is no rank connects first.
TEST_F(Processes, StrangersAreSentAway) {
  auto results = fork({0, 1}, [&](int32_t rank) {
    if (rank == 1) {
      Socket stranger;
      Address address{"127.0.0.1", std::atoi(place.substr(14).c_str())};
      while (connectOnce(address, Clock::now() + std::chrono::seconds(1),
                         stranger))
        usleep(10000);
      writeUntil(stranger, "GET / HTTP/1.1\r\nHost: tpc\r\n\r\n",
                 Clock::now() + std::chrono::seconds(1));
      return join(rank, 2);
    }
    return join(rank, 2);
  });
  EXPECT_THAT(results, testing::Each("met"));
  results = fork({0, 1}, [&](int32_t rank) {
    if (rank == 0)
      return join(rank, 2);
    Socket other;
    Address address{"127.0.0.1", std::atoi(place.substr(14).c_str())};
    while (connectOnce(address, Clock::now() + std::chrono::seconds(1), other))
      usleep(10000);
    std::string hello = FieldWriter().number(9).number(1).bytes;
    writeUntil(other, encodeFrame(FrameKind::Hello, hello),
               Clock::now() + std::chrono::seconds(1));
    Frame frame;
    readFrameUntil(other, Clock::now() + std::chrono::seconds(5), frame);
    return std::string();
  });
  EXPECT_EQ(results[0],
            "rank 1 runs another version of the runtime than rank 0");
}

namespace {

/// Runs `body` on joined peers.
std::string withPeers(const JoinOptions &options,
                      const std::function<std::string(Peers &)> &body) {
  std::unique_ptr<Peers> peers;
  if (Status status = Peers::join(options, peers))
    return status.message();
  return body(*peers);
}

} // namespace

TEST_F(Processes, Confer) {
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

TEST_F(Processes, Agree) {
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

TEST_F(Processes, ConferAboutDifferentThings) {
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

TEST_F(Processes, OneIsLate) {
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

TEST_F(Processes, PatienceWithTheLiving) {
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

TEST_F(Processes, OneDies) {
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

TEST_F(Processes, OneIsSilent) {
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

TEST_F(Processes, OneLeavesInOrder) {
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

TEST_F(Processes, TheFirstFailureCounts) {
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

namespace {

class RelayPlatform final : public Platform {
public:
  Status createDevice(int32_t, DeviceHooks hooks,
                      std::unique_ptr<Device> &device) override {
    device = createCpuDevice(PlatformOptions(), std::move(hooks));
    return {};
  }
  Status createCommunicator(const std::string &, World &world,
                            std::unique_ptr<Communicator> &comm) override;
};

/// Ranks send each other all they have over the connections of the peers.
class RelayCommunicator final : public Communicator {
public:
  explicit RelayCommunicator(World &world) : world(world) {}

  Status prepare(const Manifest &given,
                 std::unique_ptr<CollectiveSet> &set) override {
    manifest = &given;
    set = std::make_unique<CollectiveSet>();
    return {};
  }
  Status beginRun() override { return {}; }
  Status agree(tpc_rt_rank_t &, const std::string &text) override {
    return world.peers()->agree("programs", text);
  }
  Status run(tpc_rt_rank_t &rank, int32_t, CollectiveSet &, int32_t index,
             const void *const *inputs, void *const *outputs) override {
    const Collective &collective = manifest->collectives[index];
    const Part &part = collective.parts[0];
    PartPlan plan;
    if (Status status = planPart(manifest->mesh, collective.axes, part,
                                 rank.index, false, plan))
      return status;
    auto keepAll = [](std::vector<std::string> &given, std::string &answer) {
      for (const std::string &text : given)
        answer += text;
      return Status();
    };
    size_t bytes = volumeOf(localShape(manifest->mesh, part.from, part.shape)) *
                   dtypeSize(part.dtype);
    std::string all;
    if (Status status = world.peers()->confer(
            collective.label,
            std::string(static_cast<const char *>(inputs[0]), bytes), keepAll,
            all))
      return status;
    std::vector<const void *> buffers;
    for (int32_t other = 0; other < world.numRanks(); ++other)
      buffers.push_back(&all[other * bytes]);
    for (const Transfer &transfer : plan.first)
      runTransfer(plan.dtype, plan.reduction, transfer, outputs[0],
                  buffers.data(), 0, 1);
    return {};
  }

private:
  World &world;
  const Manifest *manifest = nullptr;
};

Status RelayPlatform::createCommunicator(const std::string &, World &world,
                                         std::unique_ptr<Communicator> &comm) {
  comm = std::make_unique<RelayCommunicator>(world);
  return {};
}

/// What the function of the module does after its collective.
std::function<int32_t(float *results)> extra;

int32_t addUp(tpc_rt_rank_t *rank, const void *const *arguments,
              void *const *results, void *) {
  const void *in = arguments[0];
  void *out = results[0];
  if (int32_t code = tpc_rt_collective(rank, TPC_RT_COMPUTE, 0, 1, &in, &out))
    return code;
  // y is the sum, z the rank's own part.
  std::memcpy(results[1], arguments[0], 8);
  return extra ? extra(static_cast<float *>(results[0])) : 0;
}

std::string manifestText(const std::string &fingerprint) {
  std::string partial = R"([{"axis":"tp","partial":"sum"}])";
  std::string shard = R"([{"axis":"tp","shard":0}])";
  return R"({"abi":)" + std::to_string(TPC_RT_ABI_VERSION) +
         R"(,"fingerprint":")" + fingerprint +
         R"(","mesh":[{"name":"tp","size":3}],"functions":[{"name":"f",)"
         R"("symbol":"f","workspace_bytes":0,"arguments":[{"name":"x",)"
         R"("dtype":"f32","shape":[5],"placement":)" +
         shard + R"(}],"results":[{"name":"y","dtype":"f32","shape":[2],)" +
         R"("placement":[]},{"name":"z","dtype":"f32","shape":[5],)" +
         R"("placement":)" + shard +
         R"(}]}],"collectives":[{"kind":"all_reduce","phase":"forward",)"
         R"("axes":["tp"],"value":"y","loc":"m.py:7","local":false,)"
         R"("parts":[{"dtype":"f32","shape":[2],"from":)" +
         partial + R"(,"to":[]}]}],"report":{},"reference":""})";
}

/// One process's part of a run on three ranks.
class OneRank {
public:
  OneRank(const JoinOptions &join, const std::string &fingerprint = "aa") {
    std::unique_ptr<Peers> peers;
    if (Status status = Peers::join(join, peers))
      throw std::runtime_error(status.message());
    World::Options options;
    options.ranks = join.ranks;
    options.ownRank = join.rank;
    options.deadline = join.deadline;
    world.object = std::make_shared<World>(options, std::move(peers));
    Status status = world.object->openOn(std::make_unique<RelayPlatform>());
    if (status)
      throw std::runtime_error(status.message());
    world.object->start();
    take(tpc_rt_module_create(
        manifestText(fingerprint).c_str(),
        [](void *, const char *) { return addUp; }, nullptr, &module));
    if (take(tpc_rt_call_create(&world, module, 0, &call)) != "fine")
      return;
    int64_t shape[] = {5};
    tpc_rt_tensor_t *x = nullptr;
    take(tpc_rt_tensor_create(TPC_RT_F32, 1, shape, &x));
    for (int i = 0; i < 5; ++i)
      static_cast<float *>(tpc_rt_tensor_data(x))[i] =
          static_cast<float>(i + 1);
    take(tpc_rt_call_set_argument(call, 0, x));
    tpc_rt_tensor_release(x);
  }
  ~OneRank() {
    tpc_rt_call_release(call);
    tpc_rt_module_release(module);
  }

  std::string run() { return take(tpc_rt_call_run(call)); }
  /// The elements of a result, or why there is none.
  std::string result(int32_t index) {
    tpc_rt_tensor_t *tensor = nullptr;
    std::string text = take(tpc_rt_call_get_result(call, index, &tensor));
    if (!tensor)
      return text == "fine" ? "elsewhere" : text;
    auto *data = static_cast<float *>(tpc_rt_tensor_data(tensor));
    std::vector<float> values(data, data + tpc_rt_tensor_count(tensor));
    tpc_rt_tensor_release(tensor);
    return listText(values);
  }
  std::string check(int32_t index) {
    return take(tpc_rt_call_check_replicas(call, index));
  }
  std::string finish(const char *failure = nullptr) {
    return take(tpc_rt_world_finish(&world, failure));
  }
  std::string take(tpc_rt_status_t *status) {
    if (!status)
      return "fine";
    std::string message = tpc_rt_status_message(status);
    tpc_rt_status_release(status);
    if (problem.empty())
      problem = message;
    return message;
  }

  /// The first failure of any call.
  std::string problem;
  tpc_rt_world_t world;
  tpc_rt_module_t *module = nullptr;
  tpc_rt_call_t *call = nullptr;
};

} // namespace

TEST_F(Processes, RunAndJoinResults) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    OneRank one(options(rank, 3));
    std::string text = one.run() + " " + one.run() + " " + one.result(0) + " " +
                       one.result(1) + " " + one.check(0) + " " + one.check(1);
    bool isOthers = !tpc_rt_call_result_buffer(one.call, (rank + 1) % 3, 0) &&
                    !tpc_rt_call_argument_buffer(one.call, (rank + 1) % 3, 0) &&
                    tpc_rt_call_result_buffer(one.call, rank, 0) &&
                    tpc_rt_world_first_rank(&one.world) == rank;
    return text + (isOthers ? " " : " wrong ") + one.finish() + one.problem;
  });
  // Chunks of 2, 2 and 1: [1 2] + [3 4] + [5 0].
  EXPECT_EQ(results[0], "fine fine [9, 6] [1, 2, 3, 4, 5] fine fine fine");
  EXPECT_EQ(results[1], "fine fine elsewhere elsewhere fine fine fine");
  EXPECT_EQ(results[2], results[1]);
}

TEST_F(Processes, ReplicasThatDiffer) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    extra = [rank](float *y) {
      y[1] += static_cast<float>(rank == 2);
      return 0;
    };
    OneRank one(options(rank, 3));
    one.run();
    return one.check(1) + "; " + one.check(0);
  });
  EXPECT_THAT(results,
              testing::Each("fine; result \"y\": ranks 0 and 2 hold replicas "
                            "that differ, first at [1]"));
}

TEST_F(Processes, DifferentArtifacts) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    return OneRank(options(rank, 3), rank == 1 ? "bb" : "aa").problem;
  });
  EXPECT_THAT(results,
              testing::Each("the ranks run different programs: rank 0 runs "
                            "artifact aa, mesh tp=3, function \"f\", rank 1 "
                            "runs artifact bb, mesh tp=3, function \"f\""));
}

TEST_F(Processes, ARankFailsInItsFunction) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    extra = [rank](float *) { return rank == 2 ? 5 : 0; };
    OneRank one(options(rank, 3));
    std::string first = one.run();
    return first + "; " + one.run();
  });
  const std::string failure =
      "rank 2 failed in function \"f\": its function returned code 5";
  EXPECT_EQ(results[2],
            failure + "; the world cannot run any more: " + failure);
  // The others may have been done already.
  for (int rank = 0; rank < 2; ++rank)
    EXPECT_THAT(results[rank], testing::EndsWith(failure));
}

TEST_F(Processes, ARankDiesInItsFunction) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    int runs = 0;
    extra = [rank, &runs](float *) {
      if (rank == 1 && ++runs == 2)
        raise(SIGKILL);
      return 0;
    };
    OneRank one(options(rank, 3));
    one.run();
    one.run();
    return one.run() + one.finish();
  });
  EXPECT_EQ(results[1], "signal 9");
  for (int rank : {0, 2})
    EXPECT_THAT(results[rank],
                AllOf(HasSubstr("the process of rank 1 (process "),
                      HasSubstr(") ended")));
}

TEST_F(Processes, ARankIsStuckInItsFunction) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    int runs = 0;
    extra = [rank, &runs](float *) {
      if (rank == 1 && ++runs == 2)
        sleep(4);
      return 0;
    };
    JoinOptions given = options(rank, 3);
    given.deadline = 0.8;
    OneRank one(given);
    one.run();
    one.run();
    one.run();
    return one.problem;
  });
  for (const std::string &result : results)
    EXPECT_THAT(result, AllOf(HasSubstr(
                            "rank 0 waited 0.8 seconds for rank 1 in "
                            "all_reduce over [tp] of \"y\" (m.py:7); rank 1 "
                            "is computing, after all_reduce over [tp] of "
                            "\"y\" (m.py:7)")));
}

TEST_F(Processes, FinishedTogether) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    OneRank one(options(rank, 3));
    one.run();
    return rank == 1 ? one.finish("it has no paper") : one.finish();
  });
  EXPECT_EQ(results[1], "fine");
  EXPECT_EQ(results[0], "rank 1 failed: it has no paper");
  EXPECT_EQ(results[2], "rank 1 failed: it has no paper");
}

TEST(OneProcess, HasNoRendezvousWithTheLocalCommunicator) {
  tpc_rt_world_options_t options{};
  options.size = sizeof(options);
  options.ranks = 2;
  options.rendezvous = "tcp:localhost:1";
  auto create = [&] {
    tpc_rt_world_t *world = nullptr;
    tpc_rt_status_t *status = tpc_rt_world_create(&options, &world);
    std::string message = tpc_rt_status_message(status);
    tpc_rt_status_release(status);
    return message;
  };
  EXPECT_EQ(create(),
            "unsupported: a world of several processes with communicator "
            "\"local\", whose ranks are threads of one process; leave out the "
            "rendezvous");
  options.communicator = "nccl";
  options.rank = 2;
  EXPECT_EQ(create(), "expected a rank below 2, got 2");
  options.rank = 0;
  options.local_rank = -1;
  EXPECT_EQ(create(), "expected a local rank of 0 or more, got -1");
  options.rendezvous = nullptr;
  EXPECT_EQ(create(),
            "unsupported: communicator \"nccl\" between ranks on the cpu; use "
            "--comm local, or compile for --target cuda");
}

} // namespace tpc::rt
