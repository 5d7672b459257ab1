// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows what a product reads back to the scores, and what of it are indices.
#include "AttentionCode.h"
#include "Contraction.h"
#include "TensorValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <map>

using namespace mlir;

namespace tpc::lower {

std::string nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function =
        dyn_cast_if_present<func::FuncOp>(argument.getOwner()->getParentOp());
    StringAttr name;
    if (function)
      name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                   "tp.name");
    return name ? "'" + name.str() + "'"
                : "argument " + std::to_string(argument.getArgNumber());
  }
  return "a result of '" +
         value.getDefiningOp()->getName().getStringRef().str() + "'";
}

namespace {

/// What a value is made of, as bits.
enum Origin : unsigned {
  FromScores = 1,
  FromRow = 2,
  FromColumn = 4,
  /// Row minus column, and a constant.
  FromDifference = 8,
  /// Comparisons of that.
  FromMask = 16,
  /// Another product of that shape: the gradient of the probabilities.
  FromGradient = 32,
  /// An index and a constant.
  FromShift = 64
};
constexpr unsigned kIndices = FromRow | FromColumn | FromDifference;
constexpr unsigned kNumbers = FromScores | FromGradient;

using Axes = SmallVector<unsigned>;

class CodeReader {
public:
  CodeReader(linalg::GenericOp scores, AttentionCode &code)
      : scores(scores), code(code) {}

  /// The origins of a tensor.
  unsigned visit(Value value, const Axes &axes);

private:
  unsigned visitGeneric(linalg::GenericOp generic, const Axes &axes);
  unsigned visitOp(Operation &op, const DenseMap<Value, unsigned> &origins,
                   ArrayRef<unsigned> loops, linalg::GenericOp generic);
  unsigned compareIndices(unsigned left, unsigned right);
  unsigned fail(const Twine &reason) {
    if (code.reason.empty())
      code.reason = reason.str();
    return FromScores;
  }

  linalg::GenericOp scores;
  AttentionCode &code;
  std::map<std::pair<void *, std::vector<unsigned>>, unsigned> known;
};

bool isWide(Type type) {
  return type.isIndex() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() >= 32);
}

bool isInfinite(Value value) {
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity();
}

/// The axes of the dims behind or before a reshape.
Axes acrossReshape(ArrayRef<ReassociationIndices> groups,
                   RankedTensorType collapsed, RankedTensorType expanded,
                   const Axes &axes, bool fromCollapsed) {
  Axes result(fromCollapsed ? expanded.getRank() : collapsed.getRank(), kUnit);
  for (auto [dim, group] : llvm::enumerate(groups)) {
    SmallVector<int64_t> large;
    for (int64_t inner : group)
      if (expanded.getDimSize(inner) != 1)
        large.push_back(inner);
    if (large.size() == 1 && fromCollapsed)
      result[large[0]] = axes[dim];
    else if (large.size() == 1)
      result[dim] = axes[large[0]];
    // Dims that are joined are batch and head, or nothing that is known.
  }
  return result;
}

} // namespace

unsigned CodeReader::visit(Value value, const Axes &axes) {
  if (value == scores.getResult(0))
    return FromScores;
  std::pair key(value.getAsOpaquePointer(),
                std::vector<unsigned>(axes.begin(), axes.end()));
  if (auto found = known.find(key); found != known.end())
    return found->second;
  if (known.size() >= kMostAttentionValues)
    return fail("the probabilities depend on " + nameOf(value));
  known[key] = 0;
  auto compute = [&]() -> unsigned {
    Operation *op = value.getDefiningOp();
    if (!op)
      return fail("the probabilities depend on " + nameOf(value));
    if (isUniform(op))
      return 0;
    if (matchPattern(op, m_Constant()))
      return fail("its mask is a constant tensor");
    if (auto cast = dyn_cast<tensor::CastOp>(op))
      return visit(cast.getSource(), axes);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return visit(expand.getSrc(),
                   acrossReshape(expand.getReassociationIndices(),
                                 expand.getSrcType(), expand.getResultType(),
                                 axes, /*fromCollapsed=*/false));
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return visit(collapse.getSrc(),
                   acrossReshape(collapse.getReassociationIndices(),
                                 collapse.getResultType(),
                                 collapse.getSrcType(), axes,
                                 /*fromCollapsed=*/true));
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || generic->getNumResults() != 1)
      return fail("the probabilities depend on " + nameOf(value));
    if (!matchContraction(generic))
      return visitGeneric(generic, axes);
    // The gradient of the probabilities.
    if (cast<RankedTensorType>(value.getType()).getShape() ==
        cast<RankedTensorType>(scores.getType(0)).getShape())
      return FromGradient;
    return fail("the probabilities depend on " + nameOf(value));
  };
  return known[key] = compute();
}

