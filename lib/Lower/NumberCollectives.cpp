// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every collective its place in the manifest.
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_NUMBERCOLLECTIVESPASS
#include "tpc/Lower/Passes.h.inc"

namespace {
class NumberCollectives
    : public impl::NumberCollectivesPassBase<NumberCollectives> {
public:
  using NumberCollectivesPassBase::NumberCollectivesPassBase;

  void runOnOperation() override {
    int64_t next = 0;
    Builder builder(&getContext());
    getOperation()->walk([&](tp::CollectiveOpInterface collective) {
      if (!collective->hasAttr(kCollectiveIndex))
        collective->setAttr(kCollectiveIndex, builder.getI64IntegerAttr(next));
      ++next;
    });
  }
};
} // namespace
} // namespace tpc
