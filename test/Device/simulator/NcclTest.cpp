// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of the simulated NCCL, over threads and over processes.
#include "NcclTestRanks.h"
#include <atomic>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace tpc::sim::test;
using testing::HasSubstr;

namespace {

void checkCollectives(const Rank &self) {
  auto n = static_cast<int32_t>(kCount);
  ncclAllReduce(self.sendData(), self.recvData(), kCount, ncclInt32, ncclSum,
                self.comm, self.cuda());
  for (int32_t i = 0; i < n; ++i)
    EXPECT_EQ(self.received()[i], 300 + 3 * i);
  ncclAllReduce(self.sendData(), self.recvData(), kCount, ncclInt32, ncclMax,
                self.comm, self.cuda());
  EXPECT_EQ(self.received()[1], 201);
  ncclAllGather(self.sendData(), self.recvData(), kCount, ncclInt32, self.comm,
                self.cuda());
  for (int32_t i = 0; i < 3 * n; ++i)
    EXPECT_EQ(self.received()[i], i / n * 100 + i % n);
  ncclReduceScatter(self.sendData(), self.recvData(), kCount, ncclInt32,
                    ncclSum, self.comm, self.cuda());
  for (int32_t i = 0; i < n; ++i)
    EXPECT_EQ(self.received()[i], 300 + 3 * (self.rank * n + i));
  ncclBroadcast(self.sendData(), self.recvData(), kCount, ncclInt32, 1,
                self.comm, self.cuda());
  EXPECT_EQ(self.received()[2], 102);
  ncclAlltoAll(self.sendData(), self.recvData(), kCount, ncclInt32, self.comm,
               self.cuda());
  for (int32_t i = 0; i < 3 * n; ++i)
    EXPECT_EQ(self.received()[i], i / n * 100 + self.rank * n + i % n);
  // Around the ring, in place behind it.
  ncclGroupStart();
  ncclSend(self.sendData(), kCount, ncclInt32, (self.rank + 1) % kRanks,
           self.comm, self.cuda());
  ncclRecv(self.recvData(), kCount, ncclInt32, (self.rank + 2) % kRanks,
           self.comm, self.cuda());
  ncclGroupEnd();
  EXPECT_EQ(self.received()[3], (self.rank + 2) % kRanks * 100 + 3);
  ncclAllReduce(self.recvData(), self.recvData(), kCount, ncclInt32, ncclMin,
                self.comm, self.cuda());
  EXPECT_EQ(self.received()[3], 3);
}

TEST_F(NcclTest, CollectivesOverThreads) {
  for (const char *schedule : {"eager", "lazy", "random:1", "random:2"}) {
    Environment with({{"TPC_SIM_SCHEDULE", schedule}});
    threads(checkCollectives);
    EXPECT_EQ(found(), "") << schedule;
  }
}

TEST_F(NcclTest, CollectivesOverProcesses) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<pid_t> children;
  for (int rank = 0; rank < kRanks; ++rank) {
    pid_t child = fork();
    if (child == 0) {
      runRank(id, rank, checkCollectives);
      _exit(HasFailure() || tpc_sim_num_findings() > 0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(NcclTest, CollectivesInAGraph) {
  threads([](const Rank &self) {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    cuStreamBeginCapture(self.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ncclAllReduce(self.sendData(), self.sendData(), kCount, ncclInt32, ncclSum,
                  self.comm, self.cuda());
    EXPECT_EQ(cuStreamEndCapture(self.stream, &graph), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    cuGraphLaunch(exec, self.stream);
    cuGraphLaunch(exec, self.stream);
    cuMemcpyDtoDAsync(self.recv, self.send, kCount * 4, self.stream);
    EXPECT_EQ(self.received()[0], 900);
    cuGraphExecDestroy(exec);
    cuGraphDestroy(graph);
  });
}

TEST_F(NcclTest, GraphsGoBeforeTheirCommunicators) {
  threads([](const Rank &self) {
    ncclComm_t part = nullptr;
    ncclCommSplit(self.comm, 0, self.rank, &part, nullptr);
    CUgraph graph = nullptr;
    cuStreamBeginCapture(self.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ncclAllReduce(self.sendData(), self.sendData(), kCount, ncclInt32, ncclSum,
                  part, self.cuda());
    cuStreamEndCapture(self.stream, &graph);
    ncclCommDestroy(part);
    cuGraphDestroy(graph);
  });
  EXPECT_THAT(found(), HasSubstr("destroys a communicator that graphs need"));
  tpc_sim_reset();
}

TEST_F(NcclTest, RecordingsEndBeforeTheirCommunicators) {
  threads([](const Rank &self) {
    ncclComm_t part = nullptr;
    ncclCommSplit(self.comm, 0, self.rank, &part, nullptr);
    CUgraph graph = nullptr;
    cuStreamBeginCapture(self.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ncclAllReduce(self.sendData(), self.sendData(), kCount, ncclInt32, ncclSum,
                  part, self.cuda());
    ncclCommAbort(part);
    cuStreamEndCapture(self.stream, &graph);
    cuGraphDestroy(graph);
  });
  EXPECT_THAT(found(), HasSubstr("destroys a communicator that graphs need"));
  tpc_sim_reset();
}

TEST_F(NcclTest, RanksEndTheirCommunicatorsTogether) {
  for (auto end : {ncclCommDestroy, ncclCommAbort}) {
    std::atomic<bool> isLastThere{false};
    threads([&](const Rank &self) {
      ncclComm_t part = nullptr;
      ncclCommSplit(self.comm, 0, self.rank, &part, nullptr);
      if (self.rank == 2) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        isLastThere = true;
      }
      EXPECT_EQ(end(part), ncclSuccess);
      EXPECT_TRUE(isLastThere);
    });
  }
}

TEST_F(NcclTest, FinalizingWaitsForAllRanks) {
  std::atomic<bool> isLastThere{false};
  threads([&](const Rank &self) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclComm_t part = nullptr;
    ncclCommSplit(self.comm, 0, self.rank, &part, &config);
    auto await = [&](ncclComm_t comm) {
      ncclResult_t state = ncclInProgress;
      while (state == ncclInProgress)
        ASSERT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
      EXPECT_EQ(state, ncclSuccess);
    };
    // The child is there when the parent is ready again.
    EXPECT_EQ(part, nullptr);
    await(self.comm);
    await(part);
    if (self.rank == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      isLastThere = true;
    }
    EXPECT_EQ(ncclCommFinalize(part), ncclInProgress);
    await(part);
    EXPECT_TRUE(isLastThere);
    EXPECT_EQ(ncclCommDestroy(part), ncclSuccess);
  });
}

TEST_F(NcclTest, CommunicatorsSplit) {
  threads([](const Rank &self) {
    // Ranks 0 and 2, the other way round; rank 1 alone.
    ncclComm_t part = nullptr;
    EXPECT_EQ(
        ncclCommSplit(self.comm, self.rank % 2, -self.rank, &part, nullptr),
        ncclSuccess);
    int count = 0, rank = -1;
    ncclCommCount(part, &count);
    ncclCommUserRank(part, &rank);
    EXPECT_EQ(count, self.rank == 1 ? 1 : 2);
    EXPECT_EQ(rank, self.rank == 0 ? 1 : 0);
    ncclAllGather(self.sendData(), self.recvData(), 1, ncclInt32, part,
                  self.cuda());
    EXPECT_EQ(self.received()[0], self.rank == 1 ? 100 : 200);
    EXPECT_EQ(self.received()[1], 0);
    ncclCommDestroy(part);
  });
}

TEST_F(NcclTest, RanksInDifferentCollectivesAreFound) {
  Environment fault({{"TPC_SIM_FAULT", "swap-collectives:0@1"}});
  threads([](const Rank &self) {
    ncclAllReduce(self.sendData(), self.sendData(), kCount, ncclInt32, ncclSum,
                  self.comm, self.cuda());
    ncclAllGather(self.sendData(), self.recvData(), kCount, ncclInt32,
                  self.comm, self.cuda());
  });
  EXPECT_THAT(found(), HasSubstr("is an AllReduce of 4 elements"));
  EXPECT_THAT(found(), HasSubstr("while rank 1 is in an AllGather"));
  tpc_sim_reset();
}

TEST_F(NcclTest, RanksWithDifferentSizesAreFound) {
  // Counted are all calls with a size, of each rank: two copies come first.
  Environment fault({{"TPC_SIM_FAULT", "size:2@2"}});
  threads([](const Rank &self) {
    ncclAllReduce(self.sendData(), self.recvData(), kCount, ncclInt32, ncclSum,
                  self.comm, self.cuda());
  });
  EXPECT_THAT(found(), HasSubstr("AllReduce of 5 elements"));
  tpc_sim_reset();
}

TEST_F(NcclTest, AMessageHasOneLength) {
  threads([](const Rank &self) {
    if (self.rank == 0)
      ncclSend(self.sendData(), kCount, ncclInt32, 1, self.comm, self.cuda());
    if (self.rank == 1)
      ncclRecv(self.recvData(), kCount - 1, ncclInt32, 0, self.comm,
               self.cuda());
  });
  EXPECT_THAT(found(),
              HasSubstr("receives 12 bytes, of which rank 0 sends 16"));
  tpc_sim_reset();
}

TEST_F(NcclTest, ARankThatDoesNotComeIsAborted) {
  Environment fault({{"TPC_SIM_FAULT", "dead-rank:0@1"}});
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> all;
  for (int rank = 0; rank < kRanks; ++rank)
    all.emplace_back([=] {
      runRank(id, rank, [](const Rank &self) {
        ncclAllReduce(self.sendData(), self.recvData(), kCount, ncclInt32,
                      ncclSum, self.comm, self.cuda());
        EXPECT_EQ(cuStreamQuery(self.stream), CUDA_ERROR_NOT_READY);
        EXPECT_EQ(ncclCommAbort(self.comm), ncclSuccess);
        EXPECT_EQ(cuStreamSynchronize(self.stream), CUDA_SUCCESS);
        // For the end, which destroys one.
        ncclUniqueId other;
        ncclGetUniqueId(&other);
        ncclCommInitRank(const_cast<ncclComm_t *>(&self.comm), 1, other, 0);
      });
    });
  for (std::thread &thread : all)
    thread.join();
}

TEST_F(NcclTest, RanksShareNoDevice) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> all;
  for (int rank = 0; rank < 2; ++rank)
    all.emplace_back([=] {
      CUcontext context;
      cuInit(0);
      cuDevicePrimaryCtxRetain(&context, 0);
      cuCtxSetCurrent(context);
      ncclComm_t comm = nullptr;
      EXPECT_EQ(ncclCommInitRank(&comm, 2, id, rank), ncclInvalidUsage);
      EXPECT_THAT(ncclGetLastError(nullptr), HasSubstr("Duplicate GPU"));
      ncclCommAbort(comm);
      cuDevicePrimaryCtxRelease(0);
    });
  for (std::thread &thread : all)
    thread.join();
}

} // namespace
