// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which operations of a function run once per microbatch, and proves
// with their sharding rules that they may.
//
// In program order, by the operands of an operation:
//   all Whole             it runs in front of the loop
//   some Rows             it runs in the loop; some strategy of its rule must
//                         have just these operands sharded over the microbatch.
//                         Its results are Rows, or Sum where the factor is a
//                         reduction by sum
//   sums, all of one      it runs in the loop: one accumulator then does for
//   jointly linear set    several summands (a parameter that is used twice)
//   other sums, or Behind it runs behind the loop, on the sums
// Rows together with sums need the whole batch twice, and are refused.

#include "Microbatches.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Dialect/TP/TP.h"

using namespace mlir;

namespace tpc::autodiff {

using Kind = BatchState::Kind;

Microbatches::Microbatches(func::FuncOp func, int64_t count)
    : func(func), count(count),
      mesh(llvm::cantFail(Mesh::get({{"microbatch", count}}))) {}

RankedTensorType Microbatches::microType(Type type, BatchState state) const {
  auto tensor = cast<RankedTensorType>(type);
  if (state.kind != Kind::Rows)
    return tensor;
  SmallVector<int64_t> shape(tensor.getShape());
  shape[state.dim] /= count;
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// True for a fill with zero, or a constant of zeros: any summand of zero.
static bool isZero(Value value) {
  if (matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()))
    return true;
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && isZero(fill.getInputs().front());
}

/// How many elements of `dim` belong to one element of its first factor of
/// more than one element, which is `factor`.
static int64_t countPerElement(const ShardingRule &rule,
                               const ShardingRule::Dim &dim, unsigned factor) {
  int64_t elements = 1;
  for (unsigned part : dim)
    if (part != factor)
      elements *= rule.factors[part].size;
  return elements;
}

/// True for the loops of a gather or scatter that are places an index tells: a
/// rank would leave out what lies in another's chunk, which a microbatch, whose
/// rows are no chunk, cannot.
static bool isIndexed(Operation *op, unsigned factor) {
  if (auto gather = dyn_cast<tp::GatherOp>(op))
    return factor >= gather.getType().getRank();
  if (auto scatter = dyn_cast<tp::ScatterOp>(op))
    return factor >= scatter.getUpdates().getType().getRank();
  return false;
}

/// Shards one factor over the microbatch, as `strategy` does. False where that
/// is not what the operands are.
bool Microbatches::addStep(Operation *op, const ShardingRule &rule,
                           const Strategy &strategy) {
  const Strategy::AxisChoice &choice = strategy.axes.front();
  // Between microbatches nothing is exchanged.
  if (choice.kind != Strategy::AxisChoice::Kind::Factor ||
      !strategy.ownSteps.empty() || isIndexed(op, choice.index))
    return false;
  MicrobatchStep step{op, {}, choice.index};
  auto shardDim = [](const Placement &placement) -> std::optional<unsigned> {
    const Placement::Entry *entry = placement.find(0);
    return entry && entry->isShard() ? std::optional(entry->dim) : std::nullopt;
  };
  std::optional<int64_t> perRow;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    BatchState state = get(operand);
    if (state.kind != Kind::Rows)
      continue;
    if (shardDim(strategy.operands[index]) != state.dim)
      return false;
    int64_t behind =
        countPerElement(rule, rule.operands[index][state.dim], choice.index);
    if (state.perRow % behind || (perRow && *perRow != state.perRow / behind))
      return false;
    perRow = state.perRow / behind;
  }
  if (!perRow)
    return false;
  step.perRow = *perRow;
  auto rowsOf = [&](const ShardingRule::Tensor &tensor, unsigned dim) {
    return BatchState{Kind::Rows, dim,
                      *perRow *
                          countPerElement(rule, tensor[dim], choice.index)};
  };
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (get(operand).kind != Kind::Whole ||
        !isa<RankedTensorType>(operand.getType()))
      continue;
    const Placement &placement = strategy.operands[index];
    if (std::optional<unsigned> dim = shardDim(placement))
      step.cuts.push_back({index, rowsOf(rule.operands[index], *dim)});
    else if (!placement.isReplicated() && !isZero(operand))
      return false;
  }
  SmallVector<BatchState> results;
  for (auto [tensor, placement] :
       llvm::zip_equal(rule.results, strategy.results)) {
    const Placement::Entry *entry = placement.find(0);
    if (entry && entry->isPartial() && entry->reduction == Reduction::Sum)
      results.push_back({Kind::Sum});
    else if (entry && entry->isShard())
      results.push_back(rowsOf(tensor, entry->dim));
    else
      return false;
  }
  for (auto [result, state] : llvm::zip_equal(op->getResults(), results))
    states[result] = state;
  steps.push_back(std::move(step));
  return true;
}

