// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows, element by element.
#ifndef TPC_TEST_LIB_SIMULATE_WINDOWS_H
#define TPC_TEST_LIB_SIMULATE_WINDOWS_H

#include "Values.h"
#include "tpc/Dialect/TP/TP.h"

namespace tpc::simulate {

/// Fills in what everyone holds of result `index` of a window; `result` has
/// type and placement.
void moveWindow(tp::WindowOp op, unsigned index, const Mesh &mesh,
                const Held &operand, Held &result);

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_WINDOWS_H
