// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Applies a plan: types get their placements, and values are redistributed
// where they are needed otherwise than they are made.

#include "PlanWriter.h"
#include "Explain.h"
#include "FreeProducer.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tpc/Dialect/TP/Steps.h"

using namespace mlir;
using namespace tpc;

/// Redistributes beyond this many are not priced against the next best plan:
/// each price is a solve of its own.
static constexpr size_t kMaxAlternatives = 64;

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

void PlanWriter::define(Value value, const Placement &placement) {
  value.setType(placed(value.getType(), placement));
  versions[{graph.valueNumbers.lookup(value), graph.intern(placement)}] = value;
}

Value PlanWriter::version(int value, int id) {
  auto found = versions.find({value, id});
  if (found != versions.end())
    return found->second;

  Value original = graph.valueNumbers.begin()[value].first;
  Operation *producer = original.getDefiningOp();
  int produced = graph.producedBy(value, solution.choice);
  // In the block the value is made in: what a loop needs of outside is moved
  // in front of it.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(original.getParentBlock()->findAncestorOpInBlock(
      *builder.getInsertionPoint()));
  // A pin is met by its operand so placed, and not before somebody needs it.
  if (id == produced && isa_and_nonnull<tp::ConstrainOp, tp::FreshOp>(producer))
    return versions[{value, id}] =
               operandIn(producer->getOperand(0), graph.placement(id));

  auto type = cast<RankedTensorType>(original.getType());
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
  // A result that is no larger needs not wait for the end of the function: of a
  // gradient that is reduced to shards only those are kept.
  if (Operation *maker = source.getDefiningOp();
      !user && producer && maker &&
      localBytes(type, id) <= localBytes(type, from)) {
    builder.setInsertionPointAfter(maker);
    // Behind those of the same operation's other results.
    while (isa<tp::RedistributeOp>(*builder.getInsertionPoint()))
      builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  }

  // A move belongs to what made the value; that of an argument or of forward,
  // to who needs it.
  StringRef phase = tp::getPhase(original);
  if (phase == "forward" && user)
    phase = tp::getPhase(user);
  Location loc = producer ? producer->getLoc()
                 : user   ? user->getLoc()
                          : original.getLoc();
  auto op = tp::RedistributeOp::create(
      builder, loc, placed(type, graph.placement(id)), source);
  if (phase != "forward")
    op->setAttr(tp::TPDialect::kPhase, builder.getStringAttr(phase));
  Value named = original;
  if (auto fresh = original.getDefiningOp<tp::FreshOp>()) {
    named = fresh.getInput();
    op->setAttr(tp::TPDialect::kFresh, builder.getI64IntegerAttr(value));
  }
  op->setAttr(tp::TPDialect::kValue,
              builder.getStringAttr(tp::getUserName(named)));
  std::string why = explainMove(graph, solution.choice, value, produced, id);
  if (named != original)
    why += "; gathered again here, not kept since its last use";
  if (from != produced)
    why += "; made from the copy in " + graph.placement(from).str(graph.mesh());
  const RedistributionPlan *plan =
      graph.paths().plan(type.getShape(), tp::getElementBytes(type),
                         graph.placement(from), graph.placement(id));
  if (plan && plan->collectives) {
    why += nextBest(value, id);
    op->setAttr(tp::TPDialect::kLowerBound,
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
        !isNeutral(producer, entry.reduction))
      made = made.withReplicated(entry.axis);
  IRMapping mapping;
  // The destination of a fill is itself a free producer.
  for (Value operand : producer->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      if (Operation *inner = operand.getDefiningOp();
          inner && isFreeProducer(inner))
        mapping.map(operand, freshCopy(inner, made));
  Operation *copy = builder.clone(*producer, mapping);
  Value result = copy->getResult(0);
  result.setType(placed(result.getType(), made));
  retypeConstant(copy);
  if (user && tp::getPhase(user) != "forward")
    copy->setAttr(tp::TPDialect::kPhase,
                  builder.getStringAttr(tp::getPhase(user)));
  if (made == placement)
    return result;
  auto op = tp::RedistributeOp::create(
      builder, producer->getLoc(), placed(result.getType(), placement), result);
  op->setAttr(tp::TPDialect::kWhy,
              builder.getStringAttr("a constant, counted once"));
  return op.getOutput();
}

Value PlanWriter::operandIn(Value value, const Placement &placement) {
  auto it = graph.valueNumbers.find(value);
  if (it != graph.valueNumbers.end())
    return version(it->second, graph.intern(placement));
  assert(isFreeProducer(value.getDefiningOp()) && "all others have numbers");
  return freshCopy(value.getDefiningOp(), placement);
}

int64_t PlanWriter::localBytes(RankedTensorType type, int id) {
  int64_t bytes = tp::getElementBytes(type);
  for (int64_t size :
       graph.placement(id).localShape(graph.mesh(), type.getShape()))
    bytes *= size;
  return bytes;
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
    operand.set(operandIn(operand.get(), placement));
  }
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType())) {
      define(result, strategy.results[result.getResultNumber()]);
      retypeConstant(op);
    }
}

