// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adjoints of structured operations, derived from their maps and bodies.
//
// One formula serves linalg.generic and all named operations. The cotangent of
// input i is a structured operation over the same loops that is written through
// input i's map: at each point the reverse-mode derivative of the body, summed
// over the loops the map lacks. For the elementwise y = f(x) that is
// f'(x) dy; for a broadcast the sum over the broadcast loops; for a matmul
// c(m,n) += a(m,k) b(k,n) it is da(m,k) += dc(m,n) b(k,n), a contraction again.
//
// What a reduction does to the cotangent of its contributions depends on how
// they are combined:
//   add       every contribution, and the init, gets the cotangent of the
//   result max, min  those equal to the result share it in equal parts, the
//   init too;
//             nothing flows where the result cancels out (softmax)
//   others    have no derivative

#include "LinalgAdjointBody.h"
#include "LinalgAdjointShift.h"
#include "LinalgAdjointWindow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "tpc/Interfaces/Adjoint.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

static bool dependsOn(Value scalar, BlockArgument out) {
  if (scalar == out)
    return true;
  Operation *op = scalar.getDefiningOp();
  return op && op->getBlock() == out.getOwner() &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, out); });
}

/// True when `scalar` is `out` plus or minus terms that do not read `out`: its
/// derivative with respect to `out` is one.
static bool isRunningSum(Value scalar, BlockArgument out) {
  if (scalar == out)
    return true;
  Operation *op = scalar.getDefiningOp();
  if (!op || op->getBlock() != out.getOwner())
    return false;
  auto isSum = [&](unsigned i) { return isRunningSum(op->getOperand(i), out); };
  auto isFree = [&](unsigned i) { return !dependsOn(op->getOperand(i), out); };
  if (isa<arith::AddFOp>(op))
    return (isSum(0) && isFree(1)) || (isFree(0) && isSum(1));
  if (isa<arith::SubFOp>(op))
    return isSum(0) && isFree(1);
  if (isa<arith::SelectOp>(op))
    return isFree(0) && isSum(1) && isSum(2);
  return false;
}

/// The contribution f where `scalar` is max(out, f) or min(out, f), also when
/// written as compare and select. Null for anything else.
static Value matchExtremum(Value scalar, BlockArgument out) {
  Operation *op = scalar.getDefiningOp();
  if (!op)
    return nullptr;
  Value lhs, rhs;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
          arith::MinNumFOp>(op)) {
    lhs = op->getOperand(0);
    rhs = op->getOperand(1);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!compare)
      return nullptr;
    using P = arith::CmpFPredicate;
    P predicate = compare.getPredicate();
    if (!llvm::is_contained(
            {P::OGT, P::OGE, P::OLT, P::OLE, P::UGT, P::UGE, P::ULT, P::ULE},
            predicate))
      return nullptr;
    lhs = select.getTrueValue();
    rhs = select.getFalseValue();
    bool same = compare.getLhs() == lhs && compare.getRhs() == rhs;
    bool swapped = compare.getLhs() == rhs && compare.getRhs() == lhs;
    if (!same && !swapped)
      return nullptr;
  } else {
    return nullptr;
  }
  Value contribution = lhs == out ? rhs : lhs;
  if ((lhs != out && rhs != out) || dependsOn(contribution, out))
    return nullptr;
  return contribution;
}

namespace {
/// How cotangents enter the body from one result.
struct ResultFlow {
  /// Elementwise or running sum: the cotangent. Extremum: the cotangent divided
  /// by the number of contributions equal to the result.
  Value cotangent;
  AffineMap map;
  /// The contribution to an extremum, or null.
  Value extremum;
};

/// The adjoint of one structured operation.
class StructuredAdjoint {
public:
  StructuredAdjoint(linalg::LinalgOp op, OpBuilder &builder)
      : op(op), builder(builder), body(op.getBlock()),
        hasReductions(op.getNumReductionLoops() != 0) {}

  LogicalResult run(ValueRange cotangents, ArrayRef<bool> needed,
                    SmallVectorImpl<Value> &contributions);

private:
  LogicalResult classify(unsigned index, Value cotangent);
  Value createShare(unsigned index, Value contribution, Value cotangent);
  Value isExtreme(AdjointBody &adjoint, unsigned index, Value value);
  FailureOr<Value> forOperand(unsigned index, ArrayRef<unsigned> sameOperands);
  FailureOr<Value> forRunningInit(unsigned index);
  Value restoreType(Value value, Type type);

