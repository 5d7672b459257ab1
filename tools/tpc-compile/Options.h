// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of tpc-compile.
#ifndef TPC_TOOLS_TPC_COMPILE_OPTIONS_H
#define TPC_TOOLS_TPC_COMPILE_OPTIONS_H

#include "tpc/Pipeline/Pipeline.h"
#include "tpc/Target/DeviceCode.h"
#include <optional>
#include <string>

namespace tpc {

struct CompileOptions {
  enum class Report { None, Text, Json };
  enum class Emit { Library, Object, Executable, LLVMIR, PTX };

  std::string input;
  std::string output;
  Emit emit = Emit::Library;
  std::string cpu = "native";
  DeviceOptions device;
  PipelineOptions pipeline;
  std::optional<Stage> stopAfter;
  Report report = Report::None;
  bool trace = false;
  bool timing = false;
};

/// Reads the command line. Prints a message and exits with 2 on wrong usage.
CompileOptions parseCommandLine(int argc, char **argv);

} // namespace tpc

#endif // TPC_TOOLS_TPC_COMPILE_OPTIONS_H
