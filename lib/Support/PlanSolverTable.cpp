// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which rows of a table can matter.
//
// Dropping a row is safe when another row can stand in for it whatever the rest
// does: weight(other) + the most its states can cost more <= weight(row). The
// ports belong to different values, so the most of each port can be added up.

#include "PlanSolverTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc::plan {

void keepRows(Table &table, ArrayRef<int> rows, MoveStates &states) {
  if (rows.size() != table.numRows()) {
    Table result;
    result.ports = std::move(table.ports);
    for (int row : rows)
      result.addRow(ArrayRef(table.states)
                        .slice(row * result.ports.size(), result.ports.size()),
                    table.weights[row], table.origins[row]);
    table = std::move(result);
  }
  table.sets.clear();
  for (auto [c, value] : enumerate(table.ports)) {
    std::vector<int> members;
    for (size_t row = 0; row < table.numRows(); ++row)
      members.push_back(table.state(row, c));
    table.sets.push_back(states.of(value).makeSet(std::move(members)));
  }
}

bool prune(Table &table, MoveStates &states, ArrayRef<Outside> outside) {
  size_t columns = table.ports.size(), rows = table.numRows();
  std::vector<int> order;
  for (size_t row = 0; row < rows; ++row) {
    bool isDead = false;
    for (size_t c = 0; c < columns && !isDead; ++c)
      isDead = outside[c].states >= 0 &&
               states.of(table.ports[c])
                   .isDead(table.state(row, c), outside[c].states);
    if (!isDead)
      order.push_back(row);
  }
  llvm::sort(order, [&](int a, int b) {
    return std::tie(table.weights[a].parts, a) <
           std::tie(table.weights[b].parts, b);
  });

  // Per column the states as small numbers, and a matrix of what it may cost
  // to stand in, filled when asked for.
  std::vector<std::vector<int>> local(columns), global(columns);
  std::vector<std::vector<std::optional<Weight>>> increase(columns);
  for (size_t c = 0; c < columns; ++c) {
    DenseMap<int, int> numbers;
    local[c].assign(rows, 0);
    for (int row : order) {
      auto [it, isNew] =
          numbers.try_emplace(table.state(row, c), int(numbers.size()));
      local[c][row] = it->second;
      if (isNew)
        global[c].push_back(it->first);
    }
    if (global[c].size() <= 2048)
      increase[c].resize(global[c].size() * global[c].size());
  }
  auto increaseOf = [&](size_t c, int from, int to) -> Weight {
    int a = local[c][from], b = local[c][to];
    if (a == b)
      return Weight();
    auto compute = [&] {
      TypeStates &type = states.of(table.ports[c]);
      if (outside[c].states >= 0)
        return type.increase(global[c][a], global[c][b], outside[c].states);
      return type.increaseBound(global[c][a], global[c][b],
                                outside[c].producers);
    };
    if (increase[c].empty())
      return compute();
    std::optional<Weight> &entry = increase[c][a * global[c].size() + b];
    if (!entry)
      entry = compute();
    return *entry;
  };

  std::vector<int> kept;
  size_t compared = std::max<size_t>(16, 400000 / (rows + 1));
  for (int row : order) {
    const Weight &weight = table.weights[row];
    bool isDominated = false;
    for (int other : ArrayRef(kept).take_front(compared)) {
      Weight sum = table.weights[other];
      bool isWorse = true;
      for (size_t c = 0; c < columns && isWorse; ++c) {
        Weight more = increaseOf(c, row, other);
        if (more.isInfinite())
          isWorse = false;
        else
          sum = sum + more;
      }
      if (isWorse && !(weight < sum)) {
        isDominated = true;
        break;
      }
    }
    if (!isDominated)
      kept.push_back(row);
  }

  llvm::sort(kept);
  keepRows(table, kept, states);
  return kept.size() != rows;
}

} // namespace tpc::plan
