// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes plan problems to test with.

#include "Examples.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace tpc::test {

namespace {

// std::uniform_int_distribution differs between libraries.
int below(std::mt19937 &random, int bound) { return random() % bound; }

/// Moves as shortest paths over random steps, per type.
class RandomMetric {
public:
  RandomMetric(const RandomShape &shape, int types, std::mt19937 &random) {
    count = 1;
    for (int states : shape.axisStates)
      count *= states;
    for (int type = 0; type < types; ++type) {
      std::vector<Cost> &d =
          distances.emplace_back(count * count, Cost::infinity());
      for (int from = 0; from < count; ++from) {
        for (int to = 0; to < count; ++to) {
          // Steps change one axis.
          int rest = from, other = to, differing = 0;
          for (int states : shape.axisStates) {
            differing += rest % states != other % states;
            rest /= states;
            other /= states;
          }
          if (differing == 1 && below(random, 100) >= shape.impossible)
            d[from * count + to].values = {below(random, shape.maxCost),
                                           below(random, shape.maxCost), 1};
        }
        d[from * count + from] = Cost();
      }
      for (int via = 0; via < count; ++via)
        for (int from = 0; from < count; ++from)
          for (int to = 0; to < count; ++to)
            d[from * count + to] =
                std::min(d[from * count + to],
                         d[from * count + via] + d[via * count + to]);
    }
  }
  /// Least cost of making all of `needed`, each from `produced` or from one
  /// made before.
  Cost treeOf(int type, int produced, ArrayRef<int> needed) const {
    size_t sets = size_t(1) << needed.size();
    std::vector<Cost> best(sets, Cost::infinity());
    best[0] = Cost();
    for (size_t set = 0; set < sets; ++set) {
      for (size_t target = 0; target < needed.size(); ++target) {
        if (set >> target & 1)
          continue;
        Cost step = distanceOf(type, produced, needed[target]);
        for (size_t source = 0; source < needed.size(); ++source)
          if (set >> source & 1)
            step = std::min(step,
                            distanceOf(type, needed[source], needed[target]));
        Cost &entry = best[set | size_t(1) << target];
        entry = std::min(entry, best[set] + step);
      }
    }
    return best.back();
  }

  /// The least of that over all sets that hold `needed`.
  Cost treeThroughAny(int type, int produced, ArrayRef<int> needed) {
    auto [it, isNew] = throughAny.try_emplace({type, produced});
    if (isNew) {
      for (size_t set = 0; set < size_t(1) << count; ++set) {
        SmallVector<int> members;
        for (int placement = 0; placement < count; ++placement)
          if (set >> placement & 1)
            members.push_back(placement);
        it->second.push_back(treeOf(type, produced, members));
      }
      for (int placement = 0; placement < count; ++placement)
        for (size_t set = 0; set < size_t(1) << count; ++set)
          if (!(set >> placement & 1))
            it->second[set] = std::min(
                it->second[set], it->second[set | size_t(1) << placement]);
    }
    size_t set = 0;
    for (int placement : needed)
      set |= size_t(1) << placement;
    return it->second[set];
  }

private:
  Cost distanceOf(int type, int from, int to) const {
    return distances[type][from * count + to];
  }
  int count;
  std::vector<std::vector<Cost>> distances;
  std::map<std::pair<int, int>, std::vector<Cost>> throughAny;
};

/// Moves that cost anything, but the same whenever asked.
struct RandomMoves {
  RandomShape shape;
  uint32_t seed;

  uint32_t number(uint32_t salt, int type, int produced,
                  ArrayRef<int> needed) const {
    uint32_t hash = seed * 31 + salt;
    auto mix = [&](uint32_t x) {
      hash = (hash ^ x) * 0x9E3779B1u;
      hash ^= hash >> 15;
    };
    mix(type);
    mix(produced);
    for (int target : needed)
      mix(target);
    mix(7);
    return hash >> 8;
  }
  Cost operator()(int type, int produced, ArrayRef<int> needed) const {
    for (int target : needed)
      if (int(number(1, type, produced, target) % 100) < shape.impossible)
        return Cost::infinity();
    Cost cost;
    cost.values = {
        number(2, type, produced, needed) % shape.maxCost,
        number(3, type, produced, needed) % shape.maxCost,
        number(4, type, produced, needed) % shape.maxCost,
    };
    return cost;
  }
};

} // namespace

