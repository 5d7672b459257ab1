// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves the planning problem of a function and writes the answer into it.
//
// Decide: PlanGraph states the problem, solvePlan answers it. Apply: every type
// gets its placement; a value needed in another placement is redistributed in
// front of its first use, where later uses find it.

#include "Explain.h"
#include "PlanFile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "tpc/Dialect/TP/Redistributor.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Plan/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

namespace tpc {
#define GEN_PASS_DEF_PLANPLACEMENTSPASS
#include "tpc/Plan/Passes.h.inc"
} // namespace tpc

using namespace mlir;
using namespace tpc;

/// Redistributes beyond this many are not priced against the next best plan:
/// each price is a solve of its own.
static constexpr size_t kMaxAlternatives = 64;

namespace {

/// Writes a solved plan into its function.
class PlanWriter {
public:
  PlanWriter(PlanGraph &graph, const PlanSolution &solution, bool alternatives)
      : graph(graph), solution(solution), alternatives(alternatives),
        builder(graph.function().getContext()),
        symbol(FlatSymbolRefAttr::get(graph.meshOp().getSymNameAttr())) {}

  void write();

private:
  tp::PlacementAttr attr(const Placement &placement) {
    return tp::PlacementAttr::get(builder.getContext(), symbol, graph.mesh(),
                                  placement);
  }
  Type placed(Type type, const Placement &placement) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return tp::withPlacement(tensor, attr(placement));
    return type;
  }
  /// The SSA value of `value` in placement `id`, made here when new.
  Value version(int value, int id);
  /// A copy of a free producer's value, placed as needed.
  Value freshCopy(Operation *producer, const Placement &placement);
  void setOperand(OpOperand &operand, const Placement &placement);
  void writeOperation(const PlanNode &node, const Strategy &strategy);
  std::string nextBest(int value, int id);

  PlanGraph &graph;
  const PlanSolution &solution;
  bool alternatives;
  OpBuilder builder;
  FlatSymbolRefAttr symbol;
  std::map<std::pair<int, int>, Value> versions;
  std::map<int, RedistributionTree> trees;
  SmallVector<Operation *> copied;
  Operation *user = nullptr;
  size_t numPriced = 0;
};

} // namespace

/// Gives the value of a constant the type of its result, placement and all.
static void retypeConstant(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (auto dense = op->getAttrOfType<DenseElementsAttr>("value"))
    op->setAttr("value",
                DenseElementsAttr::getFromRawBuffer(type, dense.getRawData()));
  else if (auto resource =
               op->getAttrOfType<DenseResourceElementsAttr>("value"))
    op->setAttr("value",
                DenseResourceElementsAttr::get(type, resource.getRawHandle()));
}

Value PlanWriter::version(int value, int id) {
  auto found = versions.find({value, id});
  if (found != versions.end())
    return found->second;

  Value original = graph.valueNumbers.begin()[value].first;
  auto type = cast<RankedTensorType>(original.getType());
  int produced = graph.producedBy(value, solution.choice);
  auto [slot, isNew] = trees.try_emplace(value);
  RedistributionTree &tree = slot->second;
  if (isNew)
    tree = graph.treeOf(value, solution.choice);
  size_t position =
      llvm::find(tree.made, graph.placement(id)) - tree.made.begin();
  assert(position < tree.made.size() && "the tree makes all that is needed");
  int parent = tree.parents[position];
  int from = parent < 0 ? produced : graph.intern(tree.made[parent]);
  Value source = version(value, from);

  Operation *producer = original.getDefiningOp();
  bool backward = (producer && tp::getPhase(producer) == "backward") ||
                  (user && tp::getPhase(user) == "backward");
  Location loc = producer ? producer->getLoc()
                 : user   ? user->getLoc()
                          : original.getLoc();
  auto op = tp::RedistributeOp::create(
      builder, loc, placed(type, graph.placement(id)), source);
  if (backward)
    op->setAttr(tp::TPDialect::kPhase, builder.getStringAttr("backward"));
  op->setAttr(tp::TPDialect::kValue,
              builder.getStringAttr(tp::getUserName(original)));
  std::string why = explainMove(graph, solution.choice, value, produced, id);
  if (from != produced)
    why += "; made from the copy in " + graph.placement(from).str(graph.mesh());
  const RedistributionPlan *plan =
      graph.paths().plan(type.getShape(), tp::getElementBytes(type),
                         graph.placement(from), graph.placement(id));
  if (plan && plan->collectives) {
    why += nextBest(value, id);
    op->setAttr("tp.lower_bound",
                builder.getI64IntegerAttr(plan->lowerBoundBytes));
  }
  op->setAttr(tp::TPDialect::kWhy, builder.getStringAttr(why));
  return versions[{value, id}] = op.getOutput();
}

