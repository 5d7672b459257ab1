// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which elementwise operations are computed where they are used, and
// fuses them there.
#include "Contraction.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

/// What an operation of a body takes, in simple operations; the larger ones are
/// about what the functions of libdevice have for f32.
unsigned costOf(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>() || isa<linalg::IndexOp>(op))
    return 0;
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
          arith::RemSIOp, arith::RemUIOp, math::SqrtOp, math::RsqrtOp>(op))
    return 10;
  if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op>(op))
    return 12;
  if (isa<math::MathDialect>(op.getDialect()) &&
      !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp>(op))
    return 40;
  return 1;
}

/// True when computing `generic` again in a second consumer costs less than
/// keeping its result.
bool isCheap(linalg::GenericOp generic, unsigned maxCost) {
  unsigned cost = 0;
  for (Operation &op : generic.getBody()->without_terminator())
    cost += costOf(op);
  return cost <= maxCost;
}

int64_t countPoints(linalg::GenericOp generic) {
  int64_t points = 1;
  for (int64_t extent : generic.getStaticLoopRanges())
    points *= extent;
  return points;
}

/// True when `producer` reads no more elements than its consumer would read of
/// its result, so that fusing moves no more memory.
bool readsNoMore(linalg::GenericOp producer) {
  int64_t produced =
      cast<RankedTensorType>(producer->getResult(0).getType()).getNumElements();
  unsigned whole = 0;
  for (OpOperand *input : producer.getDpsInputOperands())
    if (auto type = dyn_cast<RankedTensorType>(input->get().getType()))
      whole += type.getNumElements() >= produced;
  return whole <= 1;
}

class FuseElementwise : public impl::FuseElementwisePassBase<FuseElementwise> {
public:
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    RewritePatternSet fuse(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        fuse, [this](OpOperand *operand) { return shouldFuse(operand); });
    linalg::GenericOp::getCanonicalizationPatterns(fuse, &getContext());
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    if (failed(applyPatternsGreedily(getOperation(), std::move(fuse), config)))
      return signalPassFailure();
  }

private:
  bool shouldFuse(OpOperand *operand) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
    if (!producer || !consumer || lower::matchContraction(consumer) ||
        lower::matchContraction(producer) || producer->hasAttr(kEpilogue) ||
        consumer->hasAttr(kEpilogue))
      return false;
    // A producer's indices are no loops of a consumer that reads at sums of
    // loops.
    if (!consumer.getMatchingIndexingMap(operand).isProjectedPermutation() &&
        !producer.getBody()->getOps<linalg::IndexOp>().empty())
      return false;
    // A kernel has room for so many operands.
    constexpr unsigned kMostOperands = 256;
    if (producer.getNumDpsInputs() + consumer.getNumDpsInputs() > kMostOperands)
      return false;
    // Into a loop a producer would be computed again in every iteration.
    if (producer->getBlock() != consumer->getBlock())
      return false;
    // Upstream's fusion loses the init of a producer that reads it.
    for (BlockArgument init : producer.getRegionOutputArgs())
      if (!init.use_empty())
        return false;
    if (isCheap(producer, maxDuplicatedCost) && readsNoMore(producer))
      return true;
    bool onlyHere = llvm::all_of(producer->getUsers(), [&](Operation *user) {
      return user == consumer;
    });
    // A broadcast would compute the producer again for every copy.
    return onlyHere && countPoints(consumer) <= countPoints(producer);
  }
};

} // namespace
} // namespace tpc
