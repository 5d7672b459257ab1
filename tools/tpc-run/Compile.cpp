// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds tpc-compile, runs it, and waits for it.

#include "Compile.h"
#include "Handles.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tpc::run {

TemporaryFolder::TemporaryFolder() {
  const char *base = std::getenv("TMPDIR");
  path = std::string(base && *base ? base : "/tmp") + "/tpc-run-XXXXXX";
  if (!mkdtemp(path.data()))
    throw failure("cannot make the folder " + path + ": " + strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

/// The tpc-compile beside this executable, or else the one on the PATH (an
/// executable made by tpc-compile may lie anywhere).
static std::string findCompiler() {
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (length > 0) {
    std::string sibling(self, static_cast<size_t>(length));
    sibling = sibling.substr(0, sibling.rfind('/') + 1) + "tpc-compile";
    if (access(sibling.c_str(), X_OK) == 0)
      return sibling;
  }
  return "tpc-compile";
}

void compile(const std::string &model, const std::vector<std::string> &options,
             const std::string &artifact) {
  std::vector<std::string> arguments{findCompiler(), model};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back("-o");
  arguments.push_back(artifact);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child;
  int error = posix_spawnp(&child, pointers[0], nullptr, nullptr,
                           pointers.data(), environ);
  if (error)
    throw failure("cannot run \"" + arguments[0] + "\", which compiles \"" +
                  model + "\": " + strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw failure("cannot wait for \"" + arguments[0] +
                    "\": " + strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return;
  if (WIFSIGNALED(status))
    throw failure("tpc-compile was ended by signal " +
                  std::to_string(WTERMSIG(status)));
  // A wrong flag was meant for tpc-compile: its status says so.
  throw Error(WEXITSTATUS(status) == 2 ? 2 : 1,
              "tpc-compile failed on \"" + model + "\"");
}

} // namespace tpc::run
