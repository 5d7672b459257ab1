// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what the planner may choose: the strategies of each operation, and
// the placements open to arguments, results and what loops and branches give.

#include "PlanGraph.h"
#include "FreeProducer.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Interfaces/Interfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tpc;

PlanGraph::PlanGraph(func::FuncOp func, tp::MeshOp mesh,
                     Redistributor &redistributor)
    : func(func), meshSymbol(mesh), grid(mesh.getMesh()),
      redistributor(redistributor) {}

int PlanGraph::intern(const Placement &placement) {
  auto [it, inserted] =
      placementNumbers.try_emplace(placement, placements.size());
  if (inserted)
    placements.push_back(placement);
  return it->second;
}

FailureOr<Placement> PlanGraph::resolvePin(Operation *op,
                                           tp::PlacementAttr attr, Type type) {
  FailureOr<Placement> placement =
      attr.resolve(grid, [&] { return op->emitError(); });
  if (failed(placement))
    return failure();
  if (llvm::Error error = Placement::verify(
          placement->entries(), grid, cast<RankedTensorType>(type).getRank()))
    return op->emitError(llvm::toString(std::move(error)));
  return placement;
}

void PlanGraph::collectPins() {
  SmallVector<unsigned> identity;
  for (unsigned axis = 0; axis < grid.numAxes(); ++axis)
    identity.push_back(axis);
  orders.push_back(identity);

  auto consider = [&](tp::PlacementAttr attr, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!attr || !tensor)
      return;
    FailureOr<Placement> placement =
        attr.resolve(grid, [&] { return func.emitError(); });
    if (failed(placement))
      return;
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
      SmallVector<unsigned> axes = placement->shardAxes(dim);
      int64_t chunks = 1;
      for (unsigned axis : axes)
        chunks *= grid.size(axis);
      if (tensor.getDimSize(dim) < chunks)
        minFactorSize = 0;
      if (llvm::is_sorted(axes))
        continue;
      SmallVector<unsigned> order = identity;
      size_t next = 0;
      for (unsigned &slot : order)
        if (llvm::is_contained(axes, slot))
          slot = axes[next++];
      if (!llvm::is_contained(orders, order))
        orders.push_back(order);
    }
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    consider(
        func.getArgAttrOfType<tp::PlacementAttr>(i, tp::TPDialect::kPlacement),
        func.getArgumentTypes()[i]);
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    consider(func.getResultAttrOfType<tp::PlacementAttr>(
                 i, tp::TPDialect::kPlacement),
             func.getResultTypes()[i]);
  func.walk(
      [&](tp::ConstrainOp op) { consider(op.getPlacement(), op.getType()); });
}

SmallVector<Placement, 0> PlanGraph::storagePlacements(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<Placement, 0> result;
  SmallVector<int64_t> digits(grid.numAxes(), -1);
  while (true) {
    for (ArrayRef<unsigned> order : orders) {
      SmallVector<Placement::Entry> entries;
      for (unsigned axis : order)
        if (digits[axis] >= 0)
          entries.push_back(Placement::Entry::shard(axis, digits[axis]));
      Placement placement(entries);
      if (placement.isEven(grid, tensor.getShape()) &&
          !llvm::is_contained(result, placement))
        result.push_back(placement);
    }
    unsigned axis = 0;
    while (axis < grid.numAxes() &&
           (grid.size(axis) == 1 || ++digits[axis] == tensor.getRank()))
      digits[axis++] = -1;
    if (axis == grid.numAxes())
      return result;
  }
}

/// Costs are exact integers; tensors beyond this would overflow them.
static constexpr double kMaxTensorBytes = double(int64_t(1) << 50);

LogicalResult PlanGraph::checkSize(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  double bytes = tp::getElementBytes(type);
  for (int64_t size : tensor.getShape())
    bytes *= double(size);
  if (bytes <= kMaxTensorBytes)
    return success();
  return op->emitError("unsupported: a tensor of more than 2^50 bytes, got ")
         << type;
}

void PlanGraph::addValue(Value value, int node, unsigned result) {
  valueNumbers[value] = producers.size();
  producers.push_back({node, result});
  uses.emplace_back();
}

void PlanGraph::addUse(int node, Value value, unsigned operand) {
  auto it = valueNumbers.find(value);
  // A loop that yields what it carries moves nothing.
  if (it != valueNumbers.end() && producers[it->second].first != node)
    uses[it->second].push_back({node, operand});
}

