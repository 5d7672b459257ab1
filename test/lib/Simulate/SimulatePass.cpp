// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--tp-simulate`: runs placed functions on all ranks and compares them with
// the global program, operation by operation. A remark on the function says how
// many operations agree; an error on an operation says what does not.

#include "../TestPasses.h"
#include "Simulation.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
struct SimulatePass : PassWrapper<SimulatePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimulatePass)

  SimulatePass() = default;
  SimulatePass(const SimulatePass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "tp-simulate"; }
  StringRef getDescription() const final {
    return "Run placed functions on all ranks, in lockstep with the global "
           "program, and report the first operation that differs.";
  }

  Option<uint64_t> seed{*this, "seed",
                        llvm::cl::desc("What the arguments are made of"),
                        llvm::cl::init(1)};
  Option<std::string> numbers{
      *this, "values",
      llvm::cl::desc("Floats of arguments: integers (compared exactly) or "
                     "reals (within 1e-9)"),
      llvm::cl::init("integers")};

  Option<bool> exchange{
      *this, "exchange",
      llvm::cl::desc("Operations may exchange data themselves, as they may "
                     "behind the plan stage"),
      llvm::cl::init(true)};

  void runOnOperation() final {
    ModuleOp module = getOperation();
    tpc::tp::MeshOp meshOp = tpc::tp::getSingleMesh(module);
    if (!meshOp) {
      module.emitError("expected one tp.mesh in the module");
      return signalPassFailure();
    }
    if (numbers != "integers" && numbers != "reals") {
      module.emitError("expected values=integers or values=reals, got ")
          << numbers;
      return signalPassFailure();
    }
    tpc::Mesh mesh = meshOp.getMesh();
    for (auto func : module.getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      tpc::simulate::Simulation simulation(
          func, mesh, {{seed, numbers == "integers"}, exchange});
      if (failed(simulation.run())) {
        signalPassFailure();
        continue;
      }
      func.emitRemark("simulated @")
          << func.getSymName() << " on " << mesh.numRanks()
          << " ranks: " << simulation.numCompared() << " operations agree";
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

void tpc::test::registerSimulatePass() { PassRegistration<SimulatePass>(); }
