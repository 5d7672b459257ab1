// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the passes of the test suite.

#include "TestPasses.h"

void tpc::test::registerTestPasses() {
  registerPrintShardingRulesPass();
  registerPrintStreamsPass();
  registerSimulatePass();
  registerEmitDevicePass();
}
