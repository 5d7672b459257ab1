// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words the reasons of a plan: what produced a placement and who needs another.

#include "Explain.h"
#include "tpc/Dialect/TP/UserLocation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tpc;

static std::string operationName(const PlanNode &node) {
  if (node.kind == PlanNode::Kind::Carry)
    return "value carried by a loop";
  if (node.kind == PlanNode::Kind::Branch)
    return "result of a branch";
  if (isa<tp::ConstrainOp>(node.op))
    return node.op->hasAttr("tp.used") ? "use pin" : "tp.constrain";
  if (!node.rule)
    return node.op->getName().getStringRef().str();
  bool reduces =
      llvm::any_of(node.rule->factors, [](const ShardingRule::Factor &factor) {
        return factor.reduction.has_value();
      });
  int inputs = llvm::count(node.rule->roles, ShardingRule::Role::Input);
  StringRef name = node.op->getName().getStringRef();
  if (!name.starts_with("linalg."))
    return name.str();
  if (reduces)
    return inputs >= 2 ? "contraction" : "reduction";
  return "elementwise operation";
}

std::string tpc::describeNode(const PlanGraph &graph, const PlanNode &node) {
  auto func = const_cast<PlanGraph &>(graph).function();
  switch (node.kind) {
  case PlanNode::Kind::Argument:
    return "argument '" + tp::getUserName(func.getArgument(node.index)) + "'";
  case PlanNode::Kind::Result: {
    auto name =
        func.getResultAttrOfType<StringAttr>(node.index, tp::TPDialect::kName);
    return "result '" + (name ? name.str() : llvm::utostr(node.index)) + "'";
  }
  default:
    break;
  }
  std::string text = operationName(node);
  if (tp::getPhase(node.op) == "backward")
    text = "backward " + text;
  std::string location = tp::getUserLocation(node.op->getLoc());
  return location.empty() ? text : text + " at " + location;
}

/// "partial (sum) over "tp": the contraction at toy.py:3 sums over a dim that
/// is sharded there".
static std::string explainProduced(PlanGraph &graph, const PlanNode &node,
                                   const Strategy &strategy,
                                   const Placement &placement,
                                   const Placement &to) {
  const Mesh &mesh = graph.mesh();
  std::string who = describeNode(graph, node);
  SmallVector<std::string> parts;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    const Placement::Entry *entry = placement.find(axis);
    const Placement::Entry *target = to.find(axis);
    if ((!entry && !target) ||
        (entry && target && *entry == *target &&
         placement.entries() != to.entries() && !entry->isShard()))
      continue;
    std::string name = mesh.name(axis).str();
    if (!entry) {
      parts.push_back("replicated over " + name);
      continue;
    }
    if (entry->isShard()) {
      parts.push_back("S(" + llvm::utostr(entry->dim) + ") over " + name);
      continue;
    }
    std::string text =
        "P(" + stringify(entry->reduction).str() + ") over " + name;
    if (node.kind == PlanNode::Kind::Operation && axis < strategy.axes.size()) {
      const Strategy::AxisChoice &choice = strategy.axes[axis];
      if (choice.kind == Strategy::AxisChoice::Kind::Factor)
        text += " since the dim it reduces (size " +
                llvm::itostr(node.rule->factors[choice.index].size) +
                ") is sharded there";
      else if (choice.kind == Strategy::AxisChoice::Kind::Linear)
        text += " since it is linear in a partial operand";
      else if (choice.kind == Strategy::AxisChoice::Kind::Move)
        text += " since every rank has a part of it";
    }
    parts.push_back(text);
  }
  std::string state = parts.empty() ? "replicated" : llvm::join(parts, " and ");
  if (node.kind == PlanNode::Kind::Argument)
    return who + " is stored " + state;
  if (node.kind == PlanNode::Kind::Carry)
    return who + " is kept " + state;
  return who + " gives " + state;
}

std::string tpc::explainMove(PlanGraph &graph, ArrayRef<int> choice, int value,
                             int from, int to) {
  auto [number, result] = graph.producers[value];
  const PlanNode &producer = graph.nodes[number];
  std::string text =
      explainProduced(graph, producer, producer.strategies[choice[number]],
                      graph.placement(from), graph.placement(to));
  SmallVector<std::string> consumers;
  unsigned more = 0;
  for (const PlanUse &use : graph.uses[value]) {
    const PlanNode &node = graph.nodes[use.node];
    if (graph.intern(node.strategies[choice[use.node]].operands[use.operand]) !=
        to)
      continue;
    std::string who = describeNode(graph, node);
    if (llvm::is_contained(consumers, who))
      continue;
    if (consumers.size() == 3) {
      ++more;
      continue;
    }
    consumers.push_back(node.pinned ? who + " (pinned)" : who);
  }
  if (consumers.empty())
    return text + "; other placements of it are made from " +
           graph.placement(to).str(graph.mesh());
  text += "; " + llvm::join(consumers, ", ");
  if (more)
    text += " and " + llvm::utostr(more) + " more";
  text += (consumers.size() + more > 1 ? " need " : " needs ");
  return text + (graph.placement(to).isReplicated()
                     ? std::string("it replicated")
                     : graph.placement(to).str(graph.mesh()));
}

std::string tpc::formatCost(Objective objective, const Cost &cost) {
  switch (objective) {
  case Objective::Time:
    return llvm::formatv("{0:f3} us", cost.values[0] * 1e-6).str();
  case Objective::Bytes:
    return llvm::itostr(cost.values[0]) + " bytes";
  case Objective::Count:
    return llvm::itostr(cost.values[0]) + " collectives";
  }
  llvm_unreachable("covered switch");
}
