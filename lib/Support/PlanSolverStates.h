// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What part of a plan knows about a value, and what the rest may still add.
//
// Seen from a set of nodes, all that matters of a value is its *state*: the
// placement it is made in, if its producer is in the set, and the set of
// placements the uses in the set need. States of two disjoint sets join to the
// state of their union. The state of all ends together has a cost. Values of
// one type share their states, so that layer after layer is looked up.
#ifndef TPC_LIB_SUPPORT_PLANSOLVERSTATES_H
#define TPC_LIB_SUPPORT_PLANSOLVERSTATES_H

#include "tpc/Support/PlanSolver.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>
#include <optional>

namespace tpc::plan {

/// A Cost followed by the number that breaks ties. Ordered lexicographically;
/// sums are exact, see WeightRange.
struct Weight {
  std::array<int64_t, 4> parts{};

  static Weight infinity() {
    Weight weight;
    weight.parts[0] = std::numeric_limits<int64_t>::max();
    return weight;
  }
  bool isInfinite() const {
    return parts[0] == std::numeric_limits<int64_t>::max();
  }
  Weight operator+(const Weight &o) const {
    return {{parts[0] + o.parts[0], parts[1] + o.parts[1],
             parts[2] + o.parts[2], parts[3] + o.parts[3]}};
  }
  Weight operator-(const Weight &o) const {
    return {{parts[0] - o.parts[0], parts[1] - o.parts[1],
             parts[2] - o.parts[2], parts[3] - o.parts[3]}};
  }
  bool operator<(const Weight &o) const { return parts < o.parts; }
  bool operator==(const Weight &o) const { return parts == o.parts; }
};

/// The weight of an option: its cost, and its number times a weight of its
/// node.
Weight optionWeight(int node, int option, const Cost &cost);

/// Keeps the sum of the dearest options and moves within what 64 bits hold, so
/// that no sum of weights overflows.
class WeightRange {
public:
  /// False, for good, when `count` times `amount` more is too much.
  bool reserve(const std::array<int64_t, 3> &amount, int64_t count);
  bool isExceeded() const { return exceeded; }
  int64_t firstSum() const { return used[0]; }

private:
  std::array<int64_t, 3> used{};
  bool exceeded = false;
};

/// The states of the values of one type.
class TypeStates {
public:
  TypeStates(const PlanProblem &problem, int type, WeightRange &range)
      : problem(problem), type(type), range(range) {}
  void addValue() { ++numValues; }

  /// The state of a producer's, or of a use's, end.
  int makeState(std::optional<int> produced, llvm::ArrayRef<int> needed);
  /// At most one of the two knows the producer.
  int join(int a, int b);
  /// What a value costs that is in this state at the end; infinite where it
  /// cannot be. The state of a value without a producer costs nothing.
  const Weight &cost(int state);
  std::optional<int> produced(int state) const {
    return states[state].produced;
  }
  llvm::ArrayRef<int> needed(int state) const { return states[state].needed; }

  /// A set of states, for "one of these". Sorted and made distinct here.
  int makeSet(std::vector<int> members);
  llvm::ArrayRef<int> members(int set) const { return sets[set]; }
  /// All joins of a member of `a` with one of `b`; -1 when too many.
  int joinSets(int a, int b);
  /// The most that cost(to + c) exceeds cost(from + c), over all c in `set`
  /// with which `from` is possible.
  const Weight &increase(int from, int to, int set);
  /// A bound on the same for any rest of the program, from the laws of
  /// composable moves; infinite for arbitrary ones. `producers` is a set of
  /// states of which one will hold, or -1: where both states do not know the
  /// producer, and the set does, this makes the bound better.
  const Weight &increaseBound(int from, int to, int producers);
  /// True when no member of `set` is possible with the state.
  bool isDead(int state, int set);

private:
  /// The cost of one target.
  Weight distance(int from, int to);

  struct State {
    std::optional<int> produced;
    std::vector<int> needed;
    std::optional<Weight> cost;
  };
  const PlanProblem &problem;
  int type;
  WeightRange &range;
  int64_t numValues = 0;
  std::array<int64_t, 3> dearest{};
  std::vector<State> states;
  std::map<std::pair<std::optional<int>, std::vector<int>>, int> stateNumbers;
  llvm::DenseMap<std::pair<int, int>, int> joins;
  std::vector<std::vector<int>> sets;
  std::map<std::vector<int>, int> setNumbers;
  llvm::DenseMap<std::pair<int, int>, int> setJoins;
  llvm::DenseMap<std::pair<int, int>, bool> dead;
  llvm::DenseMap<std::pair<std::pair<int, int>, int>, Weight> increases;
  llvm::DenseMap<std::pair<std::pair<int, int>, int>, Weight> bounds;
  llvm::DenseMap<std::pair<int, int>, Weight> distances;
};

/// The states of all values of a problem.
class MoveStates {
public:
  explicit MoveStates(const PlanProblem &problem);
  TypeStates &of(int value) { return *perValue[value]; }
  /// The type of a value: equal for values of equal type.
  int typeOf(int value) const { return problem.getValues()[value].type; }
  /// True when costs were met that cannot be summed; all results are void then.
  bool overflowed() const { return range.isExceeded(); }
  /// The dearest options and moves met so far, summed over nodes and values, in
  /// what the first number counts.
  int64_t sumOfDearest() const { return range.firstSum(); }

private:
  const PlanProblem &problem;
  WeightRange range;
  std::map<int, std::unique_ptr<TypeStates>> types;
  std::vector<TypeStates *> perValue;
};

} // namespace tpc::plan

#endif // TPC_LIB_SUPPORT_PLANSOLVERSTATES_H
