// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes plan problems of whole models.

#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <memory>
#include <set>

using namespace llvm;

namespace tpc::test {

namespace {

/// A placement here is one letter per mesh axis: R, P (sum), M (max), or the
/// index that is sharded, in small letters. Indices are named by one small
/// letter each.
using Letters = std::string;

struct Sizes {
  std::vector<int> mesh;
  std::map<char, double> of;

  double local(StringRef dims, const Letters &placement) const {
    double size = 2;
    for (char dim : dims)
      size *= of.at(dim);
    for (auto [axis, state] : enumerate(placement))
      if (islower(state))
        size /= mesh[axis];
    return size;
  }
};

/// Least cost of moving a value, by changing one axis at a time.
class Moves {
public:
  Moves(Sizes sizes, Objective objective)
      : sizes(std::move(sizes)), objective(objective) {}

  int number(const Letters &placement) {
    auto [it, isNew] = numbers.try_emplace(placement, int(placements.size()));
    if (isNew)
      placements.push_back(placement);
    return it->second;
  }
  int typeOf(StringRef dims) {
    auto [it, isNew] = types.try_emplace(dims.str(), int(dimsOf.size()));
    if (isNew)
      dimsOf.push_back(dims.str());
    return it->second;
  }
  Cost tree(int type, int produced, ArrayRef<int> needed);

private:
  Cost distance(int type, int from, int to);

  Sizes sizes;
  Objective objective;
  std::map<Letters, int> numbers;
  std::vector<Letters> placements;
  std::map<std::string, int> types;
  std::vector<std::string> dimsOf;
  std::map<std::pair<int, int>, std::vector<Cost>> distances;
};

Cost Moves::distance(int type, int from, int to) {
  std::vector<Cost> &row = distances[{type, from}];
  if (row.empty()) {
    constexpr double latency = 5e-6, link = 100e9, memory = 3e12;
    const std::string &dims = dimsOf[type];
    std::map<Letters, Cost> known = {{placements[from], Cost()}};
    std::set<std::pair<std::array<int64_t, 3>, Letters>> queue = {
        {{0, 0, 0}, placements[from]}};
    while (!queue.empty()) {
      Letters at = queue.begin()->second;
      queue.erase(queue.begin());
      Cost cost = known[at];
      double bytes = sizes.local(dims, at);
      auto step = [&](size_t axis, char state, double wire, bool isLocal) {
        Letters next = at;
        next[axis] = state;
        Cost sum = cost + (isLocal ? makeCost(objective, bytes / memory, 0, 0)
                                   : makeCost(objective, latency + wire / link,
                                              llround(wire), 1));
        auto [it, isNew] = known.try_emplace(next, Cost::infinity());
        if (!(sum < it->second))
          return;
        queue.erase({it->second.values, next});
        it->second = sum;
        queue.insert({sum.values, next});
      };
      for (size_t axis = 0; axis < at.size(); ++axis) {
        double n = sizes.mesh[axis], part = (n - 1) / n;
        char state = at[axis];
        if (state == 'P' || state == 'M')
          step(axis, 'R', 2 * part * bytes, false);
        if (islower(state))
          step(axis, 'R', (n - 1) * bytes, false);
        if (state == 'R')
          step(axis, 'P', 0, true);
        for (char dim : dims)
          if (dim != state)
            step(axis, dim, part * bytes, state == 'R');
      }
    }
    row.assign(placements.size(), Cost::infinity());
    for (auto &[placement, cost] : known)
      if (auto it = numbers.find(placement); it != numbers.end())
        row[it->second] = cost;
  }
  return row[to];
}

Cost Moves::tree(int type, int produced, ArrayRef<int> needed) {
  size_t sets = size_t(1) << needed.size();
  std::vector<Cost> best(sets, Cost::infinity());
  best[0] = Cost();
  for (size_t set = 0; set < sets; ++set) {
    for (size_t target = 0; target < needed.size(); ++target) {
      if ((set >> target & 1) || best[set].isInfinite())
        continue;
      Cost step = distance(type, produced, needed[target]);
      for (size_t source = 0; source < needed.size(); ++source)
        if (set >> source & 1)
          step = std::min(step, distance(type, needed[source], needed[target]));
      Cost &entry = best[set | size_t(1) << target];
      entry = std::min(entry, best[set] + step);
    }
  }
  return best.back();
}

/// Builds the joint program and its problem.
class Builder {
public:
  Builder(std::vector<int> mesh, std::map<char, double> of, Objective objective)
      : sizes{mesh, std::move(of)}, objective(objective),
        moves(std::make_shared<Moves>(sizes, objective)),
        problem(
            [moves = moves](int type, int produced, ArrayRef<int> needed) {
              return moves->tree(type, produced, needed);
            },
            PlanProblem::Moves::Composable) {}

