// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what the planner may choose: the strategies of each operation, the
// placements open to arguments and results, and what each choice costs.

#include "PlanGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Interfaces/Interfaces.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace tpc;

/// The scalar every element of a free producer has, or null for an empty one.
static TypedAttr getSplatValue(Operation *op) {
  Attribute value;
  if (!op || op->getNumResults() != 1)
    return nullptr;
  if (matchPattern(op->getResult(0), m_Constant(&value))) {
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      return cast<TypedAttr>(splat.getSplatValue<Attribute>());
    return nullptr;
  }
  StringRef name = op->getName().getStringRef();
  if ((name == "linalg.fill" || name == "tensor.splat") &&
      matchPattern(op->getOperand(0), m_Constant(&value)))
    return dyn_cast<TypedAttr>(value);
  return nullptr;
}

bool PlanGraph::isFreeProducer(Operation *op) {
  if (!op)
    return false;
  return op->getName().getStringRef() == "tensor.empty" ||
         (getSplatValue(op) && op->getNumResults() == 1 &&
          isa<RankedTensorType>(op->getResult(0).getType()));
}

bool PlanGraph::isNeutral(Operation *producer, Reduction reduction) {
  TypedAttr value = getSplatValue(producer);
  if (!value)
    return false;
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat v = number.getValue();
    switch (reduction) {
    case Reduction::Sum:
      return v.isZero();
    case Reduction::Prod:
      return v.isExactlyValue(1.0);
    case Reduction::Max:
      return v.isInfinity() && v.isNegative();
    case Reduction::Min:
      return v.isInfinity() && !v.isNegative();
    default:
      return false;
    }
  }
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    APInt v = number.getValue();
    switch (reduction) {
    case Reduction::Sum:
    case Reduction::Or:
      return v.isZero();
    case Reduction::Prod:
      return v.isOne();
    case Reduction::And:
      return v.isAllOnes();
    case Reduction::Max:
      return v.isMinSignedValue();
    case Reduction::Min:
      return v.isMaxSignedValue();
    }
  }
  return false;
}

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

static ComputeClass computeClass(Type element) {
  if (element.isF64())
    return ComputeClass::F64;
  if (element.isF16())
    return ComputeClass::F16;
  if (element.isBF16())
    return ComputeClass::BF16;
  return isa<FloatType>(element) ? ComputeClass::F32 : ComputeClass::Int;
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

void PlanGraph::addUse(int node, OpOperand &operand) {
  auto it = valueNumbers.find(operand.get());
  if (it != valueNumbers.end())
    uses[it->second].push_back({node, &operand});
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
  bool hasTensor = llvm::any_of(op->getResultTypes(), [](Type type) {
    return isa<RankedTensorType>(type);
  });
  if (!hasTensor) {
    if (llvm::any_of(op->getOperandTypes(),
                     [](Type type) { return isa<RankedTensorType>(type); }))
      return op->emitError("unsupported: no sharding rule for '")
             << op->getName() << "'; write it as a linalg.generic";
    return success();
  }
  for (Type type : op->getResultTypes())
    if (failed(checkSize(op, type)))
      return failure();
  if (isFreeProducer(op))
    return success();

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
      addUse(number, operand);
  }
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      addValue(result, number, result.getResultNumber());
  nodeOf[op] = number;
  nodes.push_back(std::move(node));
  return success();
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
    addUse(nodes.size(), operand);
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
  bool ok = true;
  for (Operation &op : func.getBody().front().without_terminator())
    ok &= succeeded(addOperation(&op));
  if (!ok)
    return failure();
  return addReturn(func.getBody().front().getTerminator());
}

Cost PlanGraph::computeCost(const PlanNode &node, const Strategy &strategy) {
  Objective objective = redistributor.objective();
  if (node.kind != PlanNode::Kind::Operation)
    return Cost();
  int64_t bytes = 0;
  Type element = getElementTypeOrSelf(node.op->getResult(0).getType());
  auto add = [&](Type type, const Placement &placement) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    int64_t elements = 1;
    for (int64_t size : placement.localShape(grid, tensor.getShape()))
      elements *= size;
    bytes += elements * tp::getElementBytes(type);
  };
  for (auto [index, operand] : llvm::enumerate(node.op->getOperands()))
    if (node.rule->roles[index] == ShardingRule::Role::Input)
      add(operand.getType(), strategy.operands[index]);
  for (auto [index, result] : llvm::enumerate(node.op->getResults()))
    add(result.getType(), strategy.results[index]);
  // Reshapes only change the type of a buffer.
  if (node.rule->flops == 0 && node.op->getNumOperands() == 1)
    bytes = 0;
  const MachineDescription &machine = redistributor.machine();
  Cost cost = makeComputeCost(
      objective, machine.computeSeconds(node.rule->flops * strategy.share,
                                        bytes, computeClass(element)));
  for (const ShardingRule::OwnStep &step : strategy.ownSteps)
    cost += makeCost(objective,
                     machine.transferSeconds(machine.link(grid, step.axes),
                                             step.starts, step.bytes.wireBytes),
                     step.bytes.wireBytes, 1);
  return cost;
}

