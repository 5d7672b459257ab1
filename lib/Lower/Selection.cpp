// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves that a body keeps one of the elements that it sees by trying it out.
//
// What is carried and what a point brings are tuples, a value per output. Where
// the body only compares, chooses, and takes minima and maxima, what it does
// with four tuples depends on which of their values are less, equal or NaN, and
// not on the values. So four numbers and a NaN stand for all values (of two
// zeros it is not promised which is left over), and trying all tuples of them
// is a proof. One output must number the points of the only reduction in order
// (`linalg.index`), so that of any two tuples it is known which came first. For
// every initial tuple, the candidates are those that replace it; shown are,
// with h for the body,
//   h(x, y) is x or y;
//   of three candidates h leaves the same one in whatever order they are
//   joined, the earlier one always on the left;
//   a candidate is not replaced by what is none.
// So what is left over at the end, and of each share of the points, is the
// greatest candidate, or the initial tuple where there is none. That is before
// all others: its number is a constant that is not greater than the first
// point's.
#include "Selection.h"
#include "EmitPoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <cmath>

using namespace mlir;

namespace tpc::lower {

namespace {

constexpr unsigned kOutputs = 2;
/// The class of conditions; others are the numbers of outputs.
constexpr unsigned kCondition = ~0u;

/// Tries the operations of a selection out.
class Trial {
public:
  explicit Trial(const Selection &selection) : selection(selection) {}

  /// Gives every value the output whose values it is one of; false where the
  /// operations do more than compare and choose.
  bool classify(Operation *yield);
  bool proves();

private:
  /// A float by its value, an integer as one.
  using Tuple = SmallVector<double, kOutputs>;

  bool classify(Operation &op);
  Tuple apply(const Tuple &carried, const Tuple &candidate) const;
  double evaluate(Operation &op, ArrayRef<double> operands) const;
  static bool equal(const Tuple &x, const Tuple &y);
  /// The earlier one on the left.
  Tuple join(const Tuple &x, const Tuple &y) const {
    bool inOrder = x[selection.order] < y[selection.order];
    return inOrder ? apply(x, y) : apply(y, x);
  }
  SmallVector<Tuple> tuplesNumbered(double number) const;
  bool keepsOne(const Tuple &x, const Tuple &y) const {
    Tuple kept = apply(x, y);
    return equal(kept, x) || equal(kept, y);
  }
  bool provesFrom(const Tuple &init) const;

  const Selection &selection;
  SmallVector<Value> yielded;
  DenseMap<Value, unsigned> classes;
  /// Per output: compared as unsigned, as signed.
  bool isUnsigned[kOutputs] = {}, isSigned[kOutputs] = {};
};

bool Trial::classify(Operation &op) {
  SmallVector<unsigned> operands;
  for (Value operand : op.getOperands()) {
    auto known = classes.find(operand);
    if (known == classes.end())
      return false;
    operands.push_back(known->second);
  }
  unsigned &result = classes[op.getResult(0)];
  if (isa<arith::ConstantOp>(op)) {
    result = kCondition;
    return op.getResult(0).getType().isInteger(1);
  }
  if (isa<arith::SelectOp>(op)) {
    result = operands[1];
    return operands[0] == kCondition && operands[1] == operands[2];
  }
  if (operands.size() != 2 || operands[0] != operands[1])
    return false;
  unsigned both = operands[0];
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    result = kCondition;
    return both == kCondition;
  }
  if (both == kCondition)
    return false;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    P predicate = compare.getPredicate();
    isSigned[both] |=
        llvm::is_contained({P::slt, P::sle, P::sgt, P::sge}, predicate);
    isUnsigned[both] |=
        llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
    result = kCondition;
    return true;
  }
  if (isa<arith::CmpFOp>(op)) {
    result = kCondition;
    return true;
  }
  result = both;
  isSigned[both] |= isa<arith::MaxSIOp, arith::MinSIOp>(op);
  isUnsigned[both] |= isa<arith::MaxUIOp, arith::MinUIOp>(op);
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
             arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op);
}

bool Trial::classify(Operation *yield) {
  yielded = llvm::to_vector(yield->getOperands());
  for (unsigned output = 0; output < selection.carried.size(); ++output) {
    classes[selection.carried[output]] = output;
    classes[selection.candidates[output]] = output;
  }
  for (Operation *op : selection.operations)
    if (!classify(*op))
      return false;
  for (unsigned output = 0; output < selection.carried.size(); ++output)
    if (isSigned[output] && isUnsigned[output])
      return false;
  return !isUnsigned[selection.order];
}

