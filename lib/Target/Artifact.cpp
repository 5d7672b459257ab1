// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes artifacts of every kind; a file appears only when it is complete.
#include "EmitMachineCode.h"
#include "llvm/Support/FileOutputBuffer.h"

using namespace llvm;

namespace tpc {

namespace {

Expected<SmallVector<char, 0>> makeObject(mlir::ModuleOp lowered,
                                          StringRef manifest,
                                          const EmitOptions &options) {
  Expected<MachineModule> module =
      MachineModule::create(lowered, manifest, options);
  if (!module)
    return module.takeError();
  return module->object();
}

} // namespace

Error writeFile(StringRef path, StringRef content) {
  if (path == "-") {
    outs() << content;
    return Error::success();
  }
  auto cannotWrite = [&](Error error) {
    return createStringError(inconvertibleErrorCode(),
                             "cannot write '" + path +
                                 "': " + toString(std::move(error)));
  };
  // Written beside the file and renamed.
  auto buffer = FileOutputBuffer::create(path, content.size());
  if (!buffer)
    return cannotWrite(buffer.takeError());
  llvm::copy(content, (*buffer)->getBufferStart());
  if (Error error = (*buffer)->commit())
    return cannotWrite(std::move(error));
  return Error::success();
}

Error emitLLVMIR(mlir::ModuleOp lowered, StringRef manifest, StringRef path,
                 const EmitOptions &options) {
  Expected<MachineModule> module =
      MachineModule::create(lowered, manifest, options);
  if (!module)
    return module.takeError();
  return writeFile(path, module->text());
}

Error emitObject(mlir::ModuleOp lowered, StringRef manifest, StringRef path,
                 const EmitOptions &options) {
  auto object = makeObject(lowered, manifest, options);
  if (!object)
    return object.takeError();
  return writeFile(path, StringRef(object->data(), object->size()));
}

Error emitSharedLibrary(mlir::ModuleOp lowered, StringRef manifest,
                        StringRef path, const EmitOptions &options) {
  auto object = makeObject(lowered, manifest, options);
  if (!object)
    return object.takeError();
  return linkSharedLibrary(*object, path, options);
}

Error emitExecutable(mlir::ModuleOp lowered, StringRef manifest, StringRef path,
                     const EmitOptions &options) {
  auto object = makeObject(lowered, manifest, options);
  if (!object)
    return object.takeError();
  return linkExecutable(*object, path, options);
}

} // namespace tpc
