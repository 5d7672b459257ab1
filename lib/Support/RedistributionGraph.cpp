// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remembers which steps there are between placements and what they move.

#include "RedistributionGraph.h"

using namespace llvm;

namespace tpc {

RedistributionGraph::RedistributionGraph(const Mesh &mesh,
                                         const MachineDescription &machine,
                                         ArrayRef<int64_t> shape, uint64_t axes)
    : mesh(mesh), machine(machine), shape(shape) {
  filter.axes = axes;
  filter.dims = 0;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] > 1)
      filter.dims |= uint64_t(1) << dim;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
    if (axes >> axis & 1)
      rankCount *= mesh.size(axis);
}

unsigned RedistributionGraph::node(const Placement &placement) {
  auto [slot, isNew] = numbers.try_emplace(placement, nodes.size());
  if (isNew)
    nodes.push_back(
        {placement, mesh.groupSize(placement.partialAxes()), false, {}});
  return slot->second;
}

RedistributionGraph::Edge RedistributionGraph::makeEdge(const Step &step) {
  StepBytes elements = stepBytes(mesh, shape, 1, step);
  Edge edge;
  edge.target = node(step.to);
  edge.kind = step.kind;
  edge.fused = step.axes.size() > 1;
  edge.collective = isCollective(mesh, step);
  edge.link = machine.link(mesh, step.axes);
  edge.starts = stepStarts(mesh, shape, step);
  edge.members = mesh.groupSize(step.axes);
  edge.operand = elements.bytes;
  edge.received = elements.wireBytes;
  edge.memory = stepMemoryBytes(mesh, shape, 1, step);
  return edge;
}

const std::vector<RedistributionGraph::Edge> &
RedistributionGraph::edges(unsigned number) {
  Node &from = nodes[number];
  if (!from.expanded) {
    from.expanded = true;
    for (const Step &step : legalSteps(mesh, shape, from.placement, filter))
      from.edges.push_back(makeEdge(step));
  }
  return from.edges;
}

const RedistributionGraph::Edge *RedistributionGraph::edge(unsigned from,
                                                           unsigned to) {
  auto [slot, isNew] = direct.try_emplace({from, to}, nullptr);
  if (isNew)
    if (std::optional<Step> step =
            classifyStep(mesh, shape, placement(from), placement(to))) {
      directEdges.push_back(makeEdge(*step));
      slot->second = &directEdges.back();
    }
  return slot->second;
}

Step RedistributionGraph::step(unsigned from, unsigned to) const {
  return *classifyStep(mesh, shape, placement(from), placement(to));
}

int64_t RedistributionGraph::lacking(unsigned from, unsigned to) {
  auto [slot, isNew] = lackings.try_emplace({from, to}, 0);
  if (isNew)
    slot->second = lackingElements(mesh, shape, placement(from), placement(to));
  return slot->second;
}

} // namespace tpc