void PlanGraph::collectTypes() {
  for (size_t value = 0; value < producers.size(); ++value) {
    Value v = valueNumbers.begin()[value].first;
    auto tensor = cast<RankedTensorType>(v.getType());
    Operation *producer = v.getDefiningOp();
    bool usedAsIs = producer && producer->hasAttr("tp.used");
    auto known = llvm::find_if(types, [&](const ValueType &type) {
      return type.tensor == tensor && type.usedAsIs == usedAsIs;
    });
    typeNumbers.push_back(known - types.begin());
    if (known == types.end())
      types.push_back({tensor, usedAsIs});
    std::vector<int> &candidates = types[typeNumbers.back()].candidates;
    auto [node, result] = producers[value];
    for (const Strategy &strategy : nodes[node].strategies)
      candidates.push_back(intern(strategy.results[result]));
    llvm::SmallDenseSet<int> needed;
    for (const PlanUse &use : uses[value])
      for (const Strategy &strategy : nodes[use.node].strategies)
        needed.insert(intern(neededPlacement(use, strategy)));
    candidates.insert(candidates.end(), needed.begin(), needed.end());
    mostTargets = std::max(mostTargets,
                           std::min<size_t>(needed.size(), uses[value].size()));
  }
  for (ValueType &type : types) {
    llvm::sort(type.candidates);
    type.candidates.erase(llvm::unique(type.candidates), type.candidates.end());
    type.trees = makeTrees(type, std::nullopt);
  }
}

SmallVector<Placement> PlanGraph::placementsOf(ArrayRef<int> numbers) const {
  return llvm::map_to_vector(numbers,
                             [&](int number) { return placements[number]; });
}

std::unique_ptr<RedistributionTrees>
PlanGraph::makeTrees(const ValueType &type,
                     std::optional<int> forbidden) const {
  RedistributionTrees::Options options;
  // Used as pinned: every rank may take a part of what it holds, no more.
  options.localOnly = type.usedAsIs;
  if (forbidden)
    options.forbidden = placements[*forbidden];
  return std::make_unique<RedistributionTrees>(
      redistributor, type.tensor.getShape(), tp::getElementBytes(type.tensor),
      placementsOf(type.candidates), options);
}

PlanProblem
PlanGraph::makeProblem(std::optional<std::pair<int, int>> forbidden) {
  if (types.empty())
    collectTypes();
  // The value with a forbidden copy is a type of its own.
  int forbiddenType = types.size();
  std::shared_ptr<RedistributionTrees> without;
  if (forbidden)
    without =
        makeTrees(types[typeNumbers[forbidden->first]], forbidden->second);
  // Trees of too many targets are not exact, and then not composable.
  PlanProblem problem(
      [this, forbiddenType, without](int type, int produced,
                                     ArrayRef<int> needed) {
        RedistributionTrees &trees =
            type == forbiddenType ? *without : *types[type].trees;
        return trees.cost(placements[produced], placementsOf(needed));
      },
      mostTargets <= RedistributionTrees::Options().mostExact
          ? PlanProblem::Moves::Composable
          : PlanProblem::Moves::Arbitrary);
  for (const PlanNode &node : nodes) {
    std::vector<Cost> costs;
    for (const Strategy &strategy : node.strategies)
      costs.push_back(computeCost(node, strategy));
    problem.addNode(std::move(costs));
  }
  for (size_t value = 0; value < producers.size(); ++value) {
    auto [node, result] = producers[value];
    std::vector<int> produced;
    for (const Strategy &strategy : nodes[node].strategies)
      produced.push_back(intern(strategy.results[result]));
    bool isForbidden = forbidden && forbidden->first == int(value);
    problem.addValue(node, isForbidden ? forbiddenType : typeNumbers[value],
                     std::move(produced));
    for (const PlanUse &use : uses[value]) {
      std::vector<int> needed;
      for (const Strategy &strategy : nodes[use.node].strategies)
        needed.push_back(intern(neededPlacement(use, strategy)));
      problem.addUse(value, use.node, std::move(needed));
    }
  }
  return problem;
}

const Placement &PlanGraph::neededPlacement(const PlanUse &use,
                                            const Strategy &strategy) const {
  bool isResult = nodes[use.node].kind == PlanNode::Kind::Result;
  return strategy.operands[isResult ? 0 : use.operand->getOperandNumber()];
}

int PlanGraph::producedBy(int value, ArrayRef<int> choice) {
  auto [node, result] = producers[value];
  return intern(nodes[node].strategies[choice[node]].results[result]);
}

SmallVector<int> PlanGraph::neededBy(int value, ArrayRef<int> choice) {
  SmallVector<int> needed;
  for (const PlanUse &use : uses[value])
    needed.push_back(intern(
        neededPlacement(use, nodes[use.node].strategies[choice[use.node]])));
  llvm::sort(needed);
  needed.erase(llvm::unique(needed), needed.end());
  llvm::erase(needed, producedBy(value, choice));
  return needed;
}

RedistributionTree PlanGraph::treeOf(int value, ArrayRef<int> choice) {
  return types[typeNumbers[value]].trees->tree(
      placements[producedBy(value, choice)],
      placementsOf(neededBy(value, choice)));
}