  /// What an op does with its operands, along one axis.
  struct Kind {
    /// Operands in which it is linear, one at a time; or all together.
    bool isLinearInEach = false, isLinearInAll = false, isLinearInFirst = false;
    /// How dims that vanish are reduced: P, M, or 0 when they cannot be
    /// sharded.
    char reduction = 0;
    /// The index `first` becomes `second`.
    char renamedFrom = 0, renamedTo = 0;
    bool isMatmul = false;
  };

  int input(StringRef dims, Letters pin, bool wantsGradient) {
    int node = problem.addNode({Cost()});
    int value = define(node, dims, {pin});
    leaf[value] = {pin, wantsGradient};
    return value;
  }
  int op(std::vector<int> operands, StringRef dims, Kind kind);
  void result(int value, const Letters &pin) {
    int node = problem.addNode({Cost()});
    problem.addUse(value, node, {moves->number(pin)});
  }

  int einsum(std::vector<int> operands, StringRef dims) {
    Kind kind;
    kind.isLinearInEach = kind.isMatmul = true;
    kind.reduction = 'P';
    int value = op(operands, dims, kind);
    tape.push_back({value, operands, 'E'});
    return value;
  }
  int map(std::vector<int> operands, StringRef dims, char reduction = 0) {
    Kind kind;
    kind.reduction = reduction;
    int value = op(operands, dims, kind);
    tape.push_back({value, operands, reduction ? 'X' : 'N'});
    return value;
  }
  int add(int a, int b) {
    int value = accumulate({a, b});
    tape.push_back({value, {a, b}, 'A'});
    return value;
  }
  int sum(int a, StringRef dims) {
    Kind kind;
    kind.isLinearInEach = true;
    kind.reduction = 'P';
    int value = op({a}, dims, kind);
    tape.push_back({value, {a}, 'R'});
    return value;
  }
  int rename(int a, StringRef dims, char from, char to) {
    Kind kind;
    kind.isLinearInEach = true;
    kind.renamedFrom = from;
    kind.renamedTo = to;
    int value = op({a}, dims, kind);
    tape.push_back({value, {a}, 'M', from, to});
    return value;
  }
  /// The backward pass, seeded with a cotangent of `output`.
  void differentiate(int output, const Letters &pin);

  StringRef dimsOf(int value) const { return dims[value]; }
  PlanProblem take() { return std::move(problem); }

private:
  struct Leaf {
    Letters pin;
    bool wantsGradient;
  };
  struct Recorded {
    int value;
    std::vector<int> operands;
    char kind;
    char from = 0, to = 0;
  };

  int define(int node, StringRef name, const std::vector<Letters> &produced) {
    std::vector<int> placements;
    for (const Letters &placement : produced)
      placements.push_back(moves->number(placement));
    dims.push_back(name.str());
    return problem.addValue(node, moves->typeOf(name), std::move(placements));
  }
  int accumulate(std::vector<int> operands) {
    Kind kind;
    kind.isLinearInAll = true;
    std::string name = dims[operands[0]];
    return op(std::move(operands), name, kind);
  }

