// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what a plan file holds, and whether one fits a program.
//
// Nodes are matched by position and kind, not by shape: a plan made for one
// batch size fits another as long as the operations are the same.

#include "PlanFile.h"
#include "Explain.h"

using namespace mlir;
using namespace tpc;
namespace json = llvm::json;

static json::Array texts(ArrayRef<Placement> placements, const Mesh &mesh) {
  json::Array array;
  for (const Placement &placement : placements)
    array.push_back(placement.str(mesh));
  return array;
}

static StringRef kindName(const PlanNode &node) {
  switch (node.kind) {
  case PlanNode::Kind::Argument:
    return "argument";
  case PlanNode::Kind::Result:
    return "result";
  case PlanNode::Kind::Operation:
  case PlanNode::Kind::Fixed:
  case PlanNode::Kind::Carry:
  case PlanNode::Kind::Branch:
    return node.op->getName().getStringRef();
  }
  llvm_unreachable("covered switch");
}

json::Object tpc::savePlan(PlanGraph &graph, ArrayRef<int> choice) {
  json::Array nodes;
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    const Strategy &strategy = node.strategies[choice[number]];
    nodes.push_back(
        json::Object{{"kind", kindName(node)},
                     {"what", describeNode(graph, node)},
                     {"operands", texts(strategy.operands, graph.mesh())},
                     {"results", texts(strategy.results, graph.mesh())}});
  }
  return json::Object{{"function", graph.function().getSymName().str()},
                      {"mesh", graph.mesh().str()},
                      {"nodes", std::move(nodes)}};
}

llvm::Error tpc::pinPlan(PlanGraph &graph, const json::Object &plan) {
  const json::Array *nodes = plan.getArray("nodes");
  if (!nodes || nodes->size() != graph.nodes.size())
    return llvm::createStringError(
        "expected a plan of " + Twine(graph.nodes.size()) + " nodes for '@" +
        graph.function().getSymName() + "', got " +
        Twine(nodes ? nodes->size() : 0) +
        "; the program has changed since the plan was made");
  for (auto [value, node] : llvm::zip(*nodes, graph.nodes)) {
    const json::Object *entry = value.getAsObject();
    if (!entry || entry->getString("kind") != kindName(node))
      return llvm::createStringError(
          "expected the plan's entry for the " + describeNode(graph, node) +
          " to be of kind " + kindName(node) +
          "; the program has changed since the plan was made");
    const json::Array *operands = entry->getArray("operands");
    const json::Array *results = entry->getArray("results");
    Strategy *found = nullptr;
    for (Strategy &strategy : node.strategies)
      if (operands && results &&
          texts(strategy.operands, graph.mesh()) == *operands &&
          texts(strategy.results, graph.mesh()) == *results)
        found = &strategy;
    if (!found)
      return llvm::createStringError(
          "the placements that the plan gives the " +
          describeNode(graph, node) +
          " are none it may have with these sizes and pins");
    Strategy only = *found;
    node.strategies.clear();
    node.strategies.push_back(std::move(only));
  }
  return llvm::Error::success();
}
