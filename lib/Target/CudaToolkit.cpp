// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a CUDA toolkit, runs its assembler and reads what that says of kernels.
#include "CudaToolkit.h"
#include "Subprocess.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace tpc {

namespace {

/// The number in front of `unit` in `line`, as in "Used 8 registers", or 0.
int64_t numberBefore(StringRef line, StringRef unit) {
  StringRef front = line.take_front(line.find(unit)).rtrim();
  StringRef digits = front.take_back(
      front.size() - (front.find_last_not_of("0123456789") + 1));
  int64_t number = 0;
  bool found = line.contains(unit) && !digits.getAsInteger(10, number);
  return found ? number : 0;
}

/// Reads the output of `ptxas -v`: per kernel a line that names it, then its
/// numbers. Library functions that are called have numbers of their own, which
/// are no kernel's: registers that they save for their callers.
std::map<std::string, KernelStatistics> parseStatistics(StringRef log) {
  std::map<std::string, KernelStatistics> result;
  KernelStatistics *kernel = nullptr;
  for (StringRef line : split(log, '\n')) {
    if (line.contains("Compiling entry function '"))
      kernel = &result[line.split('\'').second.split('\'').first.str()];
    auto [text, name] = line.split("Function properties for ");
    if (!name.empty()) {
      auto known = result.find(name.trim().str());
      kernel = known == result.end() ? nullptr : &known->second;
    }
    if (!kernel)
      continue;
    if (line.contains("bytes stack frame"))
      kernel->stackBytes = numberBefore(line, " bytes stack frame");
    if (line.contains("bytes spill stores"))
      kernel->spillBytes = numberBefore(line, " bytes spill stores") +
                           numberBefore(line, " bytes spill loads");
    if (line.contains("Used ")) {
      kernel->registers = numberBefore(line, " registers");
      kernel->sharedBytes = numberBefore(line, " bytes smem");
      kernel->stackBytes =
          std::max(kernel->stackBytes,
                   numberBefore(line, " bytes cumulative stack size"));
    }
  }
  return result;
}

} // namespace

CudaToolkit::CudaToolkit(StringRef path) {
  if (!path.empty()) {
    roots.push_back(path.str());
    return;
  }
  for (StringRef variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> root = sys::Process::GetEnv(variable))
      if (!root->empty())
        roots.push_back(*root);
  if (ErrorOr<std::string> program = sys::findProgramByName("ptxas"))
    roots.push_back(
        sys::path::parent_path(sys::path::parent_path(*program)).str());
  roots.push_back("/usr/local/cuda");
}

Expected<std::string> CudaToolkit::find(StringRef what,
                                        ArrayRef<StringRef> places,
                                        StringRef otherwise) const {
  for (const std::string &root : roots)
    for (StringRef place : places) {
      SmallString<128> path(root);
      sys::path::append(path, place);
      if (sys::fs::exists(path) && !sys::fs::is_directory(path))
        return path.str().str();
    }
  return createStringError(
      "no " + what + " found: expected a CUDA toolkit in " +
      join(roots, " or ") +
      "; install one, or say where it is with --cuda-path DIR or "
      "CUDA_HOME" +
      otherwise);
}

Expected<std::string> CudaToolkit::assembler() const {
  return find("ptxas", {"bin/ptxas"},
              " (--emit=ptx needs none, --gpu-arch=host neither)");
}

Expected<std::string> CudaToolkit::deviceLibrary() const {
  return find("libdevice.10.bc",
              {"nvvm/libdevice/libdevice.10.bc",
               // Debian's package.
               "lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc"},
              " (kernels call its math functions)");
}

Expected<Assembled> assemble(StringRef assembler, StringRef arch,
                             StringRef ptx) {
  Expected<TemporaryFile> input = TemporaryFile::create("ptx", ptx);
  if (!input)
    return input.takeError();
  Expected<TemporaryFile> output = TemporaryFile::create("cubin", "");
  if (!output)
    return output.takeError();
  std::string archFlag = ("-arch=" + arch).str();
  auto fail = [&](const Twine &message) {
    return createStringError("assembling for " + arch + " with " + assembler +
                             " failed: " + message);
  };
  Expected<std::string> text = runProgram(
      {assembler, "-v", archFlag, "-O3", input->path, "-o", output->path});
  Assembled result;
  if (!text) {
    std::string message = toString(text.takeError());
    result.isUnknownArch =
        StringRef(message).contains("is not defined for option 'gpu-name'");
    if (result.isUnknownArch)
      return result;
    return fail(message);
  }
  result.cubin = output->read();
  if (!StringRef(result.cubin).starts_with("\177ELF"))
    return fail("expected an ELF file, got " + Twine(result.cubin.size()) +
                " other bytes. " + StringRef(*text).trim().take_front(400));
  result.statistics = parseStatistics(*text);
  return result;
}

} // namespace tpc
