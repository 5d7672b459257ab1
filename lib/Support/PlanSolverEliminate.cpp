// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which rows are joined, and reads the choice back.
//
// One table per node to begin with; two are joined at a time until one per
// component is left. In a program whose layers repeat the tables stay as small
// as the cut between two layers, so the work grows with the number of layers.

#include "PlanSolverEliminate.h"
#include "PlanSolverOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>
#include <queue>

using namespace llvm;

namespace tpc::plan {

Eliminator::Eliminator(const PlanProblem &problem, MoveStates &states,
                       const OpenOptions &open, SolverStats &stats)
    : problem(problem), states(states), open(open), stats(stats) {}

void Eliminator::makeNodeTables() {
  ArrayRef<PlanProblem::Node> nodes = problem.getNodes();
  ArrayRef<PlanProblem::Value> values = problem.getValues();
  // A node's end of a value: what it makes, or all its uses.
  struct End {
    int value;
    bool isProducer;
    std::vector<const std::vector<int> *> needed;
  };
  std::vector<std::vector<End>> ends(nodes.size());
  for (auto [index, value] : enumerate(values)) {
    if (open[value.producer].empty())
      continue;
    std::map<int, End> uses;
    for (const PlanProblem::Use &use : value.uses)
      if (!open[use.node].empty())
        uses.try_emplace(use.node, End{int(index), false, {}})
            .first->second.needed.push_back(&use.needed);
    if (uses.empty())
      continue;
    ends[value.producer].push_back({int(index), true, {}});
    for (auto &[node, end] : uses)
      ends[node].push_back(std::move(end));
  }

  nodeTablesOf.resize(values.size());
  SmallVector<int> row, needed;
  for (auto [node, options] : enumerate(open)) {
    if (options.empty())
      continue;
    Table table;
    for (const End &end : ends[node])
      table.ports.push_back(end.value);
    for (int option : options) {
      const Cost &cost = nodes[node].options[option];
      if (cost.isInfinite())
        continue;
      row.clear();
      for (const End &end : ends[node]) {
        needed.clear();
        for (const std::vector<int> *placements : end.needed)
          needed.push_back((*placements)[option]);
        std::optional<int> produced;
        if (end.isProducer)
          produced = values[end.value].produced[option];
        row.push_back(states.of(end.value).makeState(produced, needed));
      }
      table.addRow(row, optionWeight(node, option, cost), {option, 0});
    }
    for (int value : table.ports)
      nodeTablesOf[value].push_back(allNodeTables.size());
    // Nothing is known of the rest yet, but of equal rows one will do.
    prune(table, states, SmallVector<Outside>(table.ports.size()));
    allNodeTables.push_back(std::move(table));
    parts.push_back({int(node), -1});
  }
}

bool Eliminator::pruneTable(int t) {
  SmallVector<Outside> outside;
  for (int value : tables[t].ports) {
    TypeStates &type = states.of(value);
    Outside &rest = outside.emplace_back();
    bool isFirst = true;
    for (int other : tablesOf[value]) {
      if (other == t)
        continue;
      int set = tables[other].sets[tables[other].findPort(value)];
      rest.states = isFirst ? set : type.joinSets(rest.states, set);
      isFirst = false;
      ArrayRef<int> members = type.members(set);
      if (!members.empty() && type.produced(members.front()))
        rest.producers = set;
    }
  }
  return prune(tables[t], states, outside);
}

Eliminator::Status Eliminator::makeConsistent() {
  // A table that loses rows lets its neighbours lose some.
  std::vector<char> isWaiting(tables.size(), true);
  std::queue<int> waiting;
  for (size_t t = 0; t < tables.size(); ++t)
    waiting.push(t);
  while (!waiting.empty()) {
    int t = waiting.front();
    waiting.pop();
    isWaiting[t] = false;
    bool changed = tables[t].numRows() != 0 && pruneTable(t);
    if (!changed && tables[t].numRows() != 0)
      continue;
    std::vector<int> neighbours;
    for (int value : tables[t].ports)
      llvm::append_range(neighbours, tablesOf[value]);
    if (tables[t].numRows() == 0) {
      neighbours.push_back(t);
      setConflict(neighbours);
      return Status::Conflict;
    }
    for (int other : neighbours) {
      if (other != t && !isWaiting[other]) {
        isWaiting[other] = true;
        waiting.push(other);
      }
    }
  }
  return Status::Solved;
}

void Eliminator::start() {
  size_t count = nodeTables.size();
  tables = nodeTables;
  parts.resize(count);
  isLive.assign(count, true);
  tablesOf = nodeTablesOf;
  current = dual;
  least.clear();
  bound = 0;
  if (!current)
    return;
  for (int64_t floor : current->floors)
    bound += floor;
  for (size_t t = 0; t < count; ++t) {
    least.push_back(leastRow(t));
    bound += least.back();
  }
}

Eliminator::Status Eliminator::prepare() {
  makeNodeTables();
  nodeTables = allNodeTables;
  start();
  Status status = makeConsistent();
  for (const Table &table : tables)
    stats.optionsLeft += table.numRows();
  allNodeTables = nodeTables = tables;
  return status;
}

void Eliminator::findBound() {
  bool composable = problem.getMoves() == PlanProblem::Moves::Composable;
  dual = findDual(nodeTables, nodeTablesOf.size(), states, composable);
  start();
}

int64_t Eliminator::getBound() const {
  return divideCeilSigned(bound, dual->scale);
}

int64_t Eliminator::rowBound(int t, size_t row) const {
  return tables[t].weights[row].parts[0] * current->scale +
         current->priceOf(t, tables[t].row(row));
}

int64_t Eliminator::leastRow(int t) const {
  int64_t lowest = std::numeric_limits<int64_t>::max();
  for (size_t row = 0; row < tables[t].numRows(); ++row)
    lowest = std::min(lowest, rowBound(t, row));
  return lowest;
}

void Eliminator::resetLimit() {
  nodeTables = allNodeTables;
  limit.reset();
  start();
}

Eliminator::Status Eliminator::setLimit(int64_t most) {
  resetLimit();
  limit = most;
  for (size_t t = 0; t < tables.size(); ++t) {
    std::vector<int> kept;
    for (size_t row = 0; row < tables[t].numRows(); ++row)
      if (divideCeilSigned(bound - least[t] + rowBound(t, row),
                           current->scale) <= most)
        kept.push_back(row);
    keepRows(tables[t], kept, states);
  }
  Status status = makeConsistent();
  nodeTables = tables;
  return status;
}

std::vector<std::pair<int, int>> Eliminator::chooseOrder() const {
  std::vector<OpenValues> open;
  std::vector<double> bits(tablesOf.size());
  for (const Table &table : tables) {
    open.emplace_back(table.ports.begin(), table.ports.end());
    for (auto [value, set] : zip_equal(table.ports, table.sets)) {
      // A value with one state is not quite free.
      double size = states.of(value).members(set).size();
      bits[value] = std::max(bits[value], std::log2(size) + 0.1);
    }
  }
  return findOrder(open, bits);
}

bool Eliminator::isClosedBy(int value, int a, int b) const {
  return tablesOf[value].size() == 2 && is_contained(tablesOf[value], a) &&
         is_contained(tablesOf[value], b);
}

Eliminator::Status Eliminator::joinPair(int a, int b, const Effort &effort) {
  SmallVector<int> closed;
  for (int value : tables[a].ports)
    if (isClosedBy(value, a, b))
      closed.push_back(value);
  JoinBound joinBound;
  if (current) {
    joinBound.scale = current->scale;
    joinBound.pricesA = current->prices[a];
    joinBound.pricesB = current->prices[b];
    joinBound.outside = bound - least[a] - least[b];
    for (int value : closed)
      joinBound.outside -= current->floors[value];
    joinBound.most = limit.value_or(std::numeric_limits<int64_t>::max());
  }
  std::optional<Table> table =
      join(tables[a], tables[b], closed, states, current ? &joinBound : nullptr,
           effort.maxRows, effort.maxWork, stats.pairsJoined);
  if (!table)
    return Status::TooLarge;

  int t = tables.size();
  tables.push_back(std::move(*table));
  parts.push_back({a, b});
  isLive.push_back(true);
  isLive[a] = isLive[b] = false;
  for (int old : {a, b})
    for (int value : tables[old].ports)
      llvm::erase(tablesOf[value], old);
  for (int value : tables[t].ports)
    tablesOf[value].push_back(t);
  if (tables[t].numRows() == 0) {
    setConflict({t});
    return Status::Conflict;
  }
  pruneTable(t);
  if (tables[t].numRows() == 0) {
    setConflict({t});
    return Status::Conflict;
  }
  if (current)
    current->prices.push_back(std::move(joinBound.prices));
  if (effort.beam != 0)
    cutToBeam(t, effort.beam);
  stats.largestTable =
      std::max<int64_t>(stats.largestTable, tables[t].numRows());
  if (current) {
    least.push_back(leastRow(t));
    bound = joinBound.outside + least.back();
    current->prices[a].clear();
    current->prices[b].clear();
  }
  // Only the origins are needed from here on.
  for (int old : {a, b}) {
    tables[old].states = {};
    tables[old].weights = {};
    tables[old].ports = {};
  }
  return Status::Solved;
}

void Eliminator::cutToBeam(int t, int64_t beam) {
  size_t rows = tables[t].numRows();
  if (int64_t(rows) <= beam)
    return;
  std::vector<int> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::vector<int64_t> bounds;
  for (size_t row = 0; row < rows; ++row)
    bounds.push_back(rowBound(t, row));
  llvm::sort(order, [&](int x, int y) {
    return std::tie(bounds[x], tables[t].weights[x].parts, x) <
           std::tie(bounds[y], tables[t].weights[y].parts, y);
  });
  order.resize(beam);
  llvm::sort(order);
  keepRows(tables[t], order, states);
}

Eliminator::Status Eliminator::solve(const Effort &effort) {
  start();
  stats.pairsJoined = 0;
  for (auto [a, b] : chooseOrder()) {
    Status status = joinPair(a, b, effort);
    if (status != Status::Solved)
      return status;
  }
  choice.assign(problem.numNodes(), -1);
  for (size_t t = 0; t < tables.size(); ++t)
    if (isLive[t])
      readBack(t);
  return Status::Solved;
}

void Eliminator::readBack(int t) {
  std::vector<std::pair<int, int>> stack = {{t, 0}};
  while (!stack.empty()) {
    auto [table, row] = stack.back();
    stack.pop_back();
    auto [first, second] = tables[table].origins[row];
    auto [left, right] = parts[table];
    if (right < 0) {
      choice[left] = first;
      continue;
    }
    stack.push_back({left, first});
    stack.push_back({right, second});
  }
}

void Eliminator::setConflict(std::vector<int> from) {
  conflict.clear();
  while (!from.empty()) {
    auto [left, right] = parts[from.back()];
    from.pop_back();
    if (right < 0) {
      conflict.push_back(left);
      continue;
    }
    from.push_back(left);
    from.push_back(right);
  }
  llvm::sort(conflict);
  conflict.erase(llvm::unique(conflict), conflict.end());
}

} // namespace tpc::plan
