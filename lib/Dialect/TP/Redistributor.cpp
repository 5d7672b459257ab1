// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the path search that the plan and redistribute stages share.

#include "tpc/Dialect/TP/Redistributor.h"

using namespace mlir;

std::unique_ptr<tpc::Redistributor>
tpc::tp::makeRedistributor(ModuleOp module, StringRef objective,
                           StringRef targetSpec) {
  std::optional<Objective> goal = parseObjective(objective);
  if (!goal) {
    module.emitError("expected objective time, bytes or count, got \"")
        << objective << "\"";
    return nullptr;
  }
  llvm::Expected<MachineDescription> machine =
      MachineDescription::load(targetSpec);
  if (!machine) {
    module.emitError(llvm::toString(machine.takeError()));
    return nullptr;
  }
  MeshOp mesh = getSingleMesh(module);
  if (!mesh) {
    module.emitError("expected one tp.mesh in the module; name the mesh with "
                     "--mesh NAME=SIZE,...");
    return nullptr;
  }
  return std::make_unique<Redistributor>(mesh.getMesh(), std::move(*machine),
                                         *goal);
}
