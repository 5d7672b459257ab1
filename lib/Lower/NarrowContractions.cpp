// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes the widening of operands into the contractions that read them.
#include "Contraction.h"
#include "OperandView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_NARROWCONTRACTIONSPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

Type elementType(Value value) { return getElementTypeOrSelf(value.getType()); }

/// `map`, which reads the tensor of `view`, as it reads the root.
AffineMap rootMap(AffineMap map, const lower::OperandView &view) {
  SmallVector<AffineExpr> results(view.dims.size());
  for (auto [dim, rootDim] : llvm::enumerate(view.dims))
    results[rootDim] = map.getResult(dim);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

void narrow(linalg::GenericOp op, IRRewriter &rewriter) {
  std::optional<lower::Contraction> contraction = lower::getContraction(op);
  if (!contraction || !contraction->elementTypes[2].isF32())
    return;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands = op->getOperands();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned side : {0, 1}) {
    lower::OperandView view = lower::viewOperand(operands[side], rewriter);
    maps[side] = rootMap(maps[side], view);
    operands[side] = view.root;
  }
  Type narrowType = elementType(operands[0]);
  bool changed =
      operands[0] != op->getOperand(0) || operands[1] != op->getOperand(1);
  if (!changed || !(narrowType.isF16() || narrowType.isBF16()) ||
      elementType(operands[1]) != narrowType)
    return;
  auto product = linalg::GenericOp::create(
      rewriter, op.getLoc(), operands[2].getType(),
      ValueRange(operands).take_front(2), operands[2], maps,
      op.getIteratorTypesArray(),
      [](OpBuilder &builder, Location loc, ValueRange args) {
        Type wide = args[2].getType();
        Value a = arith::ExtFOp::create(builder, loc, wide, args[0]);
        Value b = arith::ExtFOp::create(builder, loc, wide, args[1]);
        Value product = arith::MulFOp::create(builder, loc, a, b);
        Value sum = arith::AddFOp::create(builder, loc, args[2], product);
        linalg::YieldOp::create(builder, loc, sum);
      });
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, product);
}

class NarrowContractions
    : public impl::NarrowContractionsPassBase<NarrowContractions> {
public:
  using NarrowContractionsPassBase::NarrowContractionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : lower::generalize(
             getOperation(), rewriter, linalg::isaContractionOpInterface))
      narrow(op, rewriter);
  }
};

} // namespace
} // namespace tpc
