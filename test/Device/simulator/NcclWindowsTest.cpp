// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of the simulated NCCL: what all ranks must do alike.
#include "NcclTestRanks.h"

using namespace tpc::sim::test;
using testing::HasSubstr;

namespace {

constexpr size_t kBytes = 8192;

class NcclWindowsTest : public NcclTest {
protected:
  /// Runs `body` with memory that may be a window, and one made of `bytes`.
  static void
  windows(const std::function<size_t(int)> &bytes,
          const std::function<void(const Rank &, char *, ncclWindow_t)> &body) {
    threads([&](const Rank &self) {
      void *data = nullptr;
      EXPECT_EQ(ncclMemAlloc(&data, kBytes), ncclSuccess);
      cuMemsetD8(reinterpret_cast<CUdeviceptr>(data), 1, kBytes);
      ncclWindow_t window = nullptr;
      ncclCommWindowRegister(self.comm, data, bytes(self.rank), &window,
                             NCCL_WIN_COLL_SYMMETRIC);
      body(self, static_cast<char *>(data), window);
      cuStreamSynchronize(self.stream);
      ncclCommWindowDeregister(self.comm, window);
      EXPECT_EQ(ncclMemFree(data), ncclSuccess);
    });
  }
  static size_t all(int) { return kBytes; }
};

TEST_F(NcclWindowsTest, CollectivesInWindows) {
  windows(all, [](const Rank &self, char *data, ncclWindow_t window) {
    EXPECT_NE(window, nullptr);
    ncclAllReduce(data, data + 4096, 4, ncclInt8, ncclSum, self.comm,
                  self.cuda());
    cuStreamSynchronize(self.stream);
    char sum = 0;
    cuMemcpyDtoH(&sum, reinterpret_cast<CUdeviceptr>(data + 4096), 1);
    EXPECT_EQ(sum, kRanks);
  });
}

TEST_F(NcclWindowsTest, RanksAtOtherOffsetsAreFound) {
  windows(all, [](const Rank &self, char *data, ncclWindow_t) {
    ncclAllReduce(data, data + 4096 + self.rank, 4, ncclInt8, ncclSum,
                  self.comm, self.cuda());
  });
  EXPECT_THAT(found(), HasSubstr("in windows at 0 and 4096"));
  EXPECT_THAT(found(), HasSubstr("in windows at 0 and 4097"));
  tpc_sim_reset();
}

// One rank would go without its window and the others wait for it.
TEST_F(NcclWindowsTest, OperandsInWindowsOnSomeRanksAreFound) {
  windows(all, [](const Rank &self, char *data, ncclWindow_t) {
    ncclAllReduce(data, self.rank ? data : self.recvData(), 4, ncclInt8,
                  ncclSum, self.comm, self.cuda());
  });
  EXPECT_THAT(found(), HasSubstr("root 0, while rank 1 is in an AllReduce of 4 "
                                 "elements of type 0, op 0, root 0, in "
                                 "windows at 0 and 0"));
  tpc_sim_reset();
}

TEST_F(NcclWindowsTest, WindowsOfOtherSizesAreFound) {
  windows([](int rank) { return rank ? kBytes : kBytes / 2; },
          [](const Rank &, char *, ncclWindow_t window) {
            EXPECT_EQ(window, nullptr);
          });
  EXPECT_THAT(found(), HasSubstr("has 4096 bytes at 0 of 8192, flags 1, while "
                                 "rank 1 has 8192 bytes at 0 of 8192"));
  tpc_sim_reset();
}

TEST_F(NcclWindowsTest, MemoryOfOthersIsNoWindow) {
  threads([](const Rank &self) {
    ncclWindow_t window = nullptr;
    EXPECT_EQ(ncclCommWindowRegister(self.comm, self.sendData(), 16, &window,
                                     NCCL_WIN_COLL_SYMMETRIC),
              ncclInvalidArgument);
  });
  EXPECT_THAT(found(), HasSubstr("of memory that is not of ncclMemAlloc"));
  tpc_sim_reset();
}

TEST_F(NcclWindowsTest, WindowsAreTakenBackBeforeTheirMemory) {
  windows(all, [](const Rank &self, char *, ncclWindow_t) {
    void *data = nullptr;
    ncclWindow_t window = nullptr;
    ncclMemAlloc(&data, kBytes);
    EXPECT_EQ(ncclCommWindowRegister(self.comm, data, kBytes, &window, 0),
              ncclSuccess);
    ncclMemFree(data);
    ncclCommWindowDeregister(self.comm, window);
  });
  EXPECT_THAT(found(), HasSubstr("frees memory that is registered with rank "));
  tpc_sim_reset();
}

} // namespace
