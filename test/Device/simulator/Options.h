// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment says of the simulated machine; docs/Testing.md lists it.
#ifndef TPC_TEST_DEVICE_SIMULATOR_OPTIONS_H
#define TPC_TEST_DEVICE_SIMULATOR_OPTIONS_H

#include "BlockExecutor.h"
#include <cstdint>
#include <map>
#include <string>

namespace tpc::sim {

/// When work that is enqueued runs: at once, when somebody waits for it, or
/// now and then, in an order that events allow.
enum class Schedule { Eager, Lazy, Random };

/// One fault to make: the `nth` occurrence, from 0, on a rank or device, or -1
/// for any.
struct Fault {
  int64_t nth = 0;
  int64_t rank = -1;
};

struct Options {
  Schedule schedule = Schedule::Lazy; // TPC_SIM_SCHEDULE
  uint64_t seed = 0;
  OrderOptions order;                  // TPC_SIM_ORDER
  int64_t devices = 1;                 // TPC_SIM_DEVICES
  int64_t memory = int64_t(1) << 30;   // TPC_SIM_MEMORY, bytes per device
  int64_t shared = 227 * 1024;         // TPC_SIM_SHARED, bytes of a block
  int64_t capability = 0;              // TPC_SIM_CAPABILITY, as 75 for 7.5
  int64_t peers = 1;                   // TPC_SIM_PEERS, 0: none reach others
  int64_t driverVersion = 0;           // TPC_SIM_DRIVER_VERSION, 13000
  int64_t ncclVersion = 0;             // TPC_SIM_NCCL_VERSION, 22809
  int64_t epilogues = 1;               // TPC_SIM_EPILOGUES, 0: none
  std::string log;                     // TPC_SIM_LOG
  std::map<std::string, Fault> faults; // TPC_SIM_FAULT

  /// Reads the environment; a value that is none ends the process: a test that
  /// misspells a fault must not pass.
  static Options fromEnvironment();
};

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_OPTIONS_H
