// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adjoints of the tp dialect's operations.
//
//   constrain  the identity on the value, so the identity on its cotangent
//   gather     a scatter at the same places, and the other way round
//   cumsum     a cumulative sum from the other end
//   argmax     the cotangent of a value goes to the element at its index
//
// tp.redistribute has none, since differentiation comes before placements are
// types; the region of a tp.manual is differentiated by the autodiff stage
// itself.

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Adjoint.h"
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

/// The cotangent of an element that was read several times is a sum. As all
/// sums of 16-bit values it is formed in 32 bits.
struct GatherAdjoint
    : AdjointOpInterface::ExternalModel<GatherAdjoint, tp::GatherOp> {
  LogicalResult buildAdjoint(Operation *raw, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto op = cast<tp::GatherOp>(raw);
    Location loc = op.getLoc();
    contributions.assign(op->getNumOperands(), nullptr);
    if (!needed[0])
      return success();
    Type elementType = op.getType().getElementType();
    bool narrow = elementType.getIntOrFloatBitWidth() < 32;
    Value updates = cotangents[0];
    if (narrow)
      updates = createConversion(builder, loc, updates, builder.getF32Type());
    auto type = RankedTensorType::get(op.getSource().getType().getShape(),
                                      getElementTypeOrSelf(updates.getType()));
    Value zeros = createSplat(builder, loc, type, 0);
    Value sum = tp::ScatterOp::create(builder, loc, type, updates, zeros,
                                      op.getIndices(), op.getMaps());
    contributions[0] =
        narrow ? createConversion(builder, loc, sum, elementType) : sum;
    return success();
  }
};

struct ScatterAdjoint
    : AdjointOpInterface::ExternalModel<ScatterAdjoint, tp::ScatterOp> {
  LogicalResult buildAdjoint(Operation *raw, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto op = cast<tp::ScatterOp>(raw);
    contributions.assign(op->getNumOperands(), nullptr);
    if (needed[0])
      contributions[0] =
          tp::GatherOp::create(builder, op.getLoc(), op.getUpdates().getType(),
                               cotangents[0], op.getIndices(), op.getMaps());
    if (needed[1])
      contributions[1] = cotangents[0];
    return success();
  }
};

struct CumsumAdjoint
    : AdjointOpInterface::ExternalModel<CumsumAdjoint, tp::CumsumOp> {
  LogicalResult buildAdjoint(Operation *raw, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto op = cast<tp::CumsumOp>(raw);
    contributions.assign(1, nullptr);
    if (needed[0])
      contributions[0] = tp::CumsumOp::create(
          builder, op.getLoc(), op.getType(), cotangents[0], op.getDim(),
          /*reverse=*/!op.getReverse(), op.getExclusive());
    return success();
  }
};

struct ArgmaxAdjoint
    : AdjointOpInterface::ExternalModel<ArgmaxAdjoint, tp::ArgmaxOp> {
  LogicalResult buildAdjoint(Operation *raw, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    auto op = cast<tp::ArgmaxOp>(raw);
    contributions.assign(1, nullptr);
    if (!needed[0])
      return success();
    RankedTensorType type = op.getInput().getType();
    Value empty = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                          type.getElementType());
    AffineMap whole = builder.getMultiDimIdentityMap(type.getRank());
    AffineMap reduced = whole.dropResult(op.getDim());
    SmallVector<utils::IteratorType> parallel(type.getRank(),
                                              utils::IteratorType::parallel);
    auto place = [&](OpBuilder &b, Location loc, ValueRange args) {
      ImplicitLocOpBuilder inside(loc, b);
      Value index = arith::IndexCastOp::create(
          inside, args[1].getType(),
          linalg::IndexOp::create(inside, op.getDim()));
      Value isThere = arith::CmpIOp::create(inside, arith::CmpIPredicate::eq,
                                            index, args[1]);
      Value zero = createSplat(inside, loc, args[0].getType(), 0);
      Value cotangent = arith::SelectOp::create(inside, isThere, args[0], zero);
      linalg::YieldOp::create(inside, cotangent);
    };
    contributions[0] =
        linalg::GenericOp::create(
            builder, op.getLoc(), type,
            ValueRange{cotangents[0], op.getIndices()}, empty,
            ArrayRef<AffineMap>{reduced, reduced, whole}, parallel, place)
            .getResult(0);
    return success();
  }
};
} // namespace

void registerTPAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tp::TPDialect *) {
    tp::ConstrainOp::attachInterface<ConstrainAdjoint>(*context);
    tp::GatherOp::attachInterface<GatherAdjoint>(*context);
    tp::ScatterOp::attachInterface<ScatterAdjoint>(*context);
    tp::CumsumOp::attachInterface<CumsumAdjoint>(*context);
    tp::ArgmaxOp::attachInterface<ArgmaxAdjoint>(*context);
  });
}

} // namespace tpc