bool Microbatches::addSumOfSums(Operation *op, const ShardingRule &rule) {
  SmallVector<unsigned, 2> sums;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (get(operand).kind == Kind::Sum)
      sums.push_back(index);
  if (sums.size() < 2 || !llvm::is_contained(rule.linear, sums))
    return false;
  for (Value result : op->getResults())
    states[result] = {Kind::Sum};
  steps.push_back({op, {}, std::nullopt});
  return true;
}

/// Says what the operands are, which is why the batch cannot be split here.
LogicalResult Microbatches::refuse(Operation *op) {
  InFlightDiagnostic diag = op->emitError("--accumulate: '")
                            << op->getName() << "' needs the whole batch";
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      BatchState state = get(operand);
      std::string name = tp::getUserName(operand);
      if (state.kind == Kind::Rows)
        diag.attachNote(operand.getLoc())
            << "'" << name << "' has the rows of a microbatch along dim "
            << state.dim;
      else if (state.kind != Kind::Whole)
        diag.attachNote(operand.getLoc())
            << "'" << name << "' is known when all microbatches are summed";
    }
  });
  return diag;
}

LogicalResult Microbatches::classify(Operation *op) {
  bool anyRows = false, anySum = false, anyBehind = false;
  // Regions may read values of the function.
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Kind kind = get(operand).kind;
      anyRows |= kind == Kind::Rows;
      anySum |= kind == Kind::Sum;
      anyBehind |= kind == Kind::Behind;
    }
  });
  if (!anyRows && !anySum && !anyBehind)
    return success();
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  if (anyRows) {
    if (anySum || anyBehind)
      return refuse(op);
    if (isa<tp::ConstrainOp>(op)) {
      states[op->getResult(0)] = get(op->getOperand(0));
      steps.push_back({op, {}, std::nullopt});
      return success();
    }
    if (!rules && op->getNumRegions())
      return op->emitError("unsupported: --accumulate does not look into '")
             << op->getName()
             << "', which works on rows of the batch; write the loop over "
                "microbatches in the model";
    if (!rules)
      return refuse(op);
    FailureOr<ShardingRule> rule = rules.getShardingRule();
    if (failed(rule))
      return failure();
    for (const Strategy &strategy :
         enumerateStrategies(*rule, mesh, {{0}}, /*minFactorSize=*/0))
      if (addStep(op, *rule, strategy))
        return success();
    return refuse(op);
  }
  if (rules && !anyBehind) {
    FailureOr<ShardingRule> rule = rules.getShardingRule();
    if (failed(rule))
      return failure();
    if (addSumOfSums(op, *rule))
      return success();
  }
  behind.push_back(op);
  for (Value result : op->getResults())
    states[result] = {Kind::Behind};
  return success();
}

LogicalResult Microbatches::classify(ArrayRef<unsigned> batchArguments) {
  for (unsigned index : batchArguments)
    states[func.getArgument(index)] = {Kind::Rows};
  bool ok = true;
  for (Operation &op : func.getBody().front().without_terminator())
    if (failed(classify(&op))) {
      ok = false;
      // One error for each cause: what follows is taken to be fine.
      for (Value result : op.getResults())
        states[result] = {Kind::Whole};
    }
  return success(ok);
}

} // namespace tpc::autodiff
