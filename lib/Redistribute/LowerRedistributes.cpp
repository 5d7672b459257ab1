// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces every redistribute by the steps that Support/Redistribution.h finds.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tpc/Dialect/TP/Redistributor.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Redistribute/Passes.h"

namespace tpc {
#define GEN_PASS_DEF_LOWERREDISTRIBUTESPASS
#include "tpc/Redistribute/Passes.h.inc"
} // namespace tpc

using namespace mlir;
using namespace tpc;

namespace {
struct LowerRedistributesPass
    : public tpc::impl::LowerRedistributesPassBase<LowerRedistributesPass> {
  using LowerRedistributesPassBase::LowerRedistributesPassBase;

  void lower(tp::RedistributeOp op, tp::MeshOp mesh, Redistributor &paths) {
    auto type = cast<RankedTensorType>(op.getInput().getType());
    tp::PlacementAttr from = tp::getPlacement(type);
    tp::PlacementAttr to = tp::getPlacement(op.getOutput().getType());
    assert(from && to && "the operation verifies that both are placed");
    const RedistributionPlan *plan =
        paths.plan(type.getShape(), tp::getElementBytes(type),
                   from.resolve(paths.mesh()), to.resolve(paths.mesh()));
    assert(plan && "steps lead between any two placements");
    OpBuilder builder(op);
    Value value = op.getInput();
    int64_t number = 0;
    for (const Step &step : plan->steps) {
      tp::CollectiveOpInterface collective =
          tp::createCollective(builder, op.getLoc(), step, mesh, value);
      for (NamedAttribute attr : op->getDiscardableAttrs())
        collective->setDiscardableAttr(attr.getName(), attr.getValue());
      if (plan->collectives > 1 && isCollective(paths.mesh(), step))
        collective->setDiscardableAttr(
            tp::TPDialect::kPath,
            builder.getDenseI64ArrayAttr({++number, plan->collectives}));
      value = collective.getOutputs()[0];
    }
    op.getOutput().replaceAllUsesWith(value);
    op.erase();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::unique_ptr<Redistributor> paths =
        tp::makeRedistributor(module, objective, targetSpec);
    if (!paths)
      return signalPassFailure();
    tp::MeshOp mesh = tp::getSingleMesh(module);
    SmallVector<tp::RedistributeOp> ops;
    module.walk([&](tp::RedistributeOp op) { ops.push_back(op); });
    for (tp::RedistributeOp op : ops)
      lower(op, mesh, *paths);
  }
};
} // namespace