void PlanWriter::writeYields(Operation *op, Operation *yield) {
  user = op;
  builder.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands())
    operand.set(operandIn(operand.get(), strategyOf(graph.nodeOf.lookup(op) +
                                                    operand.getOperandNumber())
                                             .operands[0]));
}

void PlanWriter::writeLoop(scf::ForOp loop) {
  int first = graph.nodeOf.lookup(loop);
  user = loop;
  builder.setInsertionPoint(loop);
  for (auto [index, init] : llvm::enumerate(loop.getInitArgsMutable())) {
    const Placement &placement = strategyOf(first + index).results[0];
    init.set(operandIn(init.get(), placement));
    define(loop.getRegionIterArg(index), placement);
  }
  writeBlock(*loop.getBody());
  writeYields(loop, loop.getBody()->getTerminator());
  for (OpResult result : loop->getResults())
    define(result, strategyOf(first + result.getResultNumber()).results[0]);
}

void PlanWriter::writeBranch(scf::IfOp branch) {
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    writeBlock(*block);
    writeYields(branch, block->getTerminator());
  }
  int first = graph.nodeOf.lookup(branch);
  for (OpResult result : branch->getResults())
    define(result, strategyOf(first + result.getResultNumber()).results[0]);
}

void PlanWriter::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      writeLoop(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      writeBranch(branch);
    else if (isa<tp::ConstrainOp, tp::FreshOp>(op))
      dissolved.push_back(&op);
    else if (auto node = graph.nodeOf.find(&op); node != graph.nodeOf.end())
      writeOperation(graph.nodes[node->second], strategyOf(node->second));
    else if (isFreeProducer(&op))
      freeProducers.push_back(&op);
  }
}

void PlanWriter::write() {
  func::FuncOp func = graph.function();
  Block &body = func.getBody().front();
  Operation *terminator = body.getTerminator();
  for (auto [number, node] : llvm::enumerate(graph.nodes))
    if (node.kind == PlanNode::Kind::Argument) {
      const Placement &placement = strategyOf(number).results[0];
      define(func.getArgument(node.index), placement);
      func.setArgAttr(node.index, tp::TPDialect::kPlacement, attr(placement));
    }
  writeBlock(body);
  user = nullptr;
  builder.setInsertionPoint(terminator);
  for (auto [number, node] : llvm::enumerate(graph.nodes))
    if (node.kind == PlanNode::Kind::Result) {
      const Placement &placement = strategyOf(number).operands[0];
      OpOperand &operand = terminator->getOpOperand(node.index);
      operand.set(operandIn(operand.get(), placement));
      func.setResultAttr(node.index, tp::TPDialect::kPlacement,
                         attr(placement));
    }
  for (Operation *op : llvm::reverse(dissolved))
    op->erase();
  for (Operation *op : llvm::reverse(freeProducers))
    if (op->use_empty())
      op->erase();
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         body.getArgumentTypes(),
                                         terminator->getOperandTypes()));
}