unsigned CodeReader::visitGeneric(linalg::GenericOp generic, const Axes &axes) {
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  AffineMap out = maps.back();
  SmallVector<int64_t> extents = generic.getStaticLoopRanges();
  SmallVector<unsigned> loops(extents.size(), kUnit);
  for (auto [dim, expr] : llvm::enumerate(out.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      loops[loop.getPosition()] = axes[dim];
  // What is summed over beside the rows are the columns, and the other way.
  SmallVector<unsigned> summed;
  for (auto [loop, kind] : llvm::enumerate(generic.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && extents[loop] != 1)
      summed.push_back(loop);
  bool hasRow = llvm::is_contained(loops, unsigned(Row));
  bool hasColumn = llvm::is_contained(loops, unsigned(Column));
  if (summed.size() == 1 && hasRow != hasColumn)
    loops[summed[0]] = hasRow ? Column : Row;

  DenseMap<Value, unsigned> origins;
  Block *body = generic.getBody();
  unsigned all = 0;
  for (auto [number, input] : llvm::enumerate(generic.getInputs())) {
    if (!isa<RankedTensorType>(input.getType())) {
      if (!matchPattern(input, m_Constant()))
        return fail("the probabilities depend on " + nameOf(input));
      continue;
    }
    BlockArgument argument = body->getArgument(number);
    if (argument.use_empty())
      continue;
    Axes operand;
    for (AffineExpr expr : maps[number].getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop && !isa<AffineConstantExpr>(expr))
        return fail("the probabilities depend on " + nameOf(input));
      operand.push_back(loop ? loops[loop.getPosition()] : kUnit);
    }
    all |= origins[argument] = visit(input, operand);
  }
  BlockArgument carried = body->getArguments().back();
  if (!carried.use_empty()) {
    all |= visit(generic.getOutputs()[0], axes);
    origins[carried] = all;
    if (!summed.empty() && !(all & kNumbers))
      return fail("its mask is neither none nor causal");
  }
  for (Operation &op : body->without_terminator()) {
    origins[op.getResult(0)] = visitOp(op, origins, loops, generic);
    code.hasSum |= isa<arith::AddFOp>(op) && !summed.empty() &&
                   (all & FromScores) &&
                   llvm::is_contained(op.getOperands(), Value(carried));
  }
  return origins.lookup(body->getTerminator()->getOperand(0));
}

unsigned CodeReader::compareIndices(unsigned left, unsigned right) {
  if (!((left | right) & kIndices))
    return left | right;
  if ((left | right) == (FromRow | FromColumn) && left != right && left &&
      right)
    return FromMask;
  if ((left == FromDifference && right == 0) ||
      (left == 0 && right == FromDifference))
    return FromMask;
  return fail("its mask is neither none nor causal");
}

unsigned CodeReader::visitOp(Operation &op,
                             const DenseMap<Value, unsigned> &origins,
                             ArrayRef<unsigned> loops,
                             linalg::GenericOp generic) {
  unsigned all = 0;
  for (Value operand : op.getOperands())
    all |= origins.lookup(operand);
  auto of = [&](unsigned operand) {
    return origins.lookup(op.getOperand(operand));
  };
  auto failByOp = [&] {
    return fail("its scores are also changed by '" +
                op.getName().getStringRef() + "'");
  };
  if (isa<arith::ConstantOp>(op))
    return 0;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    unsigned axis = loops[index.getDim()];
    if (axis == Row || axis == Column)
      return axis == Row ? FromRow : FromColumn;
    return generic.getStaticLoopRanges()[index.getDim()] == 1
               ? 0
               : fail("its mask depends on the batch or the head");
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    // Unsigned, what is shifted below zero is large.
    arith::CmpIPredicate predicate = compare.getPredicate();
    bool isSigned = predicate <= arith::CmpIPredicate::sge;
    if (!(all & kNumbers))
      return isSigned || !(all & (FromShift | FromDifference))
                 ? compareIndices(of(0) & ~FromShift, of(1) & ~FromShift)
                 : fail("its mask is neither none nor causal");
    // Whether the largest score of the row is in this place.
    bool isPlace = predicate == arith::CmpIPredicate::eq &&
                   (of(0) == FromColumn || of(1) == FromColumn ||
                    of(0) == FromRow || of(1) == FromRow);
    return isPlace ? all & kNumbers : failByOp();
  }
  // The place of the largest score, as the derivative of a maximum keeps it.
  if (isa<arith::SelectOp>(op) && (of(0) & kNumbers) &&
      op.getResult(0).getType().isInteger())
    return all & kNumbers;
  if (isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp, arith::ExtSIOp,
          arith::TruncIOp>(op)) {
    if (!(all & kIndices))
      return all;
    if (!isWide(op.getResult(0).getType()))
      return fail("its mask is neither none nor causal");
    unsigned left = of(0) & ~FromShift;
    unsigned right = op.getNumOperands() > 1 ? of(1) & ~FromShift : 0;
    if (isa<arith::SubIOp>(op) && (left | right) == (FromRow | FromColumn) &&
        left != right && left && right)
      return FromDifference;
    if (op.getNumOperands() == 1)
      return all;
    // A constant minus an index runs the other way.
    bool isShifted = right == 0 || (left == 0 && isa<arith::AddIOp>(op));
    return isShifted ? all | FromShift
                     : fail("its mask is neither none nor causal");
  }
  if (all & kIndices)
    return fail("its mask is neither none nor causal");
  if (isa<arith::MinSIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
          arith::SIToFPOp, arith::UIToFPOp, arith::SelectOp, arith::ExtUIOp>(
          op))
    return all;
  // A comparison tells what is masked with infinities, what mask a float is, or
  // where a row is largest. One with a bound would show at large scores only.
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    arith::CmpFPredicate predicate = compare.getPredicate();
    bool isEquality = predicate == arith::CmpFPredicate::OEQ ||
                      predicate == arith::CmpFPredicate::UEQ ||
                      predicate == arith::CmpFPredicate::UNO;
    bool ofScores = isEquality && (of(0) & kNumbers) && (of(1) & kNumbers);
    if ((all & kNumbers) && !ofScores && !isInfinite(compare.getRhs()) &&
        !isInfinite(compare.getLhs()))
      return failByOp();
    return ofScores ? all : FromMask;
  }
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op)) {
    bool joins =
        generic.getNumReductionLoops() > 0 &&
        llvm::is_contained(op.getOperands(),
                           Value(generic.getBody()->getArguments().back()));
    return joins || isInfinite(op.getOperand(0)) || isInfinite(op.getOperand(1))
               ? all
               : failByOp();
  }
  if (isa<math::ExpOp, math::Exp2Op>(op)) {
    code.hasExponential |= (all & FromScores) != 0;
    return all;
  }
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::NegFOp, arith::ExtFOp, arith::TruncFOp, math::LogOp>(op))
    return all;
  return failByOp();
}

AttentionCode lookAtAttention(Value end, linalg::GenericOp scores,
                              ArrayRef<unsigned> axes) {
  AttentionCode code;
  CodeReader(scores, code).visit(end, Axes(axes));
  return code;
}

} // namespace tpc::lower
