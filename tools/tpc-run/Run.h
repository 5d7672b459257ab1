// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tpc-run and executables made by tpc-compile do.
#ifndef TPC_RUN_RUN_H
#define TPC_RUN_RUN_H

namespace tpc::run {

/// The whole tool; returns the exit status. `isLinked`: the artifact is part of
/// this executable.
int runTool(int argc, char **argv, bool isLinked);

} // namespace tpc::run

#endif // TPC_RUN_RUN_H