double Trial::evaluate(Operation &op, ArrayRef<double> operands) const {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return cast<IntegerAttr>(constant.getValue()).getValue().getBoolValue();
  if (isa<arith::SelectOp>(op))
    return operands[0] != 0 ? operands[1] : operands[2];
  double x = operands[0], y = operands[1];
  bool isNone = std::isnan(x) || std::isnan(y);
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    APFloat lhs(x), rhs(y);
    return arith::applyCmpPredicate(compare.getPredicate(), lhs, rhs);
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    // The numbers of an output that is compared as unsigned are so, too.
    APInt lhs(8, int64_t(x), /*isSigned=*/true),
        rhs(8, int64_t(y), /*isSigned=*/true);
    return arith::applyCmpPredicate(compare.getPredicate(), lhs, rhs);
  }
  if (isa<arith::AndIOp>(op))
    return x != 0 && y != 0;
  if (isa<arith::OrIOp>(op))
    return x != 0 || y != 0;
  if (isa<arith::XOrIOp>(op))
    return (x != 0) != (y != 0);
  if (isa<arith::MaximumFOp>(op))
    return isNone ? NAN : std::max(x, y);
  if (isa<arith::MinimumFOp>(op))
    return isNone ? NAN : std::min(x, y);
  if (isa<arith::MaxSIOp>(op))
    return std::max(x, y);
  if (isa<arith::MinSIOp>(op))
    return std::min(x, y);
  bool less = uint8_t(int8_t(x)) < uint8_t(int8_t(y));
  return isa<arith::MaxUIOp>(op) == less ? y : x;
}

Trial::Tuple Trial::apply(const Tuple &carried, const Tuple &candidate) const {
  DenseMap<Value, double> values;
  for (unsigned output = 0; output < carried.size(); ++output) {
    values[selection.carried[output]] = carried[output];
    values[selection.candidates[output]] = candidate[output];
  }
  for (Operation *op : selection.operations) {
    SmallVector<double> operands;
    for (Value operand : op->getOperands())
      operands.push_back(values.lookup(operand));
    values[op->getResult(0)] = evaluate(*op, operands);
  }
  Tuple result;
  for (Value value : yielded)
    result.push_back(values.lookup(value));
  return result;
}

bool Trial::equal(const Tuple &x, const Tuple &y) {
  return llvm::all_of_zip(x, y, [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  });
}

SmallVector<Trial::Tuple> Trial::tuplesNumbered(double number) const {
  SmallVector<Tuple> tuples = {Tuple()};
  for (unsigned output = 0; output < selection.carried.size(); ++output) {
    SmallVector<double> values = {-2.0, -1.0, 0.0, 1.0};
    if (output == selection.order)
      values = {number};
    else if (isa<FloatType>(selection.carried[output].getType()))
      values.push_back(NAN);
    SmallVector<Tuple> longer;
    for (const Tuple &tuple : tuples)
      for (double value : values) {
        longer.push_back(tuple);
        longer.back().push_back(value);
      }
    tuples = std::move(longer);
  }
  return tuples;
}

bool Trial::provesFrom(const Tuple &init) const {
  auto replaces = [&](const Tuple &tuple) {
    return !equal(apply(init, tuple), init);
  };
  SmallVector<Tuple> candidates[3];
  for (unsigned number = 0; number < 3; ++number)
    for (const Tuple &tuple : tuplesNumbered(number)) {
      if (!keepsOne(init, tuple))
        return false;
      if (!replaces(tuple))
        continue;
      candidates[number].push_back(tuple);
      // Shares meet in either order where they have one number.
      if (init[selection.order] == number && !equal(apply(tuple, init), tuple))
        return false;
    }
  for (const Tuple &x : candidates[0]) {
    for (const Tuple &y : tuplesNumbered(1))
      if (!keepsOne(x, y) || (!replaces(y) && !equal(apply(x, y), x)))
        return false;
    for (const Tuple &y : candidates[1])
      for (const Tuple &z : candidates[2]) {
        Tuple inOrder = apply(apply(x, y), z);
        if (!equal(inOrder, join(x, apply(y, z))) ||
            !equal(inOrder, join(apply(x, z), y)))
          return false;
      }
  }
  return true;
}

