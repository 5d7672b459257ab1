// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks a placed function and compares, operation by operation, what the ranks
// hold with the global program.

#include "Simulation.h"
#include "LocalCode.h"
#include "Operations.h"
#include "Placements.h"
#include "Windows.h"
#include "tpc/Interfaces/Interfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace tpc::simulate {

FailureOr<Held> Simulation::holdingOf(Operation *op, Value value) {
  Held held;
  held.type = value.getType();
  if (!isa<TensorType>(held.type))
    return held;
  tp::PlacementAttr placement = tp::getPlacement(held.type);
  if (!placement)
    return op->emitError("expected a placed program, as it is behind the plan "
                         "or the redistribute stage, got ")
           << held.type;
  held.placement = placement.resolve(mesh);
  return held;
}

/// Integers may be indices: those reach every chunk of what they point into,
/// and beyond it.
static int64_t largestInteger(func::FuncOp func) {
  int64_t largest = 3;
  func.walk([&](tp::IndexedOpInterface op) {
    for (int64_t length :
         cast<RankedTensorType>(op.getIndexed().getType()).getShape())
      largest = std::max(largest, length);
  });
  return largest;
}

LogicalResult Simulation::makeArguments() {
  int64_t largest = largestInteger(func);
  for (BlockArgument argument : func.getArguments()) {
    FailureOr<Held> held = holdingOf(func, argument);
    if (failed(held))
      return failure();
    values[argument] =
        makeArgument(held->type, held->placement, mesh, argument.getArgNumber(),
                     largest, options.arguments);
  }
  return success();
}

LogicalResult Simulation::run() {
  if (failed(makeArguments()))
    return failure();
  return runBlock(func.getBody().front());
}

LogicalResult Simulation::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult Simulation::visit(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tp::RedistributeOp, tp::CollectiveOpInterface>(
          [&](auto change) { return changePlacements(change); })
      .Case([&](tp::ManualOp manual) { return runManual(manual); })
      .Case([&](scf::ForOp loop) { return runFor(loop); })
      .Case([&](scf::IfOp branch) { return runIf(branch); })
      .Default([&](Operation *other) { return compute(other); });
}

/// What an operation that exchanges data itself gets of an operand: all of it;
/// of a dim that a structured operation reads through a plain loop index, the
/// chunk that is held.
static Box wantedOf(OpOperand &operand, const Held &held, int64_t rank) {
  Box box = wholeBox(held.shape());
  auto structured = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!structured)
    return box;
  AffineMap map = structured.getMatchingIndexingMap(&operand);
  for (auto [wanted, own, expr] :
       llvm::zip_equal(box, held.ranks[rank].box, map.getResults()))
    if (isa<AffineDimExpr>(expr))
      wanted = own;
  return box;
}

SmallVector<std::vector<Piece>>
Simulation::fetch(Operation *op, ArrayRef<Held> results) const {
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  if (!options.exchange || !rules)
    return {};
  FailureOr<ShardingRule> rule = rules.getShardingRule();
  if (failed(rule) || !rule->ownSteps)
    return {};
  // Along axes over which the result becomes partial every rank keeps its part
  // and has zeros elsewhere; along the others it gets what it lacks.
  SmallVector<unsigned> begun = results[0].placement.partialAxes();
  for (Value operand : op->getOperands())
    llvm::erase_if(begun, [&](unsigned axis) {
      return values.find(operand)->second.placement.isPartial(axis);
    });
  SmallVector<std::vector<Piece>> fetched;
  for (OpOperand &operand : op->getOpOperands()) {
    const Held &held = values.find(operand.get())->second;
    SmallVector<unsigned> axes;
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
      if (!held.placement.isPartial(axis) && !llvm::is_contained(begun, axis))
        axes.push_back(axis);
    Scalar missing =
        begun.empty() ? Scalar() : neutral(Reduction::Sum, held.elementType());
    std::vector<Piece> &pieces = fetched.emplace_back();
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
      pieces.emplace_back(wantedOf(operand, held, rank));
      gather(mesh, held, rank, axes, missing, pieces.back());
    }
  }
  return fetched;
}

LogicalResult Simulation::compute(Operation *op) {
  OperationEvaluator evaluator(op);
  if (failed(evaluator.prepare()))
    return failure();
  SmallVector<Held> results;
  for (Value result : op->getResults()) {
    FailureOr<Held> held = holdingOf(op, result);
    if (failed(held))
      return failure();
    results.push_back(std::move(*held));
  }
  SmallVector<std::vector<Piece>> fetched = fetch(op, results);
  for (int64_t who = -1; who < mesh.numRanks(); ++who) {
    SmallVector<Piece> pieces;
    for (const Held &held : results)
      pieces.emplace_back(who < 0
                              ? wholeBox(held.shape())
                              : boxOf(mesh, held.placement, held.shape(), who));
    auto lookup = [&](Value value) -> const Piece & {
      const Held &held = values.find(value)->second;
      if (who < 0)
        return held.global;
      auto operand = llvm::find(op->getOperands(), value);
      size_t number = operand - op->operand_begin();
      return number < fetched.size() ? fetched[number][who] : held.ranks[who];
    };
    if (failed(evaluator.evaluate(lookup, pieces)))
      return failure();
    for (auto [held, piece] : llvm::zip_equal(results, pieces)) {
      if (who < 0)
        held.global = std::move(piece);
      else
        held.ranks.push_back(std::move(piece));
    }
  }
  for (Held &held : results) {
    held.exact = evaluator.isExact();
    for (Value operand : op->getOperands())
      held.exact &= values.find(operand)->second.exact;
  }
  return keep(op, results);
}

