// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps lookups from standing between elementwise operations.
//
// What is gathered from the result of an elementwise operation is computed from
// what is gathered of its operands: the few elements that are looked at,
// instead of all. And a scatter that adds one element to each slice of a
// constant is an elementwise operation itself, which compares its place with
// the index, so that fusion computes it where it is read. Together they keep
// the probabilities of a cross-entropy, and the gradient at the targets, out of
// memory.
#include "Contraction.h"
#include "Lookups.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_FUSELOOKUPSPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

/// Reshapes move through what is computed elementwise, or summed up, so that
/// they do not stand between operations that could be one.
bool movesReshape(OpOperand *fused) {
  linalg::GenericOp generic;
  AffineMap map;
  RankedTensorType wide;
  SmallVector<ReassociationIndices> groups;
  if (auto collapse = fused->get().getDefiningOp<tensor::CollapseShapeOp>()) {
    generic = dyn_cast<linalg::GenericOp>(fused->getOwner());
    groups = collapse.getReassociationIndices();
    wide = collapse.getSrcType();
    if (generic)
      map = generic.getMatchingIndexingMap(fused);
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(fused->getOwner())) {
    generic = fused->get().getDefiningOp<linalg::GenericOp>();
    groups = expand.getReassociationIndices();
    wide = expand.getResultType();
    // The computation would move to the reshape, into a loop or branch.
    if (generic && generic->getBlock() != expand->getBlock())
      return false;
    if (generic)
      map = generic.getIndexingMapMatchingResult(cast<OpResult>(fused->get()));
  }
  if (!generic || generic->hasAttr(kEpilogue) ||
      lower::matchContraction(generic))
    return false;
  // Dims of one element are no reason to move.
  bool joins = false;
  for (auto [dim, group] : llvm::enumerate(groups)) {
    joins |= llvm::count_if(group, [&](int64_t inner) {
               return wide.getDimSize(inner) != 1;
             }) > 1;
    // Upstream gives the number of a loop that it splits as an affine map.
    for (auto index : generic.getBody()->getOps<linalg::IndexOp>())
      if (group.size() > 1 &&
          map.getResult(dim).isFunctionOfDim(index.getDim()))
        return false;
  }
  return joins;
}

class FuseLookups : public impl::FuseLookupsPassBase<FuseLookups> {
public:
  using FuseLookupsPassBase::FuseLookupsPassBase;

  void runOnOperation() override {
    // Sums first: they look for scatters.
    RewritePatternSet lookups(&getContext()), scatters(&getContext());
    lower::populateGatherPatterns(lookups);
    lower::populateScatterUserPatterns(lookups);
    lower::populateScatterPatterns(scatters);
    for (RewritePatternSet *patterns : {&lookups, &scatters}) {
      linalg::populateFoldReshapeOpsByExpansionPatterns(*patterns,
                                                        movesReshape);
      linalg::FillOp::getCanonicalizationPatterns(*patterns, &getContext());
      tensor::ExpandShapeOp::getCanonicalizationPatterns(*patterns,
                                                         &getContext());
      tensor::CollapseShapeOp::getCanonicalizationPatterns(*patterns,
                                                           &getContext());
    }
    if (failed(applyPatternsGreedily(getOperation(), std::move(lookups))) ||
        failed(applyPatternsGreedily(getOperation(), std::move(scatters))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tpc
