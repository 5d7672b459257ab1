// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The log of calls and the list of what is wrong with them.
#ifndef TPC_TEST_DEVICE_SIMULATOR_FINDINGS_H
#define TPC_TEST_DEVICE_SIMULATOR_FINDINGS_H

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace tpc::sim {

class Findings {
public:
  /// Adds a finding once, however often it is made, and prints it.
  void add(const std::string &text);
  const std::vector<std::string> &all() const { return list; }
  /// Says in the log, and on stderr, what was done on purpose.
  void note(const std::string &text);
  /// Forgets what was found: a test made it on purpose.
  void clear();
  void openLog(const std::string &path);
  bool logs() const { return log; }
  /// One line of JSON.
  void write(const std::string &line);

private:
  std::vector<std::string> list;
  std::set<std::string> known;
  FILE *log = nullptr;
};

/// The text in JSON's quotes.
std::string quoted(const std::string &text);

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_FINDINGS_H
