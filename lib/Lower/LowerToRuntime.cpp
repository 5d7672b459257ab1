// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces tensor functions by functions of the artifact ABI and their kernels.
#include "EmitHost.h"
#include "Events.h"
#include "InternalBuffers.h"
#include "KernelGroups.h"
#include "Streams.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_LOWERTORUNTIMEPASS
#include "tpc/Lower/Passes.h.inc"

namespace {
class LowerToRuntime : public impl::LowerToRuntimePassBase<LowerToRuntime> {
public:
  using LowerToRuntimePassBase::LowerToRuntimePassBase;

  /// A buffer without memory cannot hand its place on to another one: now and
  /// then a plan with memory for all takes less.
  lower::BufferPlan planMemory(const lower::Program &program) const {
    lower::BufferPlan plan = lower::planBuffers(
        program, std::vector<bool>(program.buffers.size(), false));
    if (target == "cpu")
      return plan;
    lower::BufferPlan less = lower::planBuffers(
        program, lower::findInternalBuffers(program, sharedLimit));
    return less.workspaceBytes <= plan.workspaceBytes ? less : plan;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (target != "cpu" && target != "cuda") {
      module.emitError("expected target cpu or cuda, got '") << target << "'";
      return signalPassFailure();
    }
    if (sharedLimit < kMinSharedLimit) {
      module.emitError("expected a shared-limit of at least ")
          << kMinSharedLimit << " bytes, got " << int64_t(sharedLimit);
      return signalPassFailure();
    }
    lower::ProductOptions products;
    products.fused = target == "cuda";
    products.tf32 = tf32;
    products.workspaceBytes = productWorkspace;
    // All functions are checked before any is written.
    std::vector<lower::Program> programs;
    bool failedAny = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      FailureOr<lower::Program> program =
          lower::buildProgram(function, products);
      failedAny |= failed(program);
      if (succeeded(program))
        programs.push_back(std::move(*program));
    }
    if (failedAny)
      return signalPassFailure();

    bool forDevice = target == "cuda";
    std::optional<int64_t> shared;
    if (forDevice)
      shared = sharedLimit;
    lower::HostLibrary library(module, shared);
    for (lower::Program &program : programs) {
      lower::groupKernels(program, forDevice);
      lower::chooseStreams(program);
      lower::BufferPlan plan = planMemory(program);
      lower::addEvents(program, plan);
      assert(lower::findRaces(program, plan).empty() &&
             "accesses of different streams are ordered");
      failedAny |= failed(library.emit(program, plan));
    }
    if (failedAny)
      return signalPassFailure();
    for (lower::Program &program : programs)
      program.function.erase();
  }
};
} // namespace
} // namespace tpc
