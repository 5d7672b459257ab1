// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tpc-run: runs an artifact, or a model that it compiles first, on N ranks.

#include "Run.h"

int main(int argc, char **argv) {
  return tpc::run::runTool(argc, argv, /*isLinked=*/false);
}