static Strategy makeStrategy(ArrayRef<Placement> operands,
                             ArrayRef<Placement> results) {
  Strategy strategy;
  strategy.operands.assign(operands.begin(), operands.end());
  strategy.results.assign(results.begin(), results.end());
  return strategy;
}

LogicalResult PlanGraph::addArguments() {
  for (BlockArgument arg : func.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type)
      return func.emitError("unsupported: argument '")
             << tp::getUserName(arg) << "' of type " << arg.getType()
             << "; pass it as a tensor";
    if (failed(checkSize(func, type)))
      return failure();
    PlanNode node(PlanNode::Kind::Argument, nullptr, arg.getArgNumber());
    auto attr = func.getArgAttrOfType<tp::PlacementAttr>(
        arg.getArgNumber(), tp::TPDialect::kPlacement);
    if (attr) {
      FailureOr<Placement> pin = resolvePin(func, attr, type);
      if (failed(pin))
        return failure();
      node.pinned = true;
      node.strategies.push_back(makeStrategy({}, *pin));
    } else {
      for (const Placement &placement : storagePlacements(type))
        node.strategies.push_back(makeStrategy({}, placement));
    }
    addValue(arg, nodes.size(), 0);
    nodes.push_back(std::move(node));
  }
  return success();
}

LogicalResult PlanGraph::addOperation(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return addBranch(branch);
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  // Scalars are the same on every rank and have no placement.
  if (llvm::none_of(op->getResultTypes(), isTensor) &&
      llvm::none_of(op->getOperandTypes(), isTensor) &&
      op->getNumRegions() == 0)
    return success();
  for (Type type : op->getResultTypes())
    if (failed(checkSize(op, type)))
      return failure();
  if (isFreeProducer(op))
    return success();
  if (auto fresh = dyn_cast<tp::FreshOp>(op)) {
    // Made as its operand is, by the same choice; moved on its own.
    auto known = valueNumbers.find(fresh.getInput());
    if (known == valueNumbers.end())
      return op->emitError("expected a parameter, got a constant");
    auto [node, result] = producers[known->second];
    addValue(fresh.getOutput(), node, result);
    return success();
  }

  PlanNode node(PlanNode::Kind::Operation, op);
  if (auto constrain = dyn_cast<tp::ConstrainOp>(op)) {
    FailureOr<Placement> pin =
        resolvePin(op, constrain.getPlacement(), constrain.getType());
    if (failed(pin))
      return failure();
    node.kind = PlanNode::Kind::Fixed;
    node.pinned = true;
    node.strategies.push_back(makeStrategy(*pin, *pin));
  } else if (auto manual = dyn_cast<tp::ManualOp>(op)) {
    node.kind = PlanNode::Kind::Fixed;
    node.pinned = true;
    SmallVector<Placement> operands, results;
    for (Attribute attr : manual.getInPlacements())
      operands.push_back(cast<tp::PlacementAttr>(attr).resolve(grid));
    for (Attribute attr : manual.getOutPlacements())
      results.push_back(cast<tp::PlacementAttr>(attr).resolve(grid));
    node.strategies.push_back(makeStrategy(operands, results));
  } else if (auto rules = dyn_cast<ShardingRuleOpInterface>(op)) {
    FailureOr<ShardingRule> rule = rules.getShardingRule();
    if (failed(rule))
      return failure();
    node.rule = *rule;
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    for (Strategy &strategy :
         enumerateStrategies(*rule, grid, orders, minFactorSize)) {
      // A destination has the type of the result it is tied to.
      bool legal = true;
      if (destination)
        for (OpOperand &init : destination.getDpsInitsMutable())
          legal &= strategy.operands[init.getOperandNumber()] ==
                   strategy.results[destination.getTiedOpResult(&init)
                                        .getResultNumber()];
      if (legal)
        node.strategies.push_back(std::move(strategy));
    }
  } else {
    return op->emitError("unsupported: no sharding rule for '")
           << op->getName() << "'; write it as a linalg.generic";
  }

  int number = nodes.size();
  for (OpOperand &operand : op->getOpOperands()) {
    bool shapeOnly =
        node.rule && node.rule->roles[operand.getOperandNumber()] ==
                         ShardingRule::Role::Shape;
    if (!shapeOnly)
      addUse(number, operand.get(), operand.getOperandNumber());
  }
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      addValue(result, number, result.getResultNumber());
  nodeOf[op] = number;
  nodes.push_back(std::move(node));
  return success();
}

