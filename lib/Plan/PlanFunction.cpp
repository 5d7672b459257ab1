// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves the planning problem of a function and writes the answer into it.
//
// Decide: PlanGraph states the problem, solvePlan answers it. Apply:
// PlanWriter.

#include "PlanFunction.h"
#include "Explain.h"
#include "PlanWriter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tpc;

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

static bool hasProducts(func::FuncOp func) {
  return func
      .walk([](linalg::LinalgOp op) {
        return linalg::isaContractionOpInterface(op) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<PeakMemory> tpc::planFunction(func::FuncOp func, tp::MeshOp mesh,
                                        Redistributor &paths,
                                        const PlanOptions &options) {
  PlanGraph graph(func, mesh, paths);
  if (failed(graph.build()) ||
      (options.restrict && failed(options.restrict(graph))))
    return failure();
  llvm::Expected<PlanSolution> solution = solvePlan(graph.makeProblem());
  if (!solution)
    return reportConflict(graph, solution.takeError());
  if (options.save)
    options.save(graph, solution->choice);
  PlanWriter(graph, *solution, options.alternatives).write();
  PeakMemory memory = estimatePeakMemory(func, paths);
  if (options.productWorkspace && hasProducts(func)) {
    memory.bytes += options.productWorkspace;
    memory.tensors.push_back(
        {"the workspace of products", options.productWorkspace});
    llvm::stable_sort(memory.tensors, [](const auto &a, const auto &b) {
      return a.second > b.second;
    });
  }

  Builder builder(func.getContext());
  auto numbers = [&](const Cost &cost) {
    return builder.getDenseI64ArrayAttr(
        {cost.values[0], cost.values[1], cost.values[2]});
  };
  std::string method = options.restrict ? "plan file" : solution->method;
  func->setAttr(
      tp::TPDialect::kPlan,
      builder.getDictionaryAttr(
          {{"objective", builder.getStringAttr(stringify(paths.objective()))},
           {"cost", numbers(solution->cost)},
           {"lower_bound", numbers(solution->lowerBound)},
           {"method", builder.getStringAttr(method)},
           {"peak_bytes", builder.getI64IntegerAttr(memory.bytes)}}));
  return memory;
}
