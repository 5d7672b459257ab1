// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how often what stands in loops counts.

#include "tpc/Interfaces/TripCount.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

int64_t tpc::getTimes(Block *block) {
  int64_t times = 1;
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      if (std::optional<APInt> count = loop.getStaticTripCount()) {
        int64_t product;
        times = llvm::MulOverflow(times, count->getSExtValue(), product)
                    ? std::numeric_limits<int64_t>::max()
                    : product;
      }
  return times;
}
