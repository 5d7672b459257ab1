// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporary files, and the programs that are run on them.
#ifndef TPC_TARGET_SUBPROCESS_H
#define TPC_TARGET_SUBPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tpc {

/// A temporary file that is gone with this, or when a signal ends the program.
class TemporaryFile {
public:
  /// A file in the folder for temporary files (`TMPDIR`), named
  /// tpc-XXXXXX.`suffix`.
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix,
                                              llvm::StringRef content);
  /// An empty file beside `path`, which it can replace.
  static llvm::Expected<TemporaryFile> createBeside(llvm::StringRef path);

  TemporaryFile(TemporaryFile &&other) : path(std::move(other.path)) {
    other.path.clear();
  }
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  std::string read() const;
  /// Gives the file its lasting name.
  llvm::Error keep(llvm::StringRef name);

  llvm::SmallString<128> path;

private:
  TemporaryFile() = default;
};

/// Runs `command`, whose first word is the program, for at most ten minutes.
/// Gives what it wrote to both outputs; an error says how it failed, and at
/// most 4000 characters of that.
llvm::Expected<std::string> runProgram(llvm::ArrayRef<llvm::StringRef> command);

} // namespace tpc

#endif // TPC_TARGET_SUBPROCESS_H