  OpOperand &init(unsigned result) { return *op.getDpsInitOperand(result); }
  AffineMap resultMap(unsigned result) {
    return op.getMatchingIndexingMap(&init(result));
  }
  BlockArgument out(unsigned result) {
    return op.getMatchingBlockArgument(&init(result));
  }

  linalg::LinalgOp op;
  OpBuilder &builder;
  Block *body;
  bool hasReductions;
  SmallVector<ResultFlow> flows;
};
} // namespace

LogicalResult StructuredAdjoint::classify(unsigned index, Value cotangent) {
  ResultFlow &flow = flows[index];
  flow = {cotangent, resultMap(index), nullptr};
  if (!cotangent || !hasReductions)
    return success();
  Value yielded = body->getTerminator()->getOperand(index);
  if (isRunningSum(yielded, out(index)))
    return success();
  flow.extremum = matchExtremum(yielded, out(index));
  if (!flow.extremum)
    return op->emitError("no derivative for a reduction of '")
           << op->getName() << "' that is not a sum, a maximum or a minimum";
  // The row maximum that a softmax subtracts: its cotangent is zero, though the
  // chain rule would compute that as a difference of sums.
  if (cancelsOut(op->getResult(index))) {
    flow = {};
    return success();
  }
  flow.cotangent = createShare(index, flow.extremum, cotangent);
  return success(flow.cotangent != nullptr);
}

/// 1 where `value` equals the result of an extremum, else 0, as a condition.
Value StructuredAdjoint::isExtreme(AdjointBody &adjoint, unsigned index,
                                   Value value) {
  Value result = adjoint.element(op->getResult(index), resultMap(index));
  return arith::CmpFOp::create(adjoint.bodyBuilder(), op.getLoc(),
                               arith::CmpFPredicate::OEQ, value, result);
}

/// The cotangent of result `index` divided by the number of its contributions,
/// the init among them, that equal it.
Value StructuredAdjoint::createShare(unsigned index, Value contribution,
                                     Value cotangent) {
  Location loc = op.getLoc();
  auto select = [&](AdjointBody &adjoint, Value condition) -> Value {
    OpBuilder &b = adjoint.bodyBuilder();
    Type type = getElementTypeOrSelf(cotangent.getType());
    Value one = createSplat(b, loc, type, 1),
          zero = createSplat(b, loc, type, 0);
    return arith::SelectOp::create(b, loc, condition, one, zero);
  };
  AdjointBody counter(builder, op);
  Value value = counter.forwardScalar(contribution);
  if (!value)
    return nullptr;
  Value count = counter.createResult(
      select(counter, isExtreme(counter, index, value)), resultMap(index));
  count = restoreType(count, cotangent.getType());

  // ct / (count + (init == result))
  auto type = cast<RankedTensorType>(cotangent.getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type},
             ValueRange{cotangent, count, init(index).get(),
                        op->getResult(index)},
             ValueRange{empty}, SmallVector<AffineMap>(5, identity), iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               Value tie = arith::CmpFOp::create(
                   b, l, arith::CmpFPredicate::OEQ, args[2], args[3]);
               Value more =
                   arith::UIToFPOp::create(b, l, args[1].getType(), tie);
               Value total = arith::AddFOp::create(b, l, args[1], more);
               Value share = arith::DivFOp::create(b, l, args[0], total);
               linalg::YieldOp::create(b, l, share);
             })
      .getResult(0);
}

/// `value`, computed without the unit dims that constants in a map stand for,
/// in the type of the operand.
Value StructuredAdjoint::restoreType(Value value, Type type) {
  if (value.getType() == type)
    return value;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return tensor::ExtractOp::create(builder, op.getLoc(), value, ValueRange());
  auto from = cast<RankedTensorType>(value.getType());
  auto groups = getReassociationIndicesForReshape(from, tensor);
  assert(groups && "adding unit dims is a reshape");
  return tensor::ExpandShapeOp::create(builder, op.getLoc(), tensor, value,
                                       *groups);
}

/// The init of a reduction takes part once per element of the result.
FailureOr<Value> StructuredAdjoint::forRunningInit(unsigned index) {
  const ResultFlow &flow = flows[index];
  if (!flow.cotangent)
    return Value();
  if (!flow.extremum)
    return flow.cotangent;
  auto type = cast<RankedTensorType>(flow.cotangent.getType());
  Location loc = op.getLoc();
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type},
             ValueRange{flow.cotangent, init(index).get(),
                        op->getResult(index)},
             ValueRange{empty}, SmallVector<AffineMap>(4, identity), iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               Value tie = arith::CmpFOp::create(
                   b, l, arith::CmpFPredicate::OEQ, args[1], args[2]);
               Value zero = createSplat(b, l, args[0].getType(), 0);
               Value share = arith::SelectOp::create(b, l, tie, args[0], zero);
               linalg::YieldOp::create(b, l, share);
             })
      .getResult(0);
}

