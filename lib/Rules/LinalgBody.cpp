// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises what the body of a structured operation computes.
//
// Linearity. For every value of the body we keep the ways in which it is
// linear. A way is a pair of operand sets: the value is linear in the operands
// of the first set jointly, as long as the operands of the second stay fixed.
//   operand i      {i | }
//   zero           { | }            linear in whatever one likes
//   x + y          a way of x joined with a way of y
//   x * y          a way of x with everything y depends on fixed, or the other
//                  way round
// and everything not listed has no way. Joining fails where an operand would
// have to vary and stay fixed. Rounding is ignored where it is that of the
// addition itself; a truncation of a sum is not the sum of truncations and
// counts as non-linear.

#include "LinalgBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Dialect/TP/TP.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tpc {

bool isKnownZero(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()))
      return true;
    if (auto fill = dyn_cast<linalg::FillOp>(def))
      value = fill.getInputs().front();
    else if (isa<tp::WindowOp>(def))
      return false; // anything may lie outside of its source
    else if (auto collective = dyn_cast<tp::CollectiveOpInterface>(def))
      value = collective.getInputs()[cast<OpResult>(value).getResultNumber()];
    else if (isa<tensor::SplatOp, tensor::ExpandShapeOp,
                 tensor::CollapseShapeOp, tensor::CastOp,
                 tensor::ExtractSliceOp, tp::RedistributeOp, tp::ConstrainOp>(
                 def))
      value = def->getOperand(0);
    else
      return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

/// The reduction a binary operation is the combiner of. Runtimes compare and
/// multiply integers as signed ones; on i1 only the logical forms have the
/// meaning of a reduction.
static std::optional<Reduction> getReduction(Operation *op) {
  Type type = op->getResult(0).getType();
  if (type.isInteger(1))
    return TypeSwitch<Operation *, std::optional<Reduction>>(op)
        .Case<arith::AndIOp, arith::MulIOp, arith::MinUIOp>(
            [](auto) { return Reduction::And; })
        .Case<arith::OrIOp, arith::MaxUIOp>([](auto) { return Reduction::Or; })
        .Default([](Operation *) { return std::nullopt; });
  return TypeSwitch<Operation *, std::optional<Reduction>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Reduction::Sum; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Reduction::Prod; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          [](auto) { return Reduction::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          [](auto) { return Reduction::Min; })
      .Default([](Operation *) { return std::nullopt; });
}

static Value getYielded(linalg::LinalgOp op, unsigned index) {
  return op.getBlock()->getTerminator()->getOperand(index);
}

std::optional<Reduction> matchCombiner(linalg::LinalgOp op, unsigned index) {
  BlockArgument out = op.getRegionOutputArgs()[index];
  Operation *combine = getYielded(op, index).getDefiningOp();
  // The accumulator is read by the combiner and by nothing else, and the
  // combined value is read by the yield alone.
  if (!combine || combine->getBlock() != op.getBlock() ||
      combine->getNumOperands() != 2 || combine->getNumResults() != 1 ||
      !out.hasOneUse() || *out.user_begin() != combine ||
      !combine->getResult(0).hasOneUse())
    return std::nullopt;
  return getReduction(combine);
}

//===----------------------------------------------------------------------===//
// Linearity
//===----------------------------------------------------------------------===//

namespace {
/// One way in which a value is linear.
struct Way {
  llvm::SmallBitVector vary, fixed;
  bool operator==(const Way &o) const {
    return vary == o.vary && fixed == o.fixed;
  }
};

class LinearityAnalysis {
public:
  explicit LinearityAnalysis(linalg::LinalgOp op)
      : op(op), numOperands(op->getNumOperands()) {}

  SmallVector<SmallVector<unsigned, 2>, 2> run();

private:
  /// Bodies with more ways than this have no practical use for them.
  static constexpr unsigned maxWays = 32;
  using Ways = SmallVector<Way, 2>;

  Ways waysOf(Value value);
  Ways computeWays(Operation *def);
  llvm::SmallBitVector dependenciesOf(Value value);
  Ways join(const Ways &a, const Ways &b);
  Ways withFixed(Ways ways, const llvm::SmallBitVector &fixed);
  static void append(Ways &to, Way way);
  Ways product(Value x, Value y);

  linalg::LinalgOp op;
  unsigned numOperands;
  DenseMap<Value, Ways> memo;
  DenseMap<Value, llvm::SmallBitVector> dependencies;
};
} // namespace

void LinearityAnalysis::append(Ways &to, Way way) {
  if (way.vary.anyCommon(way.fixed) || to.size() >= maxWays ||
      llvm::is_contained(to, way))
    return;
  to.push_back(std::move(way));
}

LinearityAnalysis::Ways LinearityAnalysis::join(const Ways &a, const Ways &b) {
  Ways joined;
  for (const Way &x : a)
    for (const Way &y : b) {
      Way way = x;
      way.vary |= y.vary;
      way.fixed |= y.fixed;
      append(joined, std::move(way));
    }
  return joined;
}

LinearityAnalysis::Ways
LinearityAnalysis::withFixed(Ways ways, const llvm::SmallBitVector &fixed) {
  Ways kept;
  for (Way &way : ways) {
    way.fixed |= fixed;
    append(kept, std::move(way));
  }
  return kept;
}

