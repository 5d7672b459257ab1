// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links objects into shared libraries and executables with a compiler driver,
// which knows where the system's libraries are.
#include "EmitMachineCode.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace tpc {

namespace {

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<std::string> findDriver() {
  for (StringRef name : {"clang-22", "clang", "cc", "gcc"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  return makeError("no linker found: expected one of clang-22, clang, cc and "
                   "gcc in PATH (emit an object to link elsewhere)");
}

/// `libDir`, or the `lib` beside the directory of this program.
std::string libraryDirectory(const EmitOptions &options) {
  if (!options.libDir.empty())
    return options.libDir;
  std::string self = sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&libraryDirectory));
  SmallString<128> path(sys::path::parent_path(sys::path::parent_path(self)));
  sys::path::append(path, "lib");
  return path.str().str();
}

/// Runs the driver on the object and `arguments`. The result gets its name
/// only when it is complete.
Error link(ArrayRef<char> object, StringRef path,
           ArrayRef<std::string> arguments) {
  Expected<std::string> driver = findDriver();
  if (!driver)
    return driver.takeError();
  SmallString<128> objectPath, logPath, outputPath;
  int descriptor;
  if (std::error_code code =
          sys::fs::createTemporaryFile("tpc", "o", descriptor, objectPath))
    return makeError("cannot write a temporary object: " + code.message());
  FileRemover removeObject(objectPath);
  {
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream.write(object.data(), object.size());
    if (stream.has_error()) {
      std::string message = stream.error().message();
      stream.clear_error();
      return makeError("cannot write '" + objectPath + "': " + message);
    }
  }
  if (std::error_code code =
          sys::fs::createTemporaryFile("tpc", "log", logPath))
    return makeError("cannot write a temporary file: " + code.message());
  FileRemover removeLog(logPath);
  // In the folder of the result, so that it can be renamed.
  if (std::error_code code = sys::fs::createUniqueFile(
          path + ".%%%%%%.tmp", descriptor, outputPath, sys::fs::OF_None,
          sys::fs::all_all))
    return makeError("cannot write '" + path + "': " + code.message());
  sys::Process::SafelyCloseFileDescriptor(descriptor);
  FileRemover removeOutput(outputPath);

  SmallVector<StringRef> command = {*driver, "-o", outputPath, objectPath};
  command.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(logPath),
                                          StringRef(logPath)};
  std::string message;
  int status = sys::ExecuteAndWait(*driver, command, std::nullopt, redirects, 0,
                                   0, &message);
  if (status != 0) {
    if (auto log = MemoryBuffer::getFile(logPath))
      message += (*log)->getBuffer().trim().str();
    return makeError("linking '" + path + "' with " + *driver +
                     " failed: " + message);
  }
  if (std::error_code code = sys::fs::rename(outputPath, path))
    return makeError("cannot write '" + path + "': " + code.message());
  removeOutput.releaseFile();
  return Error::success();
}

} // namespace

Error linkSharedLibrary(ArrayRef<char> object, StringRef path,
                        const EmitOptions &options) {
  // The runtime is found in the process that loads the library.
  return link(object, path, {"-shared", "-Wl,--as-needed", "-lmvec", "-lm"});
}

Error linkExecutable(ArrayRef<char> object, StringRef path,
                     const EmitOptions &options) {
  std::string directory = libraryDirectory(options);
  SmallString<128> main(directory);
  sys::path::append(main, "libtpc_rt_main.a");
  SmallString<128> runtime(directory);
  sys::path::append(runtime, "libtpc_rt.so");
  for (StringRef library : {StringRef(main), StringRef(runtime)})
    if (!sys::fs::exists(library))
      return makeError("no '" + library +
                       "': an executable needs the runtime's libraries");
  return link(object, path,
              {main.str().str(), runtime.str().str(), "-rdynamic",
               "-Wl,-rpath," + directory, "-Wl,--as-needed", "-lmvec", "-lm",
               // The main library is C++.
               "-lstdc++"});
}

} // namespace tpc
