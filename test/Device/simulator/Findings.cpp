// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Findings.h"
#include <cstdlib>
#include <unistd.h>

namespace tpc::sim {

void Findings::add(const std::string &text) {
  if (!known.insert(text).second)
    return;
  list.push_back(text);
  // At once: a program that fails may end without any clean-up.
  constexpr size_t kMost = 20;
  if (list.size() <= kMost)
    fprintf(stderr, "simulated device: error: %s\n", text.c_str());
  if (log)
    write("{\"finding\": " + quoted(text) + "}");
}

void Findings::note(const std::string &text) {
  fprintf(stderr, "simulated device: %s\n", text.c_str());
  if (log)
    write("{\"note\": " + quoted(text) + "}");
}

void Findings::clear() {
  list.clear();
  known.clear();
}

void Findings::openLog(const std::string &path) {
  // Processes of one world have a log each: `%p` is the process.
  std::string name = path;
  size_t at = name.find("%p");
  if (at != std::string::npos)
    name.replace(at, 2, std::to_string(getpid()));
  log = fopen(name.c_str(), "w");
  if (!log) {
    fprintf(stderr, "simulated device: TPC_SIM_LOG=%s cannot be written\n",
            name.c_str());
    _Exit(2);
  }
}

void Findings::write(const std::string &line) {
  fprintf(log, "%s\n", line.c_str());
  fflush(log);
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      c = ' ';
    result += c;
  }
  return result + "\"";
}

} // namespace tpc::sim