LinearityAnalysis::Ways LinearityAnalysis::product(Value x, Value y) {
  Ways ways = withFixed(waysOf(x), dependenciesOf(y));
  for (Way &way : withFixed(waysOf(y), dependenciesOf(x)))
    append(ways, std::move(way));
  return ways;
}

llvm::SmallBitVector LinearityAnalysis::dependenciesOf(Value value) {
  auto known = dependencies.find(value);
  if (known != dependencies.end())
    return known->second;
  llvm::SmallBitVector set(numOperands);
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner() == op.getBlock())
      set.set(op.getOpOperandsMatchingBBargs()[arg.getArgNumber()]
                  ->getOperandNumber());
  } else if (value.getDefiningOp()->getBlock() == op.getBlock()) {
    for (Value operand : value.getDefiningOp()->getOperands())
      set |= dependenciesOf(operand);
  }
  dependencies.try_emplace(value, set);
  return set;
}

LinearityAnalysis::Ways LinearityAnalysis::waysOf(Value value) {
  auto known = memo.find(value);
  if (known != memo.end())
    return known->second;
  Ways ways;
  Way none{llvm::SmallBitVector(numOperands),
           llvm::SmallBitVector(numOperands)};
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner() == op.getBlock()) {
      OpOperand *operand = op.getOpOperandsMatchingBBargs()[arg.getArgNumber()];
      if (!isKnownZero(operand->get()))
        none.vary.set(operand->getOperandNumber());
      ways.push_back(none);
    }
  } else if (isKnownZero(value)) {
    ways.push_back(none);
  } else if (value.getDefiningOp()->getBlock() == op.getBlock()) {
    ways = computeWays(value.getDefiningOp());
  }
  memo.try_emplace(value, ways);
  return ways;
}

LinearityAnalysis::Ways LinearityAnalysis::computeWays(Operation *def) {
  auto operand = [&](unsigned i) { return def->getOperand(i); };
  return TypeSwitch<Operation *, Ways>(def)
      .Case<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(
          [&](auto) { return join(waysOf(operand(0)), waysOf(operand(1))); })
      .Case<arith::NegFOp, arith::ExtFOp>(
          [&](auto) { return waysOf(operand(0)); })
      .Case<arith::MulFOp, arith::MulIOp>(
          [&](auto) { return product(operand(0), operand(1)); })
      .Case<arith::DivFOp>([&](auto) {
        return withFixed(waysOf(operand(0)), dependenciesOf(operand(1)));
      })
      .Case<math::FmaOp>([&](auto) {
        return join(product(operand(0), operand(1)), waysOf(operand(2)));
      })
      .Case<arith::SelectOp>([&](auto) {
        return withFixed(join(waysOf(operand(1)), waysOf(operand(2))),
                         dependenciesOf(operand(0)));
      })
      .Default([](Operation *) { return Ways(); });
}

SmallVector<SmallVector<unsigned, 2>, 2> LinearityAnalysis::run() {
  SmallVector<SmallVector<unsigned, 2>, 2> groups;
  bool first = true;
  Ways ways;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    // On i1 addition is an exclusive or; no sum of partials has that meaning.
    if (getYielded(op, i).getType().isInteger(1) ||
        (op.getNumReductionLoops() && matchCombiner(op, i) != Reduction::Sum))
      return groups;
    Ways result = waysOf(getYielded(op, i));
    ways = first ? result : join(ways, result);
    first = false;
  }
  SmallVector<llvm::SmallBitVector> taken;
  for (unsigned size = 1; size <= numOperands; ++size)
    for (const Way &way : ways) {
      // A scalar operand has no placement.
      bool scalar = llvm::any_of(way.vary.set_bits(), [&](unsigned i) {
        return !isa<RankedTensorType>(op->getOperand(i).getType());
      });
      if (way.vary.count() != size || scalar ||
          llvm::is_contained(taken, way.vary))
        continue;
      taken.push_back(way.vary);
      groups.emplace_back(way.vary.set_bits_begin(), way.vary.set_bits_end());
    }
  return groups;
}

SmallVector<SmallVector<unsigned, 2>, 2>
findLinearOperands(linalg::LinalgOp op) {
  return LinearityAnalysis(op).run();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

double countBodyFlops(linalg::LinalgOp op) {
  double flops = 0;
  op.getBlock()->walk([&](Operation *inner) {
    flops += TypeSwitch<Operation *, double>(inner)
                 .Case<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp,
                       arith::IndexCastOp, arith::ExtFOp, arith::TruncFOp>(
                     [](auto) { return 0; })
                 .Case<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(
                     [](auto) { return 4; })
                 .Case<math::FmaOp>([](auto) { return 2; })
                 .Case<math::AbsFOp, math::AbsIOp, math::CopySignOp,
                       math::FloorOp, math::CeilOp, math::RoundOp,
                       math::RoundEvenOp, math::TruncOp>([](auto) { return 1; })
                 .Default([](Operation *other) {
                   bool transcendental =
                       isa_and_nonnull<math::MathDialect>(other->getDialect());
                   return transcendental ? 16 : 1;
                 });
  });
  return flops;
}

} // namespace tpc