PlanProblem makeRandomProblem(const RandomShape &shape, uint32_t seed) {
  std::mt19937 random(seed);
  constexpr int types = 2;
  using Moves = RandomShape::Moves;
  PlanProblem::TreeCost moves = RandomMoves{shape, seed};
  if (shape.moves != Moves::Arbitrary)
    moves = [metric = RandomMetric(shape, types, random),
             isSteiner = shape.moves == Moves::Composable](
                int type, int produced, ArrayRef<int> needed) mutable {
      return isSteiner ? metric.treeThroughAny(type, produced, needed)
                       : metric.treeOf(type, produced, needed);
    };
  PlanProblem problem(std::move(moves), shape.moves == Moves::Composable
                                            ? PlanProblem::Moves::Composable
                                            : PlanProblem::Moves::Arbitrary);
  int placements = 1;
  for (int states : shape.axisStates)
    placements *= states;

  int nodes =
      shape.minNodes + below(random, shape.maxNodes - shape.minNodes + 1);
  int64_t choices = 1;
  std::vector<int> counts;
  for (int node = 0; node < nodes; ++node) {
    int count = 1 + below(random, shape.maxOptions);
    while (choices * count > shape.maxChoices)
      --count;
    choices *= count;
    counts.push_back(count);
    std::vector<Cost> options(count);
    for (Cost &cost : options) {
      if (below(random, 100) < shape.impossible)
        cost = Cost::infinity();
      else
        cost.values = {below(random, shape.maxCost),
                       below(random, shape.maxCost), below(random, 2)};
    }
    problem.addNode(std::move(options));
  }
  auto somewhere = [&](int node) {
    std::vector<int> result(counts[node]);
    for (int &placement : result)
      placement = below(random, placements);
    return result;
  };
  for (int node = 0; node < nodes; ++node) {
    // Mostly one value, some none, some two.
    for (int n = below(random, 4); n < 3; n += 2) {
      int value = problem.addValue(node, below(random, types), somewhere(node));
      for (int use = below(random, shape.maxUses + 1); use > 0; --use) {
        int user = below(random, nodes);
        if (user != node)
          problem.addUse(value, user, somewhere(user));
      }
    }
  }
  return problem;
}

Cost bestByTryingAll(const PlanProblem &problem) {
  Cost best = Cost::infinity();
  std::vector<int> choice(problem.numNodes());
  while (true) {
    best = std::min(best, evaluate(problem, choice));
    int node = 0;
    for (; node < problem.numNodes(); ++node) {
      if (++choice[node] < int(problem.getNodes()[node].options.size()))
        break;
      choice[node] = 0;
    }
    if (node == problem.numNodes())
      return best;
  }
}

PlanProblem restrictTo(const PlanProblem &problem, ArrayRef<int> nodes) {
  PlanProblem result(
      [&problem](int type, int produced, ArrayRef<int> needed) {
        return problem.moveCost(type, produced, needed);
      },
      problem.getMoves());
  std::map<int, int> numbers;
  for (int node : nodes)
    numbers[node] = result.addNode(problem.getNodes()[node].options);
  for (const PlanProblem::Value &value : problem.getValues()) {
    if (!numbers.count(value.producer))
      continue;
    int number =
        result.addValue(numbers[value.producer], value.type, value.produced);
    for (const PlanProblem::Use &use : value.uses)
      if (numbers.count(use.node))
        result.addUse(number, numbers[use.node], use.needed);
  }
  return result;
}

PlanProblem makeLadder(int length, int width, int options, uint32_t seed) {
  std::mt19937 random(seed);
  RandomShape shape;
  shape.axisStates = {options};
  shape.maxCost = 1000;
  PlanProblem problem([metric = RandomMetric(shape, 1, random)](
                          int type, int produced, ArrayRef<int> needed) {
    return metric.treeOf(type, produced, needed);
  });
  auto somewhere = [&] {
    std::vector<int> result(options);
    for (int &placement : result)
      placement = below(random, options);
    return result;
  };
  for (int i = 0; i < length; ++i) {
    std::vector<Cost> costs(options);
    for (Cost &cost : costs)
      cost.values = {below(random, 1000), below(random, 1000), 0};
    int node = problem.addNode(std::move(costs));
    for (int back = 1; back <= width; ++back)
      if (node - back >= 0 && below(random, 3))
        problem.addUse(node - back, node, somewhere());
    problem.addValue(node, 0, somewhere());
  }
  return problem;
}

} // namespace tpc::test
