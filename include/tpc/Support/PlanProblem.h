// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of one option per node, as a problem of whole numbers: what a plan
// is and what it costs, without any IR.
//
// Nodes are what has a choice: ops, arguments, results, pins. An option of a
// node has a cost of its own. A value is made by one node and used by any
// number of nodes; which placement it is made in, and in which placement a use
// needs it, depends on the options chosen at the two ends. Placements are
// numbers whose meaning only the caller knows. Let a value be made in placement
// p, and T be the set of the distinct placements other than p that its uses
// need; moving the value then costs treeCost(type, p, T), once for all uses.
// The type of a value stands for what that cost depends on (its shape and
// element size, say): values of one type have the same costs.
//
//   cost(choice) = sum over nodes of the chosen option's cost
//                + sum over values of treeCost(type, p, T)
//
// Worked example: x (replicated or sharded) feeds two matmuls.
//   int x = problem.addNode({free, free}), f = ..., g = ...;
//   int v = problem.addValue(x, type, {R, S0}); // option 0 makes R, 1 makes S0
//   problem.addUse(v, f, {S0, R, R});        // f has three options
//   problem.addUse(v, g, {R, S1});
// With choices 1, 0, 0 the value is made in S0 and needed in S0 and R: T = {R}.
#ifndef TPC_SUPPORT_PLANPROBLEM_H
#define TPC_SUPPORT_PLANPROBLEM_H

#include "tpc/Support/CostModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <vector>

namespace tpc {

/// Nodes with options, and the values between them. Built once, then read.
class PlanProblem {
public:
  /// The cost of moving a value of `type` from the placement it is made in to
  /// every placement of `needed` (ascending, distinct, without `produced`;
  /// never empty). Must be a function of its arguments and not negative.
  /// Cost::infinity() where it cannot be done, which more targets never mend.
  using TreeCost =
      std::function<Cost(int type, int produced, llvm::ArrayRef<int> needed)>;

  /// What may be relied on about treeCost. Composable moves are those that
  /// obey, with d(a, b) for the cost of {b} from a:
  ///   cost(p, T) <= cost(p, T + {q}) <= cost(p, T) + d(a, q) for a in T + {p}
  ///   cost(p, T) <= d(p, q) + cost(q, T)
  /// The cheapest trees that may pass through any placement do. Trees over the
  /// targets alone do not: a placement that nobody needs can make two others
  /// cheaper. Arbitrary moves are compared one by one, which is too many for
  /// values with several uses on meshes of several axes; with composable ones
  /// such programs are solved too. Promised and not so, the answer may not be
  /// the best.
  enum class Moves { Arbitrary, Composable };

  struct Node {
    std::vector<Cost> options;
  };
  struct Use {
    int node;
    /// Needed placement per option of the node.
    std::vector<int> needed;
  };
  struct Value {
    int producer;
    int type;
    /// Placement made per option of the producer.
    std::vector<int> produced;
    std::vector<Use> uses;
  };

  explicit PlanProblem(TreeCost treeCost, Moves moves = Moves::Arbitrary)
      : treeCost(std::move(treeCost)), moves(moves) {}

  /// Adds a node with one own cost per option and returns its number. An option
  /// of infinite cost is never chosen.
  int addNode(std::vector<Cost> options);
  /// Adds a value made by `producer` and returns its number. A node may make
  /// several values.
  int addValue(int producer, int type, std::vector<int> produced);
  /// Adds a use of `value`. A node that uses a value twice has two uses of it.
  void addUse(int value, int node, std::vector<int> needed);

  llvm::ArrayRef<Node> getNodes() const { return nodes; }
  llvm::ArrayRef<Value> getValues() const { return values; }
  int numNodes() const { return nodes.size(); }
  Moves getMoves() const { return moves; }

  /// treeCost, and zero for an empty `needed`. `needed` may be in any order,
  /// with repetitions, and may contain `produced`.
  Cost moveCost(int type, int produced, llvm::ArrayRef<int> needed) const;

  /// The nodes of parts that have no value in common: each may be solved alone.
  /// Parts and the nodes in them are in ascending order.
  std::vector<std::vector<int>> independentParts() const;
  /// One of these parts as a problem; its node i is node `nodes[i]` of this.
  PlanProblem part(llvm::ArrayRef<int> nodes) const;

  /// Success when all numbers are in range, every list of placements is as long
  /// as its node's options, and no cost is negative.
  llvm::Error check() const;

private:
  TreeCost treeCost;
  Moves moves;
  std::vector<Node> nodes;
  std::vector<Value> values;
};

/// The cost of `choice` (one option per node) by the definition above; infinite
/// when it is not allowed. Shares no code with the solver.
Cost evaluate(const PlanProblem &problem, llvm::ArrayRef<int> choice);

} // namespace tpc

#endif // TPC_SUPPORT_PLANPROBLEM_H