  Sizes sizes;
  Objective objective;
  std::shared_ptr<Moves> moves;
  PlanProblem problem;
  std::vector<std::string> dims;
  std::map<int, Leaf> leaf;
  std::vector<Recorded> tape;
};

int Builder::op(std::vector<int> operands, StringRef name, Kind kind) {
  std::set<char> indices(name.begin(), name.end());
  for (int operand : operands)
    indices.insert(dims[operand].begin(), dims[operand].end());
  if (kind.renamedFrom)
    indices.erase(kind.renamedTo);

  // Along one axis: a state per operand, then the result's.
  std::vector<std::string> ways;
  auto way = [&](auto ofOperand, char ofResult) {
    std::string states;
    for (int i = 0; i < int(operands.size()); ++i)
      states += ofOperand(i);
    ways.push_back(states + ofResult);
  };
  way([](int) { return 'R'; }, 'R');
  for (char index : indices) {
    char made = index == kind.renamedFrom ? kind.renamedTo : index;
    if (!StringRef(name).contains(made))
      made = kind.reduction;
    if (made)
      way(
          [&](int i) {
            return StringRef(dims[operands[i]]).contains(index) ? index : 'R';
          },
          made);
  }
  if (kind.isLinearInAll)
    way([](int) { return 'P'; }, 'P');
  for (int i = 0; i < int(operands.size()); ++i)
    if (kind.isLinearInEach || (kind.isLinearInFirst && i == 0))
      way([&](int j) { return i == j ? 'P' : 'R'; }, 'P');

  double flops = kind.isMatmul ? 2 : 1;
  for (char index : indices)
    flops *= sizes.of.at(index);
  std::vector<std::vector<Letters>> options = {
      std::vector<Letters>(operands.size() + 1)};
  for (size_t axis = 0; axis < sizes.mesh.size(); ++axis) {
    std::vector<std::vector<Letters>> more;
    for (const std::vector<Letters> &option : options) {
      for (const std::string &states : ways) {
        more.push_back(option);
        for (auto [placement, state] : zip(more.back(), states))
          placement += state;
      }
    }
    options = std::move(more);
  }
  std::vector<Cost> costs;
  for (const std::vector<Letters> &option : options) {
    double work = flops, bytes = sizes.local(name, option.back());
    std::set<char> split;
    for (auto [operand, placement] : zip(operands, option))
      bytes += sizes.local(dims[operand], placement);
    for (size_t axis = 0; axis < sizes.mesh.size(); ++axis)
      for (const Letters &placement : option)
        if (islower(placement[axis])) {
          work /= sizes.mesh[axis];
          break;
        }
    costs.push_back(
        makeComputeCost(objective, std::max(work / 400e12, bytes / 3e12)));
  }
  int node = problem.addNode(std::move(costs));
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<int> needed;
    for (const std::vector<Letters> &option : options)
      needed.push_back(moves->number(option[i]));
    problem.addUse(operands[i], node, std::move(needed));
  }
  std::vector<Letters> produced;
  for (const std::vector<Letters> &option : options)
    produced.push_back(option.back());
  return define(node, name, produced);
}

void Builder::differentiate(int output, const Letters &pin) {
  std::map<int, std::vector<int>> cotangents;
  cotangents[output] = {input(dims[output], pin, false)};
  auto cotangentOf = [&](int value) {
    std::vector<int> &all = cotangents[value];
    if (all.size() > 1)
      all = {accumulate(all)};
    return all.empty() ? -1 : all[0];
  };
  std::vector<Recorded> recorded = tape;
  for (const Recorded &entry : reverse(recorded)) {
    int cotangent = cotangentOf(entry.value);
    if (cotangent < 0 || entry.kind == 'X')
      continue;
    for (size_t i = 0; i < entry.operands.size(); ++i) {
      int operand = entry.operands[i];
      if (auto it = leaf.find(operand);
          it != leaf.end() && !it->second.wantsGradient)
        continue;
      std::vector<int> uses = {cotangent};
      Kind kind;
      switch (entry.kind) {
      case 'A':
        cotangents[operand].push_back(cotangent);
        continue;
      case 'E':
        for (size_t j = 0; j < entry.operands.size(); ++j)
          if (j != i)
            uses.push_back(entry.operands[j]);
        kind.isLinearInEach = kind.isMatmul = true;
        kind.reduction = 'P';
        break;
      case 'M':
        kind.isLinearInEach = true;
        kind.renamedFrom = entry.to;
        kind.renamedTo = entry.from;
        break;
      case 'R':
        kind.isLinearInEach = true;
        break;
      default:
        for (int saved : entry.operands)
          if (!is_contained(uses, saved))
            uses.push_back(saved);
        kind.isLinearInFirst = true;
        kind.reduction = 'P';
      }
      cotangents[operand].push_back(op(uses, std::string(dims[operand]), kind));
    }
  }
  for (auto &[value, from] : std::map(leaf))
    if (from.wantsGradient)
      if (int gradient = cotangentOf(value); gradient >= 0)
        result(gradient, from.pin);
}

} // namespace