std::string PlanWriter::nextBest(int value, int id) {
  if (!alternatives || numPriced == kMaxAlternatives)
    return "";
  ++numPriced;
  llvm::Expected<PlanSolution> other =
      solvePlan(graph.makeProblem(std::make_pair(value, id)));
  if (!other) {
    llvm::consumeError(other.takeError());
    return "; no plan can do without it";
  }
  Objective objective = graph.paths().objective();
  std::string price = formatCost(objective, other->cost);
  std::string here = formatCost(objective, solution.cost);
  if (price == here)
    return "; plans that move something else here cost no less (" + here + ")";
  return "; without it the cheapest plan costs " + price + " instead of " +
         here;
}

Value PlanWriter::freshCopy(Operation *producer, const Placement &placement) {
  // Every rank makes its part; a partial whose neutral element it is not is
  // made from a replicated one.
  Placement made = placement;
  for (const Placement::Entry &entry : placement.entries())
    if (entry.isPartial() &&
        producer->getName().getStringRef() != "tensor.empty" &&
        !PlanGraph::isNeutral(producer, entry.reduction))
      made = made.withReplicated(entry.axis);
  IRMapping mapping;
  // The destination of a fill is itself a free producer.
  for (Value operand : producer->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      if (Operation *inner = operand.getDefiningOp();
          inner && PlanGraph::isFreeProducer(inner))
        mapping.map(operand, freshCopy(inner, made));
  Operation *copy = builder.clone(*producer, mapping);
  Value result = copy->getResult(0);
  result.setType(placed(result.getType(), made));
  retypeConstant(copy);
  if (user && tp::getPhase(user) == "backward")
    copy->setAttr(tp::TPDialect::kPhase, builder.getStringAttr("backward"));
  if (made == placement)
    return result;
  auto op = tp::RedistributeOp::create(
      builder, producer->getLoc(), placed(result.getType(), placement), result);
  op->setAttr(tp::TPDialect::kWhy,
              builder.getStringAttr("a constant, counted once"));
  return op.getOutput();
}

void PlanWriter::setOperand(OpOperand &operand, const Placement &placement) {
  auto it = graph.valueNumbers.find(operand.get());
  if (it != graph.valueNumbers.end()) {
    operand.set(version(it->second, graph.intern(placement)));
    return;
  }
  Operation *producer = operand.get().getDefiningOp();
  if (producer && PlanGraph::isFreeProducer(producer))
    operand.set(freshCopy(producer, placement));
}

void PlanWriter::writeOperation(const PlanNode &node,
                                const Strategy &strategy) {
  Operation *op = node.op;
  user = op;
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    bool shapeOnly =
        node.rule && node.rule->roles[operand.getOperandNumber()] ==
                         ShardingRule::Role::Shape;
    const Placement &placement = strategy.operands[operand.getOperandNumber()];
    if (shapeOnly) {
      // Only the shape matters: no rank needs the value that was there.
      auto type = cast<RankedTensorType>(operand.get().getType());
      OperationState state(op->getLoc(), "tensor.empty");
      state.addTypes(
          placed(RankedTensorType::get(type.getShape(), type.getElementType()),
                 placement));
      operand.set(builder.create(state)->getResult(0));
      if (Attribute phase = op->getAttr(tp::TPDialect::kPhase))
        operand.get().getDefiningOp()->setAttr(tp::TPDialect::kPhase, phase);
      continue;
    }
    setOperand(operand, placement);
  }
  if (auto constrain = dyn_cast<tp::ConstrainOp>(op)) {
    // The pin is met: its value is the operand in that placement.
    versions[{graph.valueNumbers.lookup(constrain.getOutput()),
              graph.intern(strategy.results[0])}] = constrain.getInput();
    copied.push_back(op);
    return;
  }
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType())) {
      const Placement &placement = strategy.results[result.getResultNumber()];
      result.setType(placed(result.getType(), placement));
      retypeConstant(op);
      versions[{graph.valueNumbers.lookup(result), graph.intern(placement)}] =
          result;
    }
}

void PlanWriter::write() {
  func::FuncOp func = graph.function();
  Block &body = func.getBody().front();
  SmallVector<Operation *> freeProducers;
  for (Operation &op : body)
    if (PlanGraph::isFreeProducer(&op))
      freeProducers.push_back(&op);

  Operation *terminator = body.getTerminator();
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    const Strategy &strategy = node.strategies[solution.choice[number]];
    switch (node.kind) {
    case PlanNode::Kind::Argument: {
      BlockArgument arg = func.getArgument(node.index);
      int value = graph.valueNumbers.lookup(arg);
      arg.setType(placed(arg.getType(), strategy.results[0]));
      versions[{value, graph.intern(strategy.results[0])}] = arg;
      func.setArgAttr(node.index, tp::TPDialect::kPlacement,
                      attr(strategy.results[0]));
      break;
    }
    case PlanNode::Kind::Operation:
    case PlanNode::Kind::Fixed:
      writeOperation(node, strategy);
      break;
    case PlanNode::Kind::Result: {
      user = nullptr;
      builder.setInsertionPoint(terminator);
      setOperand(terminator->getOpOperand(node.index), strategy.operands[0]);
      func.setResultAttr(node.index, tp::TPDialect::kPlacement,
                         attr(strategy.operands[0]));
      break;
    }
    }
  }
  for (Operation *op : llvm::reverse(copied))
    op->erase();
  for (Operation *op : llvm::reverse(freeProducers))
    if (op->use_empty())
      op->erase();
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         body.getArgumentTypes(),
                                         terminator->getOperandTypes()));
}

