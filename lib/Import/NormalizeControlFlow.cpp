// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings loops, branches and what is read at computed positions to the one
// form that the other stages know, and refuses what has no such form.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_NORMALIZECONTROLFLOWPASS
#include "tpc/Import/Passes.h.inc"

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// The index `op` is read at on iteration i: lower bound + i * step.
static Value createIndex(OpBuilder &builder, scf::ForOp op, Value iteration) {
  Location loc = op.getLoc();
  Type type = op.getInductionVar().getType();
  Value index = iteration;
  if (!type.isIndex())
    index = arith::IndexCastOp::create(builder, loc, type, index);
  if (!isConstantIntValue(op.getStep(), 1))
    index = arith::MulIOp::create(builder, loc, index, op.getStep());
  if (!isConstantIntValue(op.getLowerBound(), 0))
    index = arith::AddIOp::create(builder, loc, index, op.getLowerBound());
  return index;
}

/// Counts from 0 in steps of 1.
static LogicalResult normalize(scf::ForOp op) {
  std::optional<APInt> trips = op.getStaticTripCount();
  if (!trips || trips->getActiveBits() > 62)
    return op.emitError("unsupported: 'scf.for' whose trip count is not a "
                        "constant, export the model with constant loop bounds");
  for (Value carried : op.getInitArgs())
    if (!isStaticTensor(carried.getType()))
      return op.emitError("unsupported: 'scf.for' carries a value of type ")
             << carried.getType()
             << ", expected a ranked tensor of static shape; carry a tensor "
                "of no dims instead of a scalar";
  Value variable = op.getInductionVar();
  OpBuilder builder(op);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, op.getLoc(), value);
  };
  if (!variable.getType().isIndex() ||
      !isConstantIntValue(op.getLowerBound(), 0) ||
      !isConstantIntValue(op.getStep(), 1)) {
    BlockArgument iteration = op.getBody()->insertArgument(
        1u, builder.getIndexType(), variable.getLoc());
    OpBuilder inside = OpBuilder::atBlockBegin(op.getBody());
    variable.replaceAllUsesWith(createIndex(inside, op, iteration));
    op.getBody()->eraseArgument(0);
    op.getLowerBoundMutable().assign(constant(0));
    op.getStepMutable().assign(constant(1));
  }
  op.getUpperBoundMutable().assign(constant(trips->getZExtValue()));
  op.setUnsignedCmp(false);
  return success();
}

static LogicalResult verifyResults(scf::IfOp op) {
  for (Type type : op.getResultTypes())
    if (!isStaticTensor(type))
      return op.emitError("unsupported: 'scf.if' gives a value of type ")
             << type
             << ", expected a ranked tensor of static shape; give a tensor of "
                "no dims instead of a scalar";
  return success();
}

/// A slice of the whole of a dim begins at 0, however its offset is written.
template <typename OpTy>
static void simplifyOffsets(OpTy op, RankedTensorType wide) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            strides = op.getMixedStrides();
  bool changed = false;
  OpBuilder builder(op);
  for (unsigned d = 0, e = offsets.size(); d < e; ++d) {
    if (isa<Attribute>(offsets[d]) ||
        !isConstantIntValue(sizes[d], wide.getDimSize(d)) ||
        !isConstantIntValue(strides[d], 1))
      continue;
    offsets[d] = builder.getIndexAttr(0);
    changed = true;
  }
  if (!changed)
    return;
  Value result;
  if constexpr (std::is_same_v<OpTy, tensor::ExtractSliceOp>)
    result = OpTy::create(builder, op.getLoc(), op.getType(), op.getSource(),
                          offsets, sizes, strides);
  else
    result = OpTy::create(builder, op.getLoc(), op.getSource(), op.getDest(),
                          offsets, sizes, strides);
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

/// An element at a computed position is the one element of a slice.
static void normalize(tensor::ExtractOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getTensor().getType());
  bool constant = llvm::all_of(op.getIndices(), [](Value index) {
    return getConstantIntValue(index).has_value();
  });
  if (constant || !type || op->getParentOfType<linalg::LinalgOp>())
    return;
  OpBuilder builder(op);
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  Value slice = tensor::ExtractSliceOp::create(
      builder, op.getLoc(), RankedTensorType::get({}, type.getElementType()),
      op.getTensor(), getAsOpFoldResult(op.getIndices()), ones, ones);
  op.getTensorMutable().assign(slice);
  op.getIndicesMutable().clear();
}

namespace {
struct NormalizeControlFlowPass
    : impl::NormalizeControlFlowPassBase<NormalizeControlFlowPass> {
  using Base::Base;

  void runOnOperation() override {
    bool failed = false;
    getOperation().walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        failed |= mlir::failed(normalize(loop));
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        failed |= mlir::failed(verifyResults(branch));
      else if (auto extract = dyn_cast<tensor::ExtractOp>(op))
        normalize(extract);
      else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
        simplifyOffsets(slice, slice.getSourceType());
      else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
        simplifyOffsets(insert, insert.getDestType());
      else if (isa<scf::WhileOp>(op)) {
        op->emitError("unsupported: 'scf.while', write a loop of a constant "
                      "number of iterations as 'scf.for'");
        failed = true;
      }
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace

} // namespace tpc