/// One tensor in, the same out: on each axis replicated, sharded along a dim or
/// a partial sum.
static ShardingRule makeIdentityRule(RankedTensorType type) {
  ShardingRule rule;
  ShardingRule::Tensor dims;
  for (int64_t size : type.getShape()) {
    dims.push_back({unsigned(rule.factors.size())});
    rule.factors.emplace_back().size = size;
  }
  rule.operands.push_back(dims);
  rule.results.push_back(dims);
  rule.roles.push_back(ShardingRule::Role::Input);
  if (!type.getElementType().isInteger(1))
    rule.linear.push_back({0});
  return rule;
}

LogicalResult PlanGraph::addRegionResults(PlanNode::Kind kind, Operation *op) {
  if (op->getNumResults() == 0)
    return op->emitError("unsupported: '")
           << op->getName() << "' without results; nothing it does is used";
  nodeOf[op] = nodes.size();
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return op->emitError("unsupported: '")
             << op->getName() << "' with a result of type " << result.getType()
             << "; make it a tensor";
    if (failed(checkSize(op, type)))
      return failure();
    PlanNode node(kind, op, result.getResultNumber());
    node.rule = makeIdentityRule(type);
    node.strategies =
        enumerateStrategies(*node.rule, grid, orders, minFactorSize);
    nodes.push_back(std::move(node));
  }
  return success();
}

LogicalResult PlanGraph::addLoop(scf::ForOp loop) {
  if (!loop.getStaticTripCount())
    return loop.emitError(
        "unsupported: a trip count that is not a constant; give the loop "
        "constant bounds");
  int first = nodes.size();
  if (failed(addRegionResults(PlanNode::Kind::Carry, loop)))
    return failure();
  for (auto [index, init] : llvm::enumerate(loop.getInitArgs())) {
    addUse(first + index, init, 0);
    addValue(loop.getRegionIterArg(index), first + index, 0);
  }
  if (failed(addBlock(*loop.getBody())))
    return failure();
  for (auto [index, yielded] : llvm::enumerate(loop.getYieldedValues()))
    addUse(first + index, yielded, 0);
  for (auto [index, result] : llvm::enumerate(loop.getResults()))
    addValue(result, first + index, 0);
  return success();
}

LogicalResult PlanGraph::addBranch(scf::IfOp branch) {
  int first = nodes.size();
  if (failed(addRegionResults(PlanNode::Kind::Branch, branch)))
    return failure();
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    if (failed(addBlock(*block)))
      return failure();
    for (auto [index, yielded] :
         llvm::enumerate(block->getTerminator()->getOperands()))
      addUse(first + index, yielded, 0);
  }
  for (auto [index, result] : llvm::enumerate(branch.getResults()))
    addValue(result, first + index, 0);
  return success();
}

LogicalResult PlanGraph::addBlock(Block &block) {
  bool ok = true;
  for (Operation &op : block.without_terminator())
    ok &= succeeded(addOperation(&op));
  return success(ok);
}

LogicalResult PlanGraph::addReturn(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (!isa<RankedTensorType>(operand.get().getType()))
      return func.emitError("unsupported: result #")
             << index << " of type " << operand.get().getType()
             << "; return it as a tensor";
    PlanNode node(PlanNode::Kind::Result, op, index);
    auto attr = func.getResultAttrOfType<tp::PlacementAttr>(
        index, tp::TPDialect::kPlacement);
    if (attr) {
      FailureOr<Placement> pin =
          resolvePin(func, attr, operand.get().getType());
      if (failed(pin))
        return failure();
      node.pinned = true;
      node.strategies.push_back(makeStrategy(*pin, {}));
    } else {
      for (const Placement &placement :
           storagePlacements(operand.get().getType()))
        node.strategies.push_back(makeStrategy(placement, {}));
    }
    addUse(nodes.size(), operand.get(), 0);
    nodes.push_back(std::move(node));
  }
  return success();
}

LogicalResult PlanGraph::build() {
  if (!func.getBody().hasOneBlock())
    return func.emitError("unsupported: control flow between blocks; inline it "
                          "or use structured operations");
  collectPins();
  if (failed(addArguments()))
    return failure();
  if (failed(addBlock(func.getBody().front())))
    return failure();
  return addReturn(func.getBody().front().getTerminator());
}
