// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs tpc-compile as another process: tpc-run links no compiler.
#ifndef TPC_RUN_COMPILE_H
#define TPC_RUN_COMPILE_H

#include <string>
#include <vector>

namespace tpc::run {

/// A folder that vanishes with this object.
class TemporaryFolder {
public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();
  std::string file(const std::string &name) const { return path + "/" + name; }

private:
  std::string path;
};

/// Compiles `model` into the shared library `artifact`. Throws Error when
/// tpc-compile cannot be run or fails; its own messages are on stderr then.
void compile(const std::string &model, const std::vector<std::string> &options,
             const std::string &artifact);

} // namespace tpc::run

#endif // TPC_RUN_COMPILE_H
