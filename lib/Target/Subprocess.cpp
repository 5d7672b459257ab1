// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that go with their owner, and programs whose output goes to one.
#include "Subprocess.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tpc {

namespace {

constexpr unsigned kMostSeconds = 600;
constexpr size_t kMostText = 4000;

} // namespace

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix,
                                              StringRef content) {
  SmallString<128> folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  auto fail = [&](const Twine &message) {
    return createStringError("cannot write a temporary file in '" + folder +
                             "' (TMPDIR names another folder): " + message);
  };
  TemporaryFile file;
  int descriptor;
  if (std::error_code code =
          sys::fs::createTemporaryFile("tpc", suffix, descriptor, file.path)) {
    file.path.clear();
    return fail(code.message());
  }
  sys::RemoveFileOnSignal(file.path);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << content;
  stream.flush();
  if (stream.has_error()) {
    std::string message = stream.error().message();
    stream.clear_error();
    return fail(message);
  }
  return std::move(file);
}

Expected<TemporaryFile> TemporaryFile::createBeside(StringRef path) {
  TemporaryFile file;
  int descriptor;
  if (std::error_code code =
          sys::fs::createUniqueFile(path + ".%%%%%%.tmp", descriptor, file.path,
                                    sys::fs::OF_None, sys::fs::all_all)) {
    file.path.clear();
    return createStringError("cannot write '" + path + "': " + code.message());
  }
  sys::RemoveFileOnSignal(file.path);
  sys::Process::SafelyCloseFileDescriptor(descriptor);
  return std::move(file);
}

TemporaryFile::~TemporaryFile() {
  if (path.empty())
    return;
  sys::fs::remove(path);
  sys::DontRemoveFileOnSignal(path);
}

std::string TemporaryFile::read() const {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

Error TemporaryFile::keep(StringRef name) {
  if (std::error_code code = sys::fs::rename(path, name))
    return createStringError("cannot write '" + name + "': " + code.message());
  sys::DontRemoveFileOnSignal(path);
  path.clear();
  return Error::success();
}

Expected<std::string> runProgram(ArrayRef<StringRef> command) {
  Expected<TemporaryFile> log = TemporaryFile::create("log", "");
  if (!log)
    return log.takeError();
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log->path),
                                          StringRef(log->path)};
  std::string message;
  int status = sys::ExecuteAndWait(command[0], command, std::nullopt, redirects,
                                   kMostSeconds, 0, &message);
  std::string text = log->read();
  if (status == 0)
    return text;
  // A program that was ended has no status of its own.
  if (status < 0)
    message = "it was ended: " + message + ". ";
  StringRef said = StringRef(text).trim();
  message += said.take_front(kMostText);
  if (said.size() > kMostText)
    message += " ...";
  return createStringError(StringRef(message).trim());
}

} // namespace tpc
