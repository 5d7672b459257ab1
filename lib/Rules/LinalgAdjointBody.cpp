// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the derivative of a structured operation as a structured operation.
//
// The new operation runs over the loops of the forward one. Its body is written
// scalar by scalar; elements of forward operands, forward results and
// cotangents become block arguments when they are first needed, so that what
// the derivative does not read is no operand of it. Loops that the target map
// lacks are summed over. Loops are renumbered, those of the target first, so
// that every result is written through an identity prefix.

#include "LinalgAdjointBody.h"
#include "ArithMathAdjoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tpc/Interfaces/Adjoint.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tpc {

AdjointBody::AdjointBody(OpBuilder &builder, linalg::LinalgOp forward)
    : builder(builder), forward(forward),
      hasReductions(forward.getNumReductionLoops() != 0),
      block(&region.emplaceBlock()), scalars(builder.getContext()) {
  scalars.setInsertionPointToEnd(block);
}

Value AdjointBody::element(Value tensor, AffineMap map) {
  for (auto [index, operand] : llvm::enumerate(operands))
    if (operand.tensor == tensor && operand.map == map)
      return block->getArgument(index);
  operands.push_back({tensor, map});
  return block->addArgument(getElementTypeOrSelf(tensor.getType()),
                            forward.getLoc());
}

Value AdjointBody::readArgument(BlockArgument argument) {
  OpOperand *operand = forward.getMatchingOpOperand(argument);
  if (forward.isDpsInit(operand) && hasReductions) {
    forward->emitError("no derivative for a body of '")
        << forward->getName()
        << "' whose contributions read the running reduction";
    return nullptr;
  }
  return element(operand->get(), forward.getMatchingIndexingMap(operand));
}

Value AdjointBody::forwardScalar(Value scalar) {
  if (Value known = mapping.lookupOrNull(scalar))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    if (argument.getOwner() == forward.getBlock()) {
      Value value = readArgument(argument);
      if (value)
        mapping.map(scalar, value);
      return value;
    }
  Operation *op = scalar.getDefiningOp();
  if (!op || op->getBlock() != forward.getBlock())
    return scalar;

  // The forward pass keeps what it yields: read it rather than recompute it.
  if (!hasReductions)
    for (OpOperand &yielded :
         forward.getBlock()->getTerminator()->getOpOperands())
      if (yielded.get() == scalar) {
        unsigned index = yielded.getOperandNumber();
        Value value = element(
            forward->getResult(index),
            forward.getMatchingIndexingMap(forward.getDpsInitOperand(index)));
        mapping.map(scalar, value);
        return value;
      }

  if (op->getNumRegions() != 0) {
    op->emitError("no derivative for a body that contains '")
        << op->getName() << "'";
    return nullptr;
  }
  for (Value operand : op->getOperands())
    if (!forwardScalar(operand))
      return nullptr;
  scalars.clone(*op, mapping);
  return mapping.lookup(scalar);
}

FailureOr<Value> AdjointBody::differentiate(ArrayRef<BlockArgument> targets,
                                            ArrayRef<Seed> seeds) {
  Block *body = forward.getBlock();
  // Scalars that depend on a target.
  DenseSet<Value> active(targets.begin(), targets.end());
  for (Operation &op : body->without_terminator())
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return active.contains(operand); }))
      for (Value result : op.getResults())
        if (isDifferentiable(result.getType()))
          active.insert(result);

  DenseMap<Value, Value> cotangents;
  auto add = [&](Value scalar, Value cotangent) {
    Value &sum = cotangents[scalar];
    sum = sum ? arith::AddFOp::create(scalars, forward.getLoc(), sum, cotangent)
              : cotangent;
  };
  for (auto [scalar, cotangent] : seeds)
    if (active.contains(scalar))
      add(scalar, cotangent);

  bool failedForward = false;
  auto fetch = [&](Value scalar) {
    Value value = forwardScalar(scalar);
    failedForward |= !value;
    return value;
  };
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    if (op.getNumResults() == 0)
      continue;
    Value cotangent = cotangents.lookup(op.getResult(0));
    if (!cotangent)
      continue;
    // The bodies of named operations have no locations of their own.
    Location loc =
        isa<UnknownLoc>(op.getLoc()) ? forward.getLoc() : op.getLoc();
    ScalarContext context{scalars, loc, fetch};
    Value sigmoidOf = matchSigmoid(&op);
    if (sigmoidOf && active.contains(sigmoidOf)) {
      if (Value value = buildSigmoidAdjoint(context, &op, cotangent))
        add(sigmoidOf, value);
      continue;
    }
    const ScalarDerivative *derivative = findScalarDerivative(&op);
    if (!derivative || op.getNumResults() != 1) {
      op.emitError("no derivative for '") << op.getName() << "'";
      return failure();
    }
    for (unsigned i = 0, e = op.getNumOperands(); i < e; ++i) {
      if (i >= derivative->rules.size() || !active.contains(op.getOperand(i)))
        continue;
      if (Value value =
              buildScalarAdjoint(context, &op, i, cotangent, *derivative))
        add(op.getOperand(i), value);
    }
    if (failedForward)
      return failure();
  }

  Value total;
  for (BlockArgument target : targets)
    if (Value cotangent = cotangents.lookup(target))
      total = total ? arith::AddFOp::create(scalars, forward.getLoc(), total,
                                            cotangent)
                    : cotangent;
  return total;
}

