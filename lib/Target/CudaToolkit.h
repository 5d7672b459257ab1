// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and calls what is needed of a CUDA toolkit: ptxas and libdevice.
#ifndef TPC_TARGET_CUDATOOLKIT_H
#define TPC_TARGET_CUDATOOLKIT_H

#include "tpc/Target/DeviceCode.h"

namespace tpc {

class CudaToolkit {
public:
  /// Looks in `path` alone where that is not empty.
  explicit CudaToolkit(llvm::StringRef path);

  /// The path of ptxas or of libdevice.10.bc, or an error that says where they
  /// were looked for.
  llvm::Expected<std::string> assembler() const;
  llvm::Expected<std::string> deviceLibrary() const;

private:
  llvm::Expected<std::string> find(llvm::StringRef what,
                                   llvm::ArrayRef<llvm::StringRef> places,
                                   llvm::StringRef otherwise) const;

  std::vector<std::string> roots;
};

struct Assembled {
  std::string cubin;
  std::map<std::string, KernelStatistics> statistics;
  /// The assembler is too old for the processor: there is no cubin.
  bool isUnknownArch = false;
};

/// Assembles PTX for `arch`.
llvm::Expected<Assembled> assemble(llvm::StringRef assembler,
                                   llvm::StringRef arch, llvm::StringRef ptx);

} // namespace tpc

#endif // TPC_TARGET_CUDATOOLKIT_H
