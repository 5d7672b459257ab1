// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts types and collectives in the terms of Support.

#include "tpc/Dialect/TP/Steps.h"

using namespace mlir;

int64_t tpc::tp::getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

tpc::Step tpc::tp::getStep(CollectiveOpInterface op, PartAttr part,
                           const Mesh &mesh) {
  Step step{op.getStepKind(),
            {},
            part.getFrom().resolve(mesh),
            part.getTo().resolve(mesh)};
  for (Attribute axis : op.getAxes())
    step.axes.push_back(*mesh.find(cast<StringAttr>(axis).getValue()));
  llvm::sort(step.axes);
  return step;
}

/// Bytes that each rank receives for operand `index` of a window.
static std::vector<int64_t> receivedBytes(tpc::tp::CollectiveOpInterface op,
                                          unsigned index,
                                          const tpc::Window &window,
                                          const tpc::Mesh &mesh) {
  std::vector<int64_t> bytes = lackingElements(mesh, window);
  for (int64_t &count : bytes)
    count *= tpc::tp::getElementBytes(op.getPart(index).getType());
  return bytes;
}

tpc::StepBytes tpc::tp::getBytes(CollectiveOpInterface op, unsigned index,
                                 const Mesh &mesh) {
  PartAttr part = op.getPart(index);
  if (std::optional<Window> window = op.getWindow(index, mesh)) {
    int64_t most = *llvm::max_element(receivedBytes(op, index, *window, mesh));
    return {most, most};
  }
  return stepBytes(mesh, part.getType().getShape(),
                   getElementBytes(part.getType()), getStep(op, part, mesh));
}

tpc::StepBytes tpc::tp::getBytes(CollectiveOpInterface op, const Mesh &mesh) {
  StepBytes bytes;
  std::vector<int64_t> received(mesh.numRanks(), 0);
  for (unsigned index = 0; index < op.getInputs().size(); ++index) {
    if (std::optional<Window> window = op.getWindow(index, mesh)) {
      for (auto [sum, count] :
           llvm::zip_equal(received, receivedBytes(op, index, *window, mesh)))
        sum += count;
      continue;
    }
    StepBytes one = getBytes(op, index, mesh);
    bytes.bytes += one.bytes;
    bytes.wireBytes += one.wireBytes;
  }
  int64_t most = *llvm::max_element(received);
  return {bytes.bytes + most, bytes.wireBytes + most};
}

int64_t tpc::tp::getLowerBoundBytes(CollectiveOpInterface op, unsigned index,
                                    const Mesh &mesh) {
  if (op.getWindow(index, mesh))
    return getBytes(op, index, mesh).wireBytes;
  PartAttr part = op.getPart(index);
  return lowerBoundBytes(
      mesh, part.getType().getShape(), getElementBytes(part.getType()),
      part.getFrom().resolve(mesh), part.getTo().resolve(mesh));
}

int64_t tpc::tp::getLowerBoundBytes(CollectiveOpInterface op,
                                    const Mesh &mesh) {
  int64_t bytes = 0;
  for (unsigned index = 0; index < op.getInputs().size(); ++index) {
    if (op.getWindow(index, mesh))
      return getBytes(op, mesh).wireBytes;
    bytes += getLowerBoundBytes(op, index, mesh);
  }
  return bytes;
}

double tpc::tp::getSeconds(CollectiveOpInterface op, unsigned index,
                           const Mesh &mesh,
                           const MachineDescription &machine) {
  PartAttr part = op.getPart(index);
  std::optional<Window> window = op.getWindow(index, mesh);
  if (!window)
    return machine.stepSeconds(mesh, part.getType().getShape(),
                               getElementBytes(part.getType()),
                               getStep(op, part, mesh));
  return machine.transferSeconds(machine.link(mesh, windowAxes(*window)),
                                 windowPeers(mesh, *window),
                                 getBytes(op, index, mesh).wireBytes);
}
