// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of tp.constrain: the identity on the value, so the identity on
// its cotangent. tp.redistribute has none, since differentiation comes before
// placements are types; the region of a tp.manual is differentiated by the
// autodiff stage itself.

#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

namespace {
/// The cotangent is left to the planner unless the user pinned it too: pinning
/// it like the value would turn a reduce-scatter into an all-reduce.
struct ConstrainAdjoint
    : AdjointOpInterface::ExternalModel<ConstrainAdjoint, tp::ConstrainOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    contributions.assign(1, nullptr);
    if (!needed[0])
      return success();
    contributions[0] = cotangents[0];
    if (tp::PlacementAttr pin = cast<tp::ConstrainOp>(op).getCotangentAttr())
      contributions[0] = tp::ConstrainOp::create(
          builder, op->getLoc(), cotangents[0].getType(), cotangents[0], pin,
          /*cotangent=*/tp::PlacementAttr());
    return success();
  }
};
} // namespace

void registerTPAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tp::TPDialect *) {
    tp::ConstrainOp::attachInterface<ConstrainAdjoint>(*context);
  });
}

} // namespace tpc