void AdjointBody::removeDeadCode(Value scalar) {
  Operation *op = block->empty() ? nullptr : &block->back();
  while (op) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op) && scalar.getDefiningOp() != op)
      op->erase();
    op = previous;
  }
  for (unsigned i = operands.size(); i-- > 0;) {
    if (!block->getArgument(i).use_empty() || scalar == block->getArgument(i))
      continue;
    block->eraseArgument(i);
    operands.erase(operands.begin() + i);
  }
}

/// Every loop needs an operand that gives its length; a derivative that reads
/// none (the sum of a constant) keeps a forward operand for it.
void AdjointBody::coverLoops(AffineMap target) {
  llvm::SmallBitVector covered(forward.getNumLoops());
  auto mark = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        covered.set(dim.getPosition());
  };
  mark(target);
  for (const Operand &operand : operands)
    mark(operand.map);
  for (OpOperand &operand : forward->getOpOperands()) {
    AffineMap map = forward.getMatchingIndexingMap(&operand);
    bool adds = llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return dim && !covered.test(dim.getPosition());
    });
    if (!adds)
      continue;
    element(operand.get(), map);
    mark(map);
  }
}

/// 16-bit sums are formed in 32 bits: the widening a forward body did itself is
/// kept, and everything but a plain product (which the contraction kernel
/// accumulates in 32 bits on its own) is widened here.
Type AdjointBody::widenSum(Value &scalar) {
  auto narrow = scalar.getDefiningOp<arith::TruncFOp>();
  if (narrow && narrow->use_empty()) {
    scalar = narrow.getIn();
    narrow.erase();
    return scalar.getType();
  }
  Type type = scalar.getType();
  if (type.getIntOrFloatBitWidth() >= 32)
    return type;
  auto product = scalar.getDefiningOp<arith::MulFOp>();
  if (product && isa<BlockArgument>(product.getLhs()) &&
      isa<BlockArgument>(product.getRhs()))
    return type;
  type = builder.getF32Type();
  scalar = arith::ExtFOp::create(scalars, forward.getLoc(), type, scalar);
  return type;
}

Value AdjointBody::createResult(Value scalar, AffineMap target) {
  Location loc = forward.getLoc();
  unsigned numLoops = forward.getNumLoops();
  removeDeadCode(scalar);

  // New loop order: the target's, then the others.
  SmallVector<int64_t> order;
  llvm::SmallBitVector inTarget(numLoops);
  for (AffineExpr expr : target.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      order.push_back(dim.getPosition());
      inTarget.set(dim.getPosition());
    }
  unsigned numParallel = order.size();
  for (unsigned i = 0; i < numLoops; ++i)
    if (!inTarget.test(i))
      order.push_back(i);
  bool sums = numParallel != numLoops;
  Type narrowType = scalar.getType();

  AffineMap targetDims = target.dropZeroResults();
  if (auto argument = dyn_cast<BlockArgument>(scalar);
      argument && argument.getOwner() == block && !sums) {
    const Operand &operand = operands[argument.getArgNumber()];
    if (operand.map == targetDims &&
        isa<RankedTensorType>(operand.tensor.getType()))
      return operand.tensor;
  }

  coverLoops(target);
  Type sumType = narrowType;
  if (sums)
    sumType = widenSum(scalar);
  SmallVector<int64_t> shape;
  SmallVector<int64_t> ranges = forward.getStaticLoopRanges();
  for (unsigned i = 0; i < numParallel; ++i)
    shape.push_back(ranges[order[i]]);

  Value init =
      sums ? createSplat(builder, loc, RankedTensorType::get(shape, sumType), 0)
           : tensor::EmptyOp::create(builder, loc, shape, sumType).getResult();
  Value out = block->addArgument(sumType, loc);
  if (sums)
    scalar = arith::AddFOp::create(scalars, loc, out, scalar);
  linalg::YieldOp::create(scalars, loc, scalar);

  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> renumbered(numLoops);
  for (auto [position, loop] : llvm::enumerate(order))
    renumbered[loop] = getAffineDimExpr(position, context);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Operand &operand : operands) {
    inputs.push_back(operand.tensor);
    maps.push_back(
        operand.map.replaceDimsAndSymbols(renumbered, {}, numLoops, 0));
  }
  maps.push_back(targetDims.replaceDimsAndSymbols(renumbered, {}, numLoops, 0));
  for (auto index : block->getOps<linalg::IndexOp>()) {
    auto position = llvm::find(order, index.getDim()) - order.begin();
    index.setDim(position);
  }
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), numParallel, utils::IteratorType::parallel);

  auto result =
      linalg::GenericOp::create(builder, loc, TypeRange{init.getType()}, inputs,
                                ValueRange{init}, maps, iterators);
  result.getRegion().takeBody(region);
  if (sumType == narrowType)
    return result.getResult(0);

  return createConversion(builder, loc, result.getResult(0), narrowType);
}

} // namespace tpc
