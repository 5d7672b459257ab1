// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes machine code of a device module that stands in a test, and prints it.
#include "TestPasses.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tpc/Target/Artifact.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpc::test {

namespace {

/// Prints PTX, or the images with the first bytes and the kernels as the
/// manifest has them. With `write` the images become files of that folder.
class EmitDevice : public PassWrapper<EmitDevice, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitDevice)

  EmitDevice() = default;
  EmitDevice(const EmitDevice &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-emit-device"; }
  StringRef getDescription() const override {
    return "Print the machine code of the device module";
  }

  void runOnOperation() override {
    DeviceOptions options;
    options.archs.assign(archs.begin(), archs.end());
    options.cudaPath = cudaPath;
    if (ptx) {
      if (llvm::Error error = emitPTX(getOperation(), "-", options))
        fail(std::move(error));
      return;
    }
    llvm::Expected<DeviceCode> code = emitDeviceCode(getOperation(), options);
    if (!code)
      return fail(code.takeError());
    for (const DeviceImage &image : code->images) {
      llvm::outs() << image.arch << " " << image.kind << " " << image.symbol
                   << "\n";
      std::error_code error;
      if (!write.empty())
        llvm::raw_fd_ostream(write + "/" + image.symbol, error)
            << image.content;
    }
    llvm::outs() << llvm::formatv(
        "{0:2}\n", llvm::json::Value(buildKernels(getOperation(), &*code)));
  }

private:
  void fail(llvm::Error error) {
    getOperation().emitError(llvm::toString(std::move(error)));
    signalPassFailure();
  }

  ListOption<std::string> archs{*this, "archs", llvm::cl::desc("processors")};
  Option<std::string> cudaPath{*this, "cuda-path", llvm::cl::desc("toolkit")};
  Option<std::string> write{*this, "write", llvm::cl::desc("folder")};
  Option<bool> ptx{*this, "ptx", llvm::cl::desc("print PTX")};
};

} // namespace

void registerEmitDevicePass() { PassRegistration<EmitDevice>(); }

} // namespace tpc::test
