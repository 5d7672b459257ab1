// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worlds of several processes: they run, join results and share failures. The
// ranks exchange data over the connections of the peers, by a communicator that
// exists for this test alone.

#include "Processes.h"
#include "kernels.h"
#include "results.h"
#include <csignal>
#include <cstring>

namespace tpc::rt {

using testing::AllOf;
using testing::HasSubstr;

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

TEST_F(Processes, FinishedTwice) {
  auto results = fork({0, 1, 2}, [&](int32_t rank) {
    OneRank one(options(rank, 3));
    one.run();
    std::string first =
        rank == 1 ? one.finish("it has no paper") : one.finish();
    return first == one.finish() ? first : "another outcome";
  });
  EXPECT_EQ(results,
            std::vector<std::string>({"rank 1 failed: it has no paper", "fine",
                                      "rank 1 failed: it has no paper"}));
  results = fork({0, 1, 2}, [&](int32_t rank) {
    OneRank one(options(rank, 3));
    one.run();
    return one.finish() + one.finish("too late") + one.finish();
  });
  EXPECT_THAT(results, testing::Each("finefinefine"));
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
