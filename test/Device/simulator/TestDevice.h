// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of the simulated device share: an image of hand-written kernels, a
// context, and what was found.
#ifndef TPC_TEST_DEVICE_SIMULATOR_TESTDEVICE_H
#define TPC_TEST_DEVICE_SIMULATOR_TESTDEVICE_H

#include "Testing.h"
#include "host_image.h"
#include <cstdlib>
#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tpc::sim::test {

/// Found so far, one per line.
inline std::string found() {
  std::string text;
  for (int64_t i = 0; i < tpc_sim_num_findings(); ++i)
    text += std::string(tpc_sim_finding(i)) + "\n";
  return text;
}

/// The environment for the rest of a test.
class Environment {
public:
  explicit Environment(std::vector<std::pair<std::string, std::string>> values)
      : values(std::move(values)) {
    for (auto &[name, value] : this->values)
      setenv(name.c_str(), value.c_str(), 1);
    tpc_sim_reset();
  }
  ~Environment() {
    for (auto &[name, value] : values)
      unsetenv(name.c_str());
    tpc_sim_reset();
  }

private:
  std::vector<std::pair<std::string, std::string>> values;
};

/// A device with three streams; all of it is gone, and nothing was found, when
/// the test ends, unless the test took the findings itself.
class Device : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// `count` elements, with a value if the test gives one.
  CUdeviceptr allocate(size_t count);
  void fill(CUdeviceptr to, const std::vector<int32_t> &values);
  std::vector<int32_t> read(CUdeviceptr from, size_t count);
  /// to[i] = from[i] + add for i below count, in blocks of 64.
  CUresult addKernel(CUstream stream, CUdeviceptr to, CUdeviceptr from,
                     int32_t add, int64_t count);
  CUevent event();

  CUcontext context;
  CUmodule module;
  CUfunction add;
  CUstream compute, gather, reduce;
  std::vector<CUdeviceptr> buffers;
  std::vector<CUevent> events;
};

} // namespace tpc::sim::test

#endif // TPC_TEST_DEVICE_SIMULATOR_TESTDEVICE_H
