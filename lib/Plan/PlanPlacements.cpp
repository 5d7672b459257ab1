// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans every function of a module, from and to plan files where asked.

#include "PlanFile.h"
#include "PlanFunction.h"
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
    PlanOptions options;
    options.alternatives = alternatives;
    options.productWorkspace = productWorkspace;
    if (!planIn.empty())
      options.restrict = [&](PlanGraph &graph) { return readPlan(graph); };
    if (!planOut.empty())
      options.save = [&](PlanGraph &graph, ArrayRef<int> choice) {
        plans.push_back(savePlan(graph, choice));
      };
    return success(succeeded(planFunction(func, mesh, paths, options)));
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
