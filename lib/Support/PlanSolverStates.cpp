// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what the ends of a value cost together, and remembers it.

#include "PlanSolverStates.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc::plan {

/// Beyond this many ways in which the rest of the program may use a value,
/// states of that value are not compared.
constexpr size_t maxSetSize = 256;

Weight optionWeight(int node, int option, const Cost &cost) {
  // A weight per node that hardly repeats (multiplicative hashing), so that two
  // plans of the same cost are not a tie still.
  int64_t factor = (1 << 20) + ((uint32_t(node) * 2654435761u) >> 12);
  return {{cost.values[0], cost.values[1], cost.values[2], option * factor}};
}

bool WeightRange::reserve(const std::array<int64_t, 3> &amount, int64_t count) {
  constexpr int64_t most = int64_t(1) << 61;
  for (auto [part, sum] : zip(amount, used)) {
    int64_t product;
    if (__builtin_mul_overflow(part, count, &product) || product > most - sum)
      exceeded = true;
    else
      sum += product;
  }
  return !exceeded;
}

int TypeStates::makeState(std::optional<int> produced, ArrayRef<int> needed) {
  std::vector<int> targets;
  for (int target : needed)
    if (target != produced)
      targets.push_back(target);
  llvm::sort(targets);
  targets.erase(llvm::unique(targets), targets.end());
  auto [it, isNew] =
      stateNumbers.try_emplace({produced, targets}, int(states.size()));
  if (isNew)
    states.push_back({produced, std::move(targets), std::nullopt});
  return it->second;
}

int TypeStates::join(int a, int b) {
  auto [it, isNew] = joins.try_emplace({std::min(a, b), std::max(a, b)});
  if (!isNew)
    return it->second;
  assert(!(states[a].produced && states[b].produced) && "one producer");
  std::vector<int> needed = states[a].needed;
  llvm::append_range(needed, states[b].needed);
  int state = makeState(
      states[a].produced ? states[a].produced : states[b].produced, needed);
  return it->second = state;
}

const Weight &TypeStates::cost(int number) {
  State &state = states[number];
  if (!state.cost) {
    state.cost = Weight();
    if (state.produced) {
      Cost cost = problem.moveCost(type, *state.produced, state.needed);
      std::array<int64_t, 3> more{};
      for (auto [part, most, extra] : zip(cost.values, dearest, more))
        extra = std::max<int64_t>(part - most, 0);
      if (cost.isInfinite() || !range.reserve(more, numValues)) {
        state.cost = Weight::infinity();
      } else {
        llvm::copy(cost.values, state.cost->parts.begin());
        for (auto [most, extra] : zip(dearest, more))
          most += extra;
      }
    }
  }
  return *state.cost;
}

int TypeStates::makeSet(std::vector<int> members) {
  llvm::sort(members);
  members.erase(llvm::unique(members), members.end());
  auto [it, isNew] = setNumbers.try_emplace(members, int(sets.size()));
  if (isNew)
    sets.push_back(std::move(members));
  return it->second;
}

int TypeStates::joinSets(int a, int b) {
  if (a < 0 || b < 0)
    return -1;
  std::pair<int, int> key(std::min(a, b), std::max(a, b));
  if (auto it = setJoins.find(key); it != setJoins.end())
    return it->second;
  int result = -1;
  std::vector<int> members;
  if (sets[a].size() * sets[b].size() <= 32 * maxSetSize) {
    for (int x : sets[a])
      for (int y : sets[b])
        members.push_back(join(x, y));
    result = makeSet(std::move(members));
    if (sets[result].size() > maxSetSize)
      result = -1;
  }
  setJoins[key] = result;
  return result;
}

const Weight &TypeStates::increase(int from, int to, int set) {
  auto [it, isNew] = increases.try_emplace({{from, to}, set});
  if (!isNew)
    return it->second;
  Weight most;
  bool any = false;
  for (int other : sets[set]) {
    Weight before = cost(join(from, other));
    if (before.isInfinite())
      continue;
    Weight after = cost(join(to, other));
    if (after.isInfinite()) {
      most = Weight::infinity();
      break;
    }
    if (!any || most < after - before)
      most = after - before;
    any = true;
  }
  return increases[{{from, to}, set}] = most;
}

Weight TypeStates::distance(int from, int to) {
  auto [it, isNew] = distances.try_emplace({from, to});
  if (isNew)
    it->second = cost(makeState(from, to));
  return it->second;
}

const Weight &TypeStates::increaseBound(int from, int to, int producers) {
  auto [it, isNew] = bounds.try_emplace({{from, to}, producers});
  if (!isNew)
    return it->second;
  // Make what `from` makes, and everything `to` has besides out of that.
  State before = states[from], after = states[to];
  Weight sum;
  std::vector<int> sources = before.needed;
  if (problem.getMoves() == PlanProblem::Moves::Arbitrary) {
    sum = Weight::infinity();
  } else if (before.produced) {
    sources.push_back(*before.produced);
    if (before.produced != after.produced) {
      sum = distance(*after.produced, *before.produced);
      sources.push_back(*after.produced);
    }
  }
  for (int target : after.needed) {
    if (sum.isInfinite())
      break;
    if (is_contained(sources, target))
      continue;
    Weight least = Weight::infinity();
    for (int source : sources)
      least = std::min(least, distance(source, target));
    if (!before.produced && producers >= 0) {
      Weight most;
      for (int other : sets[producers]) {
        Weight far = states[other].produced
                         ? distance(*states[other].produced, target)
                         : Weight::infinity();
        most = std::max(most, far);
      }
      least = std::min(least, most);
    }
    sum = least.isInfinite() ? least : sum + least;
    sources.push_back(target);
  }
  return bounds[{{from, to}, producers}] = sum;
}

bool TypeStates::isDead(int state, int set) {
  auto [it, isNew] = dead.try_emplace({state, set});
  if (!isNew)
    return it->second;
  bool result = llvm::all_of(sets[set], [&](int other) {
    return cost(join(state, other)).isInfinite();
  });
  return dead[{state, set}] = result;
}

MoveStates::MoveStates(const PlanProblem &problem) : problem(problem) {
  for (const PlanProblem::Node &node : problem.getNodes()) {
    std::array<int64_t, 3> dearest{};
    for (const Cost &cost : node.options)
      if (!cost.isInfinite())
        for (auto [part, most] : zip(cost.values, dearest))
          most = std::max(most, part);
    range.reserve(dearest, 1);
  }
  for (const PlanProblem::Value &value : problem.getValues()) {
    std::unique_ptr<TypeStates> &states = types[value.type];
    if (!states)
      states = std::make_unique<TypeStates>(problem, value.type, range);
    states->addValue();
    perValue.push_back(states.get());
  }
}

} // namespace tpc::plan
