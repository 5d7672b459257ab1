// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves the planning problem of a function and writes the answer into it.
//
// Decide: PlanGraph states the problem, solvePlan answers it. Apply:
// PlanWriter.

#include "Explain.h"
#include "PlanFile.h"
#include "PlanWriter.h"
#include "tpc/Dialect/TP/Redistributor.h"
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