bool Trial::proves() {
  // Numbered as the first point is, or lower.
  for (double number : {0.0, -1.0})
    for (const Tuple &init : tuplesNumbered(number))
      if (!provesFrom(init))
        return false;
  return true;
}

/// Whether `value` is the index of dim `dim`, in a type that holds it.
bool isIndexOf(Value value, unsigned dim, int64_t extent) {
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(op))
    return index.getDim() == dim;
  if (!isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                       arith::ExtUIOp, arith::TruncIOp>(op))
    return false;
  unsigned width =
      value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth();
  bool fits = width >= 63 || extent <= int64_t(1) << (width - 1);
  return fits && isIndexOf(op->getOperand(0), dim, extent);
}

/// Adds the value that `value` chooses beside `carried` to `found`.
bool findCandidate(Value value, Value carried,
                   const llvm::SmallPtrSetImpl<Operation *> &depends,
                   Value &found) {
  if (value == carried || value == found)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !depends.contains(op)) {
    bool isFirst = !found;
    found = isFirst ? value : found;
    return isFirst;
  }
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return operand.getType() != value.getType() ||
           findCandidate(operand, carried, depends, found);
  });
}

/// Collects what `value` is computed by, from `leaves` on; false where it needs
/// something else.
bool collectSlice(Value value, const DenseSet<Value> &leaves,
                  llvm::SmallPtrSetImpl<Operation *> &slice) {
  if (leaves.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || op->getNumResults() != 1)
    return false;
  if (!slice.insert(op).second)
    return true;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return collectSlice(operand, leaves, slice);
  });
}

} // namespace

std::optional<Selection> findSelection(const Nest &nest) {
  unsigned count = nest.outputs.size();
  if (!nest.body || count != kOutputs)
    return std::nullopt;
  std::optional<unsigned> dim;
  for (auto [number, extent] : llvm::enumerate(nest.extents)) {
    if (!nest.reduction[number] || extent == 1)
      continue;
    if (dim)
      return std::nullopt;
    dim = number;
  }
  if (!dim)
    return std::nullopt;

  Block &body = nest.body->front();
  Operation *yield = body.getTerminator();
  Selection selection;
  llvm::SmallPtrSet<Operation *, 8> depends;
  for (auto [number, output] : llvm::enumerate(nest.outputs)) {
    if (!output.accumulated || output.scan != Nest::Output::Scan::None)
      return std::nullopt;
    Value carried = body.getArgument(nest.inputs.size() + number);
    Type type = carried.getType();
    // Values of one bit are conditions, and sums of 16 bits are widened.
    if (type.isInteger(1) || (isHalf(type) && findJoin(nest, number)))
      return std::nullopt;
    selection.carried.push_back(carried);
  }
  for (Operation &op : body.without_terminator())
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return llvm::is_contained(selection.carried, operand) ||
                 (operand.getDefiningOp() &&
                  depends.contains(operand.getDefiningOp()));
        }))
      depends.insert(&op);
  std::optional<unsigned> order;
  DenseSet<Value> leaves(selection.carried.begin(), selection.carried.end());
  for (unsigned number = 0; number < count; ++number) {
    Value candidate;
    if (!findCandidate(yield->getOperand(number), selection.carried[number],
                       depends, candidate) ||
        !candidate || !leaves.insert(candidate).second)
      return std::nullopt;
    selection.candidates.push_back(candidate);
    const Nest::Source &init = nest.outputs[number].init;
    if (order || init.kind != Nest::Source::Kind::Scalar ||
        !isIndexOf(candidate, *dim, nest.extents[*dim]))
      continue;
    auto start = dyn_cast<Attribute>(nest.scalars[init.number]);
    auto integer = dyn_cast_if_present<IntegerAttr>(start);
    if (integer && !integer.getValue().isStrictlyPositive())
      order = number;
  }
  if (!order)
    return std::nullopt;
  selection.order = *order;
  llvm::SmallPtrSet<Operation *, 8> slice;
  for (Value yielded : yield->getOperands())
    if (!collectSlice(yielded, leaves, slice))
      return std::nullopt;
  for (Operation &op : body.without_terminator())
    if (slice.contains(&op))
      selection.operations.push_back(&op);
  Trial trial(selection);
  if (!trial.classify(yield) || !trial.proves())
    return std::nullopt;
  return selection;
}

} // namespace tpc::lower
