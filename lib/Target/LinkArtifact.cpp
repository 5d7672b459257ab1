// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links objects into shared libraries and executables with a compiler driver,
// which knows where the system's libraries are.
#include "EmitMachineCode.h"
#include "Subprocess.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace tpc {

namespace {

Expected<std::string> findDriver() {
  for (StringRef name : {"clang-22", "clang", "cc", "gcc"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  return createStringError(
      "no linker found: expected one of clang-22, clang, cc and "
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
  Expected<TemporaryFile> input =
      TemporaryFile::create("o", StringRef(object.data(), object.size()));
  if (!input)
    return input.takeError();
  Expected<TemporaryFile> output = TemporaryFile::createBeside(path);
  if (!output)
    return output.takeError();
  SmallVector<StringRef> command = {*driver, "-o", output->path, input->path};
  command.append(arguments.begin(), arguments.end());
  if (Expected<std::string> log = runProgram(command); !log)
    return createStringError("linking '" + path + "' with " + *driver +
                             " failed: " + toString(log.takeError()));
  return output->keep(path);
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
      return createStringError(
          "no '" + library + "': an executable needs the runtime's libraries");
  return link(object, path,
              {main.str().str(), runtime.str().str(), "-rdynamic",
               "-Wl,-rpath," + directory, "-Wl,--as-needed", "-lmvec", "-lm",
               // The main library is C++.
               "-lstdc++"});
}

} // namespace tpc