/// The axes a change of placement works on: all of them for a redistribute.
static SmallVector<unsigned> axesOf(Operation *op, const Mesh &mesh) {
  SmallVector<unsigned> axes;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    auto collective = dyn_cast<tp::CollectiveOpInterface>(op);
    if (!collective ||
        llvm::any_of(collective.getAxes().getAsValueRange<StringAttr>(),
                     [&](StringRef name) { return name == mesh.name(axis); }))
      axes.push_back(axis);
  }
  return axes;
}

LogicalResult Simulation::changePlacements(Operation *op) {
  SmallVector<unsigned> axes = axesOf(op, mesh);
  SmallVector<Held> results;
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    FailureOr<Held> held = holdingOf(op, result);
    if (failed(held))
      return failure();
    const Held &from = values.find(operand)->second;
    if (auto window = dyn_cast<tp::WindowOp>(op)) {
      moveWindow(window, result.getResultNumber(), mesh, from, *held);
      results.push_back(std::move(*held));
      continue;
    }
    held->global = from.global;
    held->exact = from.exact;
    held->ranks = move(mesh, cast<RankedTensorType>(held->type), from.ranks,
                       from.placement, held->placement, axes);
    results.push_back(std::move(*held));
  }
  return keep(op, results);
}

LogicalResult Simulation::runManual(tp::ManualOp op) {
  LocalCode code(mesh);
  for (auto [operand, argument] :
       llvm::zip_equal(op.getInputs(), op.getBody().getArguments()))
    code.setBuffers(argument, values.find(operand)->second.ranks);
  if (failed(code.run(op.getBody().front())))
    return failure();
  SmallVector<Held> results;
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [index, result] : llvm::enumerate(op.getOutputs())) {
    FailureOr<Held> held = holdingOf(op, result);
    if (failed(held))
      return failure();
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
      held->ranks.push_back(
          code.takeBuffer(yield->getOperand(index), rank,
                          boxOf(mesh, held->placement, held->shape(), rank)));
    // Per-rank code has no global program: what the ranks give is the value, if
    // it is one.
    std::string difference = assemble(*held, mesh);
    if (!difference.empty())
      return reportDifference(op, index, difference);
    held->exact = code.isExact();
    for (Value operand : op.getInputs())
      held->exact &= values.find(operand)->second.exact;
    results.push_back(std::move(*held));
  }
  return keep(op, results);
}

void Simulation::setIndex(Value value, int64_t index) {
  Held held;
  held.type = value.getType();
  held.global = Piece::ofScalar(Scalar::ofInteger(index));
  held.ranks.assign(mesh.numRanks(), held.global);
  values[value] = std::move(held);
}

SmallVector<Held> Simulation::yieldedBy(Block &block) const {
  SmallVector<Held> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(values.find(value)->second);
  return yielded;
}

LogicalResult Simulation::runFor(scf::ForOp op) {
  SmallVector<Held> carried;
  for (Value init : op.getInitArgs())
    carried.push_back(values.find(init)->second);
  int64_t end = integerOf(op.getUpperBound()), step = integerOf(op.getStep());
  for (int64_t i = integerOf(op.getLowerBound()); i < end; i += step) {
    setIndex(op.getInductionVar(), i);
    for (auto [argument, held] :
         llvm::zip_equal(op.getRegionIterArgs(), carried))
      values[argument] = std::move(held);
    iterations.push_back({op, i});
    if (failed(runBlock(*op.getBody())))
      return failure();
    iterations.pop_back();
    carried = yieldedBy(*op.getBody());
  }
  return keep(op, carried);
}

LogicalResult Simulation::runIf(scf::IfOp op) {
  // All ranks agree on the condition: it has been compared.
  bool taken = integerOf(op.getCondition()) & 1;
  Block &block =
      taken ? op.getThenRegion().front() : op.getElseRegion().front();
  if (failed(runBlock(block)))
    return failure();
  SmallVector<Held> results = yieldedBy(block);
  return keep(op, results);
}

LogicalResult Simulation::reportDifference(Operation *op, unsigned result,
                                           StringRef difference) {
  InFlightDiagnostic diagnostic = op->emitError("result #")
                                  << result << ": " << difference;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (tp::PlacementAttr placement = tp::getPlacement(operand.getType()))
      diagnostic.attachNote(operand.getLoc())
          << "operand #" << index << " is placed " << placement.str()
          << " and agrees";
  for (auto [loop, iteration] : iterations)
    diagnostic.attachNote(loop->getLoc())
        << "in iteration " << iteration << " of this loop";
  return diagnostic;
}

/// False for scalars, and for tensors of undefined elements and NaNs alone:
/// nothing could differ from them.
static bool saysSomething(const Held &held) {
  bool isFloat = isa<FloatType>(held.elementType());
  return isa<TensorType>(held.type) &&
         llvm::any_of(held.global.elements, [&](Scalar scalar) {
           return scalar.defined && !(isFloat && std::isnan(scalar.real));
         });
}

LogicalResult Simulation::keep(Operation *op, MutableArrayRef<Held> held) {
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    std::string difference = findDifference(held[index], mesh);
    if (!difference.empty())
      return reportDifference(op, index, difference);
    if (saysSomething(held[index]))
      compared.insert(op);
    values[result] = std::move(held[index]);
  }
  return success();
}

} // namespace tpc::simulate