FailureOr<Value>
StructuredAdjoint::forOperand(unsigned index, ArrayRef<unsigned> sameOperands) {
  OpOperand &operand = op->getOpOperand(index);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<BlockArgument> targets;
  for (unsigned same : sameOperands)
    targets.push_back(op.getMatchingBlockArgument(&op->getOpOperand(same)));

  AdjointBody adjoint(builder, op);
  SmallVector<AdjointBody::Seed> seeds;
  for (unsigned i = 0, e = flows.size(); i < e; ++i) {
    const ResultFlow &flow = flows[i];
    if (!flow.cotangent)
      continue;
    if (!flow.extremum) {
      seeds.emplace_back(body->getTerminator()->getOperand(i),
                         adjoint.element(flow.cotangent, flow.map));
      continue;
    }
    // An extremum is entered behind its combiner.
    Value value = adjoint.forwardScalar(flow.extremum);
    Value share = adjoint.element(flow.cotangent, flow.map);
    OpBuilder &b = adjoint.bodyBuilder();
    Value zero = createSplat(b, op.getLoc(), share.getType(), 0);
    seeds.emplace_back(flow.extremum,
                       arith::SelectOp::create(b, op.getLoc(),
                                               isExtreme(adjoint, i, value),
                                               share, zero));
  }
  FailureOr<Value> scalar = adjoint.differentiate(targets, seeds);
  if (failed(scalar) || !*scalar)
    return scalar;
  if (!map.dropZeroResults().isProjectedPermutation()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (std::optional<TapSum> sum =
            planTapSum(map, type, op.getStaticLoopRanges()))
      return restoreType(buildTapSum(builder, op.getLoc(),
                                     adjoint.createResult(*scalar, sum->target),
                                     *sum),
                         type);
    op->emitError("no derivative for an operand read through the map ")
        << AffineMapAttr::get(map) << ", expected a projected permutation";
    return failure();
  }
  return restoreType(adjoint.createResult(*scalar, map),
                     operand.get().getType());
}

LogicalResult StructuredAdjoint::run(ValueRange cotangents,
                                     ArrayRef<bool> needed,
                                     SmallVectorImpl<Value> &contributions) {
  unsigned numOperands = op->getNumOperands();
  contributions.assign(numOperands, nullptr);
  flows.resize(op->getNumResults());
  for (unsigned i = 0, e = flows.size(); i < e; ++i)
    if (failed(classify(i, cotangents[i])))
      return failure();

  llvm::SmallBitVector done(numOperands);
  for (unsigned i = 0; i < numOperands; ++i) {
    if (!needed[i] || done.test(i))
      continue;
    OpOperand &operand = op->getOpOperand(i);
    FailureOr<Value> contribution;
    if (op.isDpsInit(&operand) && hasReductions) {
      contribution = forRunningInit(i - op.getNumDpsInputs());
    } else {
      // One operation for all reads of a tensor through one map.
      SmallVector<unsigned> same;
      for (unsigned j = i; j < numOperands; ++j) {
        OpOperand &other = op->getOpOperand(j);
        if (other.get() == operand.get() &&
            !(op.isDpsInit(&other) && hasReductions) &&
            op.getMatchingIndexingMap(&other) ==
                op.getMatchingIndexingMap(&operand)) {
          same.push_back(j);
          done.set(j);
        }
      }
      contribution = forOperand(i, same);
    }
    if (failed(contribution))
      return failure();
    contributions[i] = *contribution;
  }
  return success();
}

namespace {
template <typename OpTy>
struct LinalgAdjoint
    : AdjointOpInterface::ExternalModel<LinalgAdjoint<OpTy>, OpTy> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ValueRange cotangents, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &contributions) const {
    return StructuredAdjoint(cast<linalg::LinalgOp>(op), builder)
        .run(cotangents, needed, contributions);
  }
};

template <typename... Ops> void attachToAll(MLIRContext *context) {
  (Ops::template attachInterface<LinalgAdjoint<Ops>>(*context), ...);
}
} // namespace

void registerLinalgAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachToAll<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}

} // namespace tpc
