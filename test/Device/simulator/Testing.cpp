// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulator.h"
#pragma GCC visibility push(default)
#include "Testing.h"
#pragma GCC visibility pop

using namespace tpc::sim;

extern "C" {

int64_t tpc_sim_num_findings(void) {
  Simulator &sim = Simulator::get();
  std::unique_lock<std::mutex> lock(sim.mutex);
  return static_cast<int64_t>(sim.findings.all().size());
}

const char *tpc_sim_finding(int64_t index) {
  Simulator &sim = Simulator::get();
  std::unique_lock<std::mutex> lock(sim.mutex);
  return sim.findings.all().at(index).c_str();
}

void tpc_sim_reset(void) {
  Simulator &sim = Simulator::get();
  std::unique_lock<std::mutex> lock(sim.mutex);
  sim.reset();
}

void tpc_sim_check_leaks(void) {
  Simulator &sim = Simulator::get();
  std::unique_lock<std::mutex> lock(sim.mutex);
  sim.reportLeaks();
}

} // extern "C"
