// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placements as nodes and steps as edges, found once and used by many searches.
#ifndef TPC_LIB_SUPPORT_REDISTRIBUTIONGRAPH_H
#define TPC_LIB_SUPPORT_REDISTRIBUTIONGRAPH_H

#include "tpc/Support/CostModel.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <unordered_map>
#include <vector>

namespace tpc {

/// The placements over some axes of a mesh of a tensor of one shape, and the
/// steps between them, made as they are asked for. Partials stand for all
/// reductions. Amounts are in elements, so that one graph serves all element
/// sizes and all shapes that are multiples of its own.
class RedistributionGraph {
public:
  struct Edge {
    unsigned target;
    StepKind kind;
    bool collective;
    /// More than one axis.
    bool fused;
    MachineDescription::Link link;
    /// Latencies to pay.
    int64_t starts;
    /// Ranks of a group, and elements of the operand: what an all-reduce is
    /// counted by.
    int64_t members, operand;
    int64_t received, memory;

    int64_t wireBytes(int64_t bytesPerElement) const {
      return kind == StepKind::AllReduce
                 ? allReduceBytes(members, operand * bytesPerElement)
                 : received * bytesPerElement;
    }
  };

  /// `axes`: one bit for each axis that steps may touch.
  RedistributionGraph(const Mesh &mesh, const MachineDescription &machine,
                      llvm::ArrayRef<int64_t> shape, uint64_t axes);

  unsigned node(const Placement &placement);
  const Placement &placement(unsigned node) const {
    return nodes[node].placement;
  }
  /// Ranks that contribute to each element.
  int64_t contributions(unsigned node) const {
    return nodes[node].contributions;
  }
  llvm::ArrayRef<int64_t> tensorShape() const { return shape; }
  /// Ranks that may take part.
  int64_t ranks() const { return rankCount; }

  /// The steps that legalSteps lists.
  const std::vector<Edge> &edges(unsigned node);
  /// The one step between two nodes, a send_recv if nothing else; or null.
  const Edge *edge(unsigned from, unsigned to);
  /// The step that an edge from one node to another stands for.
  Step step(unsigned from, unsigned to) const;
  /// See lackingElements.
  int64_t lacking(unsigned from, unsigned to);

private:
  struct Node {
    Placement placement;
    int64_t contributions;
    bool expanded = false;
    std::vector<Edge> edges;
  };
  struct PlacementHash {
    size_t operator()(const Placement &placement) const {
      return hash_value(placement);
    }
  };

  Edge makeEdge(const Step &step);

  const Mesh &mesh;
  const MachineDescription &machine;
  llvm::SmallVector<int64_t> shape;
  StepFilter filter;
  int64_t rankCount = 1;
  std::deque<Node> nodes;
  std::unordered_map<Placement, unsigned, PlacementHash> numbers;
  std::deque<Edge> directEdges;
  llvm::DenseMap<std::pair<unsigned, unsigned>, const Edge *> direct;
  llvm::DenseMap<std::pair<unsigned, unsigned>, int64_t> lackings;
};

} // namespace tpc

#endif // TPC_LIB_SUPPORT_REDISTRIBUTIONGRAPH_H
