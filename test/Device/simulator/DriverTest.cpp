// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver of the simulated device: what is in order runs right under every
// schedule, and what is not is found, under every schedule too.
#include "TestDevice.h"
#include <fstream>
#include <set>

using namespace tpc::sim::test;
using testing::HasSubstr;

namespace {

struct Image {
  tpc_sim_image head;
  tpc_sim_entry entries[1];
};
extern Image image;

void addOne(void **params) {
  auto *api = image.head.api;
  auto *to = *static_cast<int32_t **>(params[0]);
  auto *from = *static_cast<const int32_t **>(params[1]);
  auto add = *static_cast<int32_t *>(params[2]);
  auto count = *static_cast<int64_t *>(params[3]);
  int64_t i = api->block() * 64 + api->thread();
  if (i >= count)
    return;
  api->touch(from + i, 4, TPC_SIM_READ);
  api->touch(to + i, 4, TPC_SIM_WRITE);
  to[i] = from[i] + add;
}

Image image = {{TPC_SIM_MAGIC, 1, nullptr}, {{"add", addOne, "wrss", 1}}};

} // namespace

namespace tpc::sim::test {

void Device::SetUp() {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&module, &image), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&add, module, "add"), CUDA_SUCCESS);
  for (CUstream *stream : {&compute, &gather, &reduce})
    ASSERT_EQ(cuStreamCreate(stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
}

void Device::TearDown() {
  for (CUstream stream : {compute, gather, reduce}) {
    cuStreamSynchronize(stream);
    cuStreamDestroy(stream);
  }
  for (CUdeviceptr buffer : buffers)
    cuMemFree(buffer);
  for (CUevent one : events)
    cuEventDestroy(one);
  cuModuleUnload(module);
  cuCtxSetCurrent(nullptr);
  cuDevicePrimaryCtxRelease(0);
  tpc_sim_check_leaks();
  EXPECT_EQ(found(), "");
  tpc_sim_reset();
}

CUdeviceptr Device::allocate(size_t count) {
  CUdeviceptr buffer = 0;
  EXPECT_EQ(cuMemAlloc(&buffer, count * 4), CUDA_SUCCESS);
  buffers.push_back(buffer);
  return buffer;
}

void Device::fill(CUdeviceptr to, const std::vector<int32_t> &values) {
  EXPECT_EQ(cuMemcpyHtoD(to, values.data(), values.size() * 4), CUDA_SUCCESS);
}

std::vector<int32_t> Device::read(CUdeviceptr from, size_t count) {
  std::vector<int32_t> values(count);
  EXPECT_EQ(cuMemcpyDtoH(values.data(), from, count * 4), CUDA_SUCCESS);
  return values;
}

CUresult Device::addKernel(CUstream stream, CUdeviceptr to, CUdeviceptr from,
                           int32_t value, int64_t count) {
  int64_t words[] = {static_cast<int64_t>(to), static_cast<int64_t>(from),
                     value, count};
  void *params[] = {&words[0], &words[1], &words[2], &words[3]};
  auto blocks = static_cast<unsigned>((count + 63) / 64);
  return cuLaunchKernel(add, blocks, 1, 1, 64, 1, 1, 0, stream, params,
                        nullptr);
}

CUevent Device::event() {
  CUevent result = nullptr;
  EXPECT_EQ(cuEventCreate(&result, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  events.push_back(result);
  return result;
}

} // namespace tpc::sim::test

namespace {

const char *const kSchedules[] = {"eager", "lazy", "random:1", "random:2",
                                  "random:3"};
constexpr size_t kCount = 100;

class DriverTest : public Device {
protected:
  /// y = x + 1 on one stream, z = y + 1 on another, with an event between.
  void twoStreams(bool ordered) {
    CUdeviceptr x = allocate(kCount), y = allocate(kCount),
                z = allocate(kCount);
    fill(x, std::vector<int32_t>(kCount, 5));
    CUevent done = event();
    addKernel(gather, y, x, 1, kCount);
    cuEventRecord(done, gather);
    if (ordered)
      cuStreamWaitEvent(compute, done, 0);
    addKernel(compute, z, y, 1, kCount);
    cuStreamSynchronize(compute);
    result = read(z, kCount);
    cuStreamSynchronize(gather);
  }
  std::vector<int32_t> result;
};

/// What was found, taken.
std::string take() {
  std::string text = found();
  tpc_sim_reset();
  return text;
}

TEST_F(DriverTest, EventsOrderStreams) {
  for (const char *schedule : kSchedules) {
    Environment environment({{"TPC_SIM_SCHEDULE", schedule}});
    twoStreams(true);
    EXPECT_EQ(result, std::vector<int32_t>(kCount, 7)) << schedule;
    EXPECT_EQ(take(), "");
  }
}

TEST_F(DriverTest, AMissingEventIsFoundUnderEverySchedule) {
  for (const char *schedule : kSchedules) {
    Environment environment({{"TPC_SIM_SCHEDULE", schedule}});
    twoStreams(false);
    EXPECT_THAT(take(), HasSubstr("with nothing that orders the two: bytes 0 "
                                  "to 400 of allocation"));
  }
  // And it gives wrong values where work runs as late as may be.
  Environment environment({{"TPC_SIM_SCHEDULE", "lazy"}});
  twoStreams(false);
  EXPECT_NE(result, std::vector<int32_t>(kCount, 7));
  take();
}

TEST_F(DriverTest, WritingWhatAnotherStreamStillReadsIsFound) {
  CUdeviceptr x = allocate(kCount), y = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  addKernel(compute, y, x, 1, kCount);
  cuMemsetD8Async(x + 40, 0, 8, gather);
  cuStreamSynchronize(compute);
  cuStreamSynchronize(gather);
  EXPECT_THAT(take(), HasSubstr("bytes 40 to 48"));
}

// Element i reads what element i + 1 writes; its own it may.
TEST_F(DriverTest, ThreadsOfAKernelHaveNoOrder) {
  CUdeviceptr x = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  addKernel(compute, x, x + 4, 1, 64);
  EXPECT_EQ(cuStreamSynchronize(compute), CUDA_ERROR_LAUNCH_FAILED);
  std::string text = take();
  EXPECT_THAT(text, HasSubstr("block 0, thread 1 writes byte 4 of allocation"));
  EXPECT_THAT(text, HasSubstr("which block 0, thread 0 read with no barrier"));
  addKernel(compute, x, x, 1, 64);
  EXPECT_EQ(cuStreamSynchronize(compute), CUDA_SUCCESS);
}

// What two streams write without an order comes out as the seed has it.
TEST_F(DriverTest, SeedsGiveDifferentSchedules) {
  CUdeviceptr x = allocate(1), y = allocate(1);
  fill(x, {0});
  std::set<int32_t> results;
  for (int seed = 1; seed <= 16; ++seed) {
    Environment environment(
        {{"TPC_SIM_SCHEDULE", "random:" + std::to_string(seed)}});
    for (int i = 0; i < 3; ++i) {
      addKernel(compute, y, x, 1, 1);
      addKernel(gather, y, x, 2, 1);
      addKernel(reduce, y, x, 3, 1);
    }
    for (CUstream stream : {reduce, gather, compute})
      cuStreamSynchronize(stream);
    results.insert(read(y, 1)[0]);
    EXPECT_THAT(take(), HasSubstr("with nothing that orders the two"));
  }
  EXPECT_GT(results.size(), 1u);
}

TEST_F(DriverTest, ReadersNeedNoOrder) {
  CUdeviceptr x = allocate(kCount), y = allocate(kCount), z = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  addKernel(compute, y, x, 1, kCount);
  addKernel(gather, z, x, 2, kCount);
  cuStreamSynchronize(compute);
  cuStreamSynchronize(gather);
  EXPECT_EQ(read(z, 1)[0], 7);
}

TEST_F(DriverTest, KernelsStayInTheirAllocation) {
  CUdeviceptr x = allocate(kCount), y = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  addKernel(compute, y, x, 1, kCount + 1);
  EXPECT_EQ(cuStreamSynchronize(compute), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(take(), HasSubstr("reads bytes 400 to 404 of allocation"));
}

TEST_F(DriverTest, FreedMemoryIsNotUsed) {
  CUdeviceptr x = allocate(kCount), y = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  addKernel(compute, y, x, 1, kCount);
  buffers.erase(buffers.begin());
  cuMemFree(x);
  EXPECT_EQ(cuStreamSynchronize(compute), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(take(), HasSubstr("which was freed by cuMemFree"));
}

TEST_F(DriverTest, FreeingNeedsToKnowThatNobodyIsAtIt) {
  Environment environment({{"TPC_SIM_SCHEDULE", "eager"}});
  CUdeviceptr x = allocate(kCount), y = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  addKernel(compute, y, x, 1, kCount);
  buffers.erase(buffers.begin());
  cuMemFree(x);
  EXPECT_THAT(take(), HasSubstr("cuMemFree"));
}

TEST_F(DriverTest, CopiesStayInTheirAllocation) {
  CUdeviceptr x = allocate(kCount);
  std::vector<char> host(4 * kCount + 1);
  cuMemcpyHtoDAsync(x, host.data(), host.size(), compute);
  cuStreamSynchronize(compute);
  EXPECT_THAT(take(), HasSubstr("writes bytes 0 to 401 of allocation"));
}

TEST_F(DriverTest, AnEventThatWasNeverRecordedOrdersNothing) {
  cuStreamWaitEvent(compute, event(), 0);
  EXPECT_THAT(take(), HasSubstr("which was never recorded"));
}

TEST_F(DriverTest, MemoryEnds) {
  Environment environment({{"TPC_SIM_MEMORY", "1000"}});
  CUdeviceptr x = 0;
  EXPECT_EQ(cuMemAlloc(&x, 1001), CUDA_ERROR_OUT_OF_MEMORY);
  size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(total, 1000u);
}

TEST_F(DriverTest, LeaksAreFound) {
  CUdeviceptr x = 0;
  cuMemAlloc(&x, 12);
  tpc_sim_check_leaks();
  EXPECT_THAT(take(), HasSubstr("of 12 bytes"));
  cuMemFree(x);
}

TEST_F(DriverTest, ErrorsStick) {
  Environment environment({{"TPC_SIM_FAULT", "uncorrectable:1"}});
  CUdeviceptr x = allocate(kCount), y = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  addKernel(compute, y, x, 1, kCount);
  EXPECT_EQ(cuStreamSynchronize(compute), CUDA_SUCCESS);
  addKernel(compute, y, x, 1, kCount);
  EXPECT_EQ(cuStreamSynchronize(compute), CUDA_ERROR_ECC_UNCORRECTABLE);
  CUdeviceptr z = 0;
  EXPECT_EQ(cuMemAlloc(&z, 4), CUDA_ERROR_ECC_UNCORRECTABLE);
}

class GraphTest : public DriverTest {
protected:
  /// z = x + 1 + 10 + 100, over all three streams and back.
  void captured(CUdeviceptr x, CUdeviceptr y, CUdeviceptr z) {
    CUevent first = event(), second = event(), third = event();
    addKernel(compute, y, x, 1, kCount);
    cuEventRecord(first, compute);
    cuStreamWaitEvent(gather, first, 0);
    addKernel(gather, z, y, 10, kCount);
    cuEventRecord(second, gather);
    cuStreamWaitEvent(reduce, second, 0);
    addKernel(reduce, z, z, 100, kCount);
    cuEventRecord(third, reduce);
    cuStreamWaitEvent(compute, third, 0);
  }
};

TEST_F(GraphTest, ALaunchDoesWhatWasCaptured) {
  for (const char *schedule : kSchedules) {
    Environment environment({{"TPC_SIM_SCHEDULE", schedule}});
    CUdeviceptr x = allocate(kCount), y = allocate(kCount),
                z = allocate(kCount);
    fill(x, std::vector<int32_t>(kCount, 5));
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    ASSERT_EQ(
        cuStreamBeginCapture(compute, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
        CUDA_SUCCESS);
    captured(x, y, z);
    ASSERT_EQ(cuStreamEndCapture(compute, &graph), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    // Nothing ran yet; then it runs on what x is at each launch.
    for (int32_t value : {5, 6}) {
      fill(x, std::vector<int32_t>(kCount, value));
      ASSERT_EQ(cuGraphLaunch(exec, compute), CUDA_SUCCESS);
      ASSERT_EQ(cuStreamSynchronize(compute), CUDA_SUCCESS);
      EXPECT_EQ(read(z, kCount), std::vector<int32_t>(kCount, value + 111));
    }
    cuGraphExecDestroy(exec);
    cuGraphDestroy(graph);
    EXPECT_EQ(take(), "") << schedule;
  }
}

TEST_F(GraphTest, WhatIsNotAllowedInACaptureIsFound) {
  CUdeviceptr x = allocate(kCount), y = allocate(kCount);
  auto spoils = [&](const std::function<void()> &what) {
    CUgraph graph = nullptr;
    cuStreamBeginCapture(compute, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    addKernel(compute, y, x, 1, kCount);
    what();
    EXPECT_EQ(cuStreamEndCapture(compute, &graph),
              CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    return take();
  };
  CUdeviceptr z = 0;
  EXPECT_THAT(spoils([&] { cuStreamSynchronize(compute); }),
              HasSubstr("cuStreamSynchronize"));
  EXPECT_THAT(spoils([&] { cuStreamQuery(compute); }),
              HasSubstr("is not allowed while stream"));
  EXPECT_THAT(spoils([&] { cuMemAlloc(&z, 4); }), HasSubstr("cuMemAlloc"));
  EXPECT_THAT(spoils([&] { cuCtxSynchronize(); }),
              HasSubstr("cuCtxSynchronize"));
  CUevent outside = event();
  cuEventRecord(outside, gather);
  EXPECT_THAT(spoils([&] { cuStreamWaitEvent(compute, outside, 0); }),
              HasSubstr("wait for what is not"));
}

TEST_F(GraphTest, StreamsOfACaptureAreJoined) {
  CUdeviceptr x = allocate(kCount), y = allocate(kCount);
  CUgraph graph = nullptr;
  cuStreamBeginCapture(compute, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CUevent fork = event();
  cuEventRecord(fork, compute);
  cuStreamWaitEvent(gather, fork, 0);
  addKernel(gather, y, x, 1, kCount);
  EXPECT_EQ(cuStreamEndCapture(compute, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(cuStreamWaitEvent(compute, fork, 0), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_THAT(take(), HasSubstr("another stream's work is not joined"));
}

TEST_F(GraphTest, RacesInsideOfAGraphAreFound) {
  CUdeviceptr x = allocate(kCount), y = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  cuStreamBeginCapture(compute, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CUevent fork = event(), join = event();
  cuEventRecord(fork, compute);
  cuStreamWaitEvent(gather, fork, 0);
  addKernel(gather, y, x, 1, kCount);
  addKernel(compute, y, x, 2, kCount);
  cuEventRecord(join, gather);
  cuStreamWaitEvent(compute, join, 0);
  cuStreamEndCapture(compute, &graph);
  cuGraphInstantiate(&exec, graph, 0);
  cuGraphLaunch(exec, compute);
  cuStreamSynchronize(compute);
  EXPECT_THAT(take(), HasSubstr("writes, with nothing that orders the two"));
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
}

TEST_F(GraphTest, ASeededWaitInACaptureIsFound) {
  Environment environment({{"TPC_SIM_FAULT", "capture-sync:1"}});
  CUdeviceptr x = allocate(kCount), y = allocate(kCount), z = allocate(kCount);
  CUgraph graph = nullptr;
  cuStreamBeginCapture(compute, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  captured(x, y, z);
  EXPECT_EQ(cuStreamEndCapture(compute, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_THAT(take(), HasSubstr("is not allowed while stream"));
}

using ProcessTest = DriverTest;

TEST_F(ProcessTest, EndsWithStatus3AndWhatWasFound) {
  EXPECT_EXIT(
      {
        cuMemFree(42);
        exit(0);
      },
      testing::ExitedWithCode(3), "error: cuMemFree .* frees what is no");
}

TEST_F(ProcessTest, AFaultThatThereIsNotEndsIt) {
  EXPECT_EXIT(Environment({{"TPC_SIM_FAULT", "drop-weight:1"}}),
              testing::ExitedWithCode(2), "there is no fault drop-weight");
}

TEST_F(ProcessTest, LogsEveryCall) {
  std::string path = testing::TempDir() + "simulated-calls.json";
  EXPECT_EXIT(
      {
        setenv("TPC_SIM_LOG", path.c_str(), 1);
        tpc_sim_reset();
        CUdeviceptr x = 0;
        cuMemAlloc(&x, 12);
        exit(0);
      },
      testing::ExitedWithCode(3), "is never freed");
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_THAT(line, testing::MatchesRegex(
                        "\\{\"call\": [0-9]+, \"name\": \"cuMemAlloc\", "
                        "\"device\": 0, \"bytes\": 12, .*\\}"));
}

/// Each seeded fault in a program without one.
struct Seeded {
  const char *fault;
  const char *finding;
};

class FaultTest : public GraphTest,
                  public testing::WithParamInterface<Seeded> {};

TEST_P(FaultTest, IsFound) {
  Environment environment({{"TPC_SIM_FAULT", GetParam().fault}});
  CUdeviceptr x = allocate(kCount), y = allocate(kCount), z = allocate(kCount);
  fill(x, std::vector<int32_t>(kCount, 5));
  captured(x, y, z);
  cuStreamSynchronize(compute);
  cuStreamSynchronize(gather);
  cuStreamSynchronize(reduce);
  std::string text = take();
  EXPECT_THAT(text, HasSubstr(GetParam().finding));
  for (CUdeviceptr &buffer : buffers)
    if (text.find("freed by a fault") != std::string::npos && buffer == y)
      buffer = 0;
}

INSTANTIATE_TEST_SUITE_P(
    Seeded, FaultTest,
    testing::Values(Seeded{"drop-wait:0", "with nothing that orders the two"},
                    Seeded{"drop-wait:1", "with nothing that orders the two"},
                    Seeded{"late-wait:1", "with nothing that orders the two"},
                    Seeded{"record-elsewhere:0",
                           "with nothing that orders the two"},
                    Seeded{"size:0", "writes bytes 0 to 401"},
                    Seeded{"early-free:0", "which was freed by a fault"}));

} // namespace