/// One error on the function and a note at each pin that cannot be met.
static LogicalResult reportConflict(PlanGraph &graph, llvm::Error error) {
  std::vector<int> nodes;
  std::string other;
  llvm::handleAllErrors(
      std::move(error),
      [&](const PlanConflict &conflict) {
        nodes.assign(conflict.getNodes().begin(), conflict.getNodes().end());
      },
      [&](const llvm::ErrorInfoBase &info) { other = info.message(); });
  func::FuncOp func = graph.function();
  if (nodes.empty())
    return func.emitError("after 'import': ") << other << "; this is a tpc bug";
  InFlightDiagnostic diag = func.emitError("no plan for '@")
                            << func.getSymName()
                            << "' meets all of its pins; drop or change one of "
                            << "those named below";
  for (int number : nodes) {
    const PlanNode &node = graph.nodes[number];
    Location loc =
        node.op ? node.op->getLoc() : func.getArgument(node.index).getLoc();
    const Strategy &strategy = node.strategies[0];
    std::string text = describeNode(graph, node);
    if (node.strategies.size() == 1) {
      const Placement &placement =
          node.kind == PlanNode::Kind::Argument || strategy.operands.empty()
              ? strategy.results[0]
              : strategy.operands[0];
      text += " is pinned to " + placement.str(graph.mesh());
    } else {
      text += " has no strategy that fits";
    }
    diag.attachNote(loc) << text;
  }
  return diag;
}

namespace {
struct PlanPlacementsPass
    : public tpc::impl::PlanPlacementsPassBase<PlanPlacementsPass> {
  using PlanPlacementsPassBase::PlanPlacementsPassBase;

  llvm::json::Array plans;

  /// The entry of the plan file for `func`.
  LogicalResult readPlan(PlanGraph &graph) {
    func::FuncOp func = graph.function();
    auto fail = [&](const Twine &message) -> LogicalResult {
      return func.emitError("--plan-in '") << planIn << "': " << message;
    };
    auto file = llvm::MemoryBuffer::getFile(planIn);
    if (!file)
      return fail(file.getError().message());
    llvm::Expected<llvm::json::Value> value =
        llvm::json::parse((*file)->getBuffer());
    if (!value)
      return fail(llvm::toString(value.takeError()));
    if (const llvm::json::Array *entries = value->getAsArray())
      for (const llvm::json::Value &entry : *entries)
        if (const llvm::json::Object *object = entry.getAsObject())
          if (object->getString("function") == func.getSymName()) {
            if (llvm::Error error = pinPlan(graph, *object))
              return fail(llvm::toString(std::move(error)));
            return success();
          }
    return fail("expected a plan for '@" + func.getSymName() + "'");
  }

  LogicalResult writePlans(ModuleOp module) {
    std::error_code error;
    llvm::ToolOutputFile file(planOut, error, llvm::sys::fs::OF_Text);
    if (error)
      return module.emitError("--plan-out '")
             << planOut << "': " << error.message();
    file.os() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(plans)));
    file.keep();
    return success();
  }

  LogicalResult plan(func::FuncOp func, tp::MeshOp mesh, Redistributor &paths) {
    PlanGraph graph(func, mesh, paths);
    if (failed(graph.build()))
      return failure();
    if (!planIn.empty() && failed(readPlan(graph)))
      return failure();
    llvm::Expected<PlanSolution> solution = solvePlan(graph.makeProblem());
    if (!solution)
      return reportConflict(graph, solution.takeError());

    if (!planOut.empty())
      plans.push_back(savePlan(graph, solution->choice));
    PlanWriter writer(graph, *solution, alternatives);
    writer.write();

    Builder builder(&getContext());
    auto numbers = [&](const Cost &cost) {
      return builder.getDenseI64ArrayAttr(
          {cost.values[0], cost.values[1], cost.values[2]});
    };
    func->setAttr(
        tp::TPDialect::kPlan,
        builder.getDictionaryAttr(
            {{"objective", builder.getStringAttr(objective)},
             {"cost", numbers(solution->cost)},
             {"lower_bound", numbers(solution->lowerBound)},
             {"method", builder.getStringAttr(planIn.empty() ? solution->method
                                                             : "plan file")}}));
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::unique_ptr<Redistributor> paths =
        tp::makeRedistributor(module, objective, targetSpec);
    if (!paths)
      return signalPassFailure();
    tp::MeshOp mesh = tp::getSingleMesh(module);
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal() && failed(plan(func, mesh, *paths)))
        return signalPassFailure();
    if (!planOut.empty() && failed(writePlans(module)))
      signalPassFailure();
  }
};
} // namespace
