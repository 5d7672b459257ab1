// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to optimised LLVM IR and machine code, in process.
#ifndef TPC_TARGET_EMITMACHINECODE_H
#define TPC_TARGET_EMITMACHINECODE_H

#include "tpc/Target/Artifact.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace tpc {

/// Attaches glibc's vector variants to calls of math functions, as the
/// registers of `machine` allow, so that the loop vectoriser can use them.
void attachVectorMath(llvm::Module &module, llvm::TargetMachine &machine);

/// Runs the optimiser of `level` (0 to 3) for `machine`.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    unsigned level);

/// The optimised module of a lowered program with its manifest.
class MachineModule {
public:
  static llvm::Expected<MachineModule> create(mlir::ModuleOp lowered,
                                              llvm::StringRef manifest,
                                              const EmitOptions &options);

  std::string text() const;
  llvm::Expected<llvm::SmallVector<char, 0>> object();

private:
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Writes a file that appears only when it is complete; "-" is stdout.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef content);

/// Links `object` with the system's compiler driver into the file `path`.
llvm::Error linkSharedLibrary(llvm::ArrayRef<char> object, llvm::StringRef path,
                              const EmitOptions &options);
llvm::Error linkExecutable(llvm::ArrayRef<char> object, llvm::StringRef path,
                           const EmitOptions &options);

} // namespace tpc

#endif // TPC_TARGET_EMITMACHINECODE_H
