// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that exist for the test suite only.
#ifndef TPC_TEST_LIB_TESTPASSES_H
#define TPC_TEST_LIB_TESTPASSES_H

namespace tpc::test {

/// `--test-print-sharding-rules`.
void registerPrintShardingRulesPass();
/// `--test-print-streams`.
void registerPrintStreamsPass();
/// `--tp-simulate`.
void registerSimulatePass();
/// `--test-emit-device`.
void registerEmitDevicePass();

/// All of the above.
void registerTestPasses();

} // namespace tpc::test

#endif // TPC_TEST_LIB_TESTPASSES_H
