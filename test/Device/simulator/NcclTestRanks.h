// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of the simulated NCCL run as a rank.
#ifndef TPC_TEST_DEVICE_SIMULATOR_NCCLTESTRANKS_H
#define TPC_TEST_DEVICE_SIMULATOR_NCCLTESTRANKS_H

#include "TestDevice.h"
#include <nccl.h>
#include <thread>

namespace tpc::sim::test {

constexpr int kRanks = 3;
constexpr int64_t kCount = 4;

/// What one rank has to work with.
struct Rank {
  int rank = 0;
  ncclComm_t comm = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr send = 0, recv = 0;

  cudaStream_t cuda() const { return reinterpret_cast<cudaStream_t>(stream); }
  void *sendData() const { return reinterpret_cast<void *>(send); }
  void *recvData() const { return reinterpret_cast<void *>(recv); }
  std::vector<int32_t> received() const {
    std::vector<int32_t> values(kCount * kRanks);
    cuStreamSynchronize(stream);
    cuMemcpyDtoH(values.data(), recv, values.size() * 4);
    return values;
  }
};

/// Runs `body` as one rank: send[i] = 100 * rank + i, recv is all 0.
inline void runRank(ncclUniqueId id, int rank,
                    const std::function<void(const Rank &)> &body) {
  Rank self;
  self.rank = rank;
  CUcontext context;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, rank);
  cuCtxSetCurrent(context);
  cuStreamCreate(&self.stream, CU_STREAM_NON_BLOCKING);
  std::vector<int32_t> values;
  for (int32_t i = 0; i < kCount * kRanks; ++i)
    values.push_back(100 * rank + i);
  cuMemAlloc(&self.send, values.size() * 4);
  cuMemAlloc(&self.recv, values.size() * 4);
  cuMemcpyHtoD(self.send, values.data(), values.size() * 4);
  cuMemsetD8(self.recv, 0, values.size() * 4);
  EXPECT_EQ(ncclCommInitRank(&self.comm, kRanks, id, rank), ncclSuccess);
  body(self);
  cuStreamSynchronize(self.stream);
  EXPECT_EQ(ncclCommDestroy(self.comm), ncclSuccess);
  cuMemFree(self.send);
  cuMemFree(self.recv);
  cuStreamDestroy(self.stream);
  cuDevicePrimaryCtxRelease(rank);
}

class NcclTest : public testing::Test {
protected:
  void TearDown() override {
    tpc_sim_check_leaks();
    EXPECT_EQ(found(), "");
  }

  static void threads(const std::function<void(const Rank &)> &body) {
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    std::vector<std::thread> all;
    for (int rank = 0; rank < kRanks; ++rank)
      all.emplace_back([=] { runRank(id, rank, body); });
    for (std::thread &thread : all)
      thread.join();
  }

  Environment environment{{{"TPC_SIM_DEVICES", "3"}}};
};

} // namespace tpc::sim::test

#endif // TPC_TEST_DEVICE_SIMULATOR_NCCLTESTRANKS_H
