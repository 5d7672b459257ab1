// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that the arguments of a simulated function get.
#ifndef TPC_TEST_LIB_SIMULATE_ARGUMENTS_H
#define TPC_TEST_LIB_SIMULATE_ARGUMENTS_H

#include "Values.h"

namespace tpc::simulate {

struct ArgumentOptions {
  uint64_t seed = 1;
  /// Floats are integers from -3 to 3; otherwise any numbers between those.
  bool integers = true;
};

/// Numbers for argument `number`, the same for the same options. Integers are
/// from 0 to `largest`. Every contribution to a partial value is a number of
/// its own; what they join to is the global value.
Held makeArgument(mlir::Type type, const Placement &placement, const Mesh &mesh,
                  unsigned number, int64_t largest,
                  const ArgumentOptions &options);

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_ARGUMENTS_H
