// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of executables made by tpc-compile: tpc-run on the artifact
// that is linked in. Its symbols are found by name, so that the executable is
// linked with --export-dynamic.

#include "Run.h"

int main(int argc, char **argv) {
  return tpc::run::runTool(argc, argv, /*isLinked=*/true);
}
