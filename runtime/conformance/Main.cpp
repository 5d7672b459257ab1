// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the suite, or says how many of its tests a machine without the device
// leaves out.

#include "Harness.h"
#include <cstdio>

using namespace tpc::rt::conformance;

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  tpc_rt_world_options_t options{};
  options.size = sizeof(options);
  options.ranks = 1;
  options.device = backends[0].device;
  tpc_rt_world_t *world = nullptr;
  Outcome outcome = take(tpc_rt_world_create(&options, &world));
  tpc_rt_world_release(world);
  bool isAbsent = outcome.code == TPC_RT_UNSUPPORTED;
  if (isAbsent && !testing::GTEST_FLAG(list_tests)) {
    int count = testing::UnitTest::GetInstance()->total_test_count();
    std::printf("skipped %d tests on %s x %s: %s\n", count, backends[0].device,
                backends[0].communicator, outcome.message.c_str());
    return 0;
  }
  return RUN_ALL_TESTS();
}
