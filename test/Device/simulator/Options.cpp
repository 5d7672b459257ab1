// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <stdexcept>

namespace tpc::sim {

/// Calls `parse` with the variable's value, if it is set.
static void read(const char *name,
                 const std::function<void(const std::string &)> &parse) {
  const char *value = getenv(name);
  if (!value)
    return;
  try {
    parse(value);
  } catch (const std::exception &error) {
    fprintf(stderr, "simulated device: %s=%s: %s\n", name, value, error.what());
    _Exit(2);
  }
}

static int64_t number(const std::string &text) {
  size_t end = 0;
  int64_t value = std::stoll(text, &end);
  if (end != text.size())
    throw std::invalid_argument("expected a number, got " + text);
  return value;
}

static const char *const kFaults[] = {
    "drop-wait",  "drop-record",      "late-wait",     "record-elsewhere",
    "early-free", "swap-collectives", "size",          "capture-sync",
    "sticky",     "uncorrectable",    "dead-rank",     "no-window",
    "endless",    "launch",           "endless-abort", "no-room",
};

/// `NAME:NTH` or `NAME:NTH@RANK`, several with commas between.
static void parseFaults(const std::string &text,
                        std::map<std::string, Fault> &faults) {
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    Fault fault;
    size_t at = item.find('@');
    if (at != std::string::npos)
      fault.rank = number(item.substr(at + 1));
    item = item.substr(0, at);
    size_t colon = item.find(':');
    if (colon != std::string::npos)
      fault.nth = number(item.substr(colon + 1));
    item = item.substr(0, colon);
    bool known = false;
    for (const char *name : kFaults)
      known |= item == name;
    if (!known)
      throw std::invalid_argument("there is no fault " + item);
    faults[item] = fault;
  }
}

Options Options::fromEnvironment() {
  Options options;
  options.driverVersion = 13000;
  options.ncclVersion = 22809;
  read("TPC_SIM_SCHEDULE", [&](const std::string &text) {
    if (text == "eager")
      options.schedule = Schedule::Eager;
    else if (text.rfind("random:", 0) == 0) {
      options.schedule = Schedule::Random;
      options.seed = number(text.substr(7));
    } else if (text != "lazy")
      throw std::invalid_argument("expected eager, lazy or random:SEED");
  });
  read("TPC_SIM_ORDER", [&](const std::string &text) {
    options.order = OrderOptions::parse(text);
  });
  auto readNumber = [](const char *name, int64_t &value) {
    read(name, [&](const std::string &text) { value = number(text); });
  };
  readNumber("TPC_SIM_DEVICES", options.devices);
  readNumber("TPC_SIM_MEMORY", options.memory);
  readNumber("TPC_SIM_SHARED", options.shared);
  readNumber("TPC_SIM_CAPABILITY", options.capability);
  readNumber("TPC_SIM_PEERS", options.peers);
  readNumber("TPC_SIM_EPILOGUES", options.epilogues);
  readNumber("TPC_SIM_DRIVER_VERSION", options.driverVersion);
  readNumber("TPC_SIM_NCCL_VERSION", options.ncclVersion);
  read("TPC_SIM_LOG", [&](const std::string &text) { options.log = text; });
  read("TPC_SIM_FAULT",
       [&](const std::string &text) { parseFaults(text, options.faults); });
  return options;
}

} // namespace tpc::sim