PlanProblem makeMlpChain(int blocks, std::vector<int> mesh,
                         Objective objective) {
  Builder b(mesh, {{'b', 4096}, {'d', 1024}, {'f', 4096}}, objective);
  auto pin = [&](char first, char last) {
    return mesh.size() == 1 ? Letters(1, last) : Letters{first, last};
  };
  int x = b.input("bd", pin('b', 'R'), false);
  for (int block = 0; block < blocks; ++block) {
    int w1 = b.input("df", pin('d', 'f'), true);
    int w2 = b.input("fd", pin('d', 'f'), true);
    int h = b.map({b.einsum({x, w1}, "bf")}, "bf");
    x = b.einsum({h, w2}, "bd");
  }
  b.result(x, pin('b', 'R'));
  b.differentiate(x, pin('b', 'R'));
  return b.take();
}

PlanProblem makeTransformer(int layers, std::vector<int> mesh,
                            Objective objective) {
  Builder b(mesh,
            {{'b', 4},
             {'t', 2048},
             {'s', 2048},
             {'d', 4096},
             {'h', 32},
             {'k', 128},
             {'f', 14336}},
            objective);
  auto pin = [&](char first, char last) {
    return mesh.size() == 1 ? Letters(1, last) : Letters{first, last};
  };
  int x = b.input("btd", pin('b', 't'), false);
  auto norm = [&](int value) {
    int square = b.map({value}, "btd");
    int scale = b.map({b.sum(square, "bt")}, "bt");
    int weight = b.input("d", pin('d', 'R'), true);
    return b.map({value, scale, weight}, "btd");
  };
  for (int layer = 0; layer < layers; ++layer) {
    int y = norm(x);
    int wq = b.input("dhk", pin('d', 'h'), true);
    int wk = b.input("dhk", pin('d', 'h'), true);
    int wv = b.input("dhk", pin('d', 'h'), true);
    int wo = b.input("hkd", pin('d', 'h'), true);
    int q = b.einsum({y, wq}, "bthk");
    int k = b.rename(b.einsum({y, wk}, "bthk"), "bshk", 't', 's');
    int v = b.rename(b.einsum({y, wv}, "bthk"), "bshk", 't', 's');
    int scores = b.einsum({q, k}, "bhts");
    int most = b.map({scores}, "bht", 'M');
    int e = b.map({scores, most}, "bhts");
    int p = b.map({e, b.sum(e, "bht")}, "bhts");
    int o = b.einsum({p, v}, "bthk");
    x = b.add(x, b.einsum({o, wo}, "btd"));
    y = norm(x);
    int w1 = b.input("df", pin('d', 'f'), true);
    int w3 = b.input("df", pin('d', 'f'), true);
    int w2 = b.input("fd", pin('d', 'f'), true);
    int h = b.map({b.einsum({y, w1}, "btf"), b.einsum({y, w3}, "btf")}, "btf");
    x = b.add(x, b.einsum({h, w2}, "btd"));
  }
  b.result(x, pin('b', 't'));
  b.differentiate(x, pin('b', 't'));
  return b.take();
}

} // namespace tpc::test
