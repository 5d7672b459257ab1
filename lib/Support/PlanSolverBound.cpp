// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides prices that split the problem into tables and values.
//
// Prices that make the bound highest solve the dual of the linear program over
// the local polytope. They are approached by block-coordinate ascent in the
// manner of TRW-S: each table in turn takes from the values it touches all they
// have, as min-marginals, and hands on what it has to the values that end
// further along the sweep. Where that stops is not always the optimum of the
// linear program, but on programs met in practice the bound is the cost of the
// best plan. Prices are floating point while they are looked for.

#include "PlanSolverBound.h"
#include "PlanSolverFloor.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace tpc::plan {

namespace {

/// Sweeps forth and back at most, and the relative gains below which they are
/// slow: at first and in the end.
constexpr int maxSweeps = 1000;
constexpr double firstGain = 1e-4;
constexpr double lastGain = 1e-8;

class Ascent {
public:
  Ascent(ArrayRef<Table> tables, size_t numValues, MoveStates &states,
         bool composable);

  void sweep(bool isForward);
  double bound() const;
  Dual round(int64_t scale, bool extend);
  bool wasExtended = false;

private:
  struct End {
    int table;
    std::vector<double> price;
  };
  struct Factor {
    /// Its number in `lists`.
    int list = -1;
    std::vector<End> ends;
  };

  End &endAt(size_t t, size_t column) {
    return factors[tables[t].ports[column]].ends[endOf[t][column]];
  }
  ArrayRef<int> statesAt(size_t t, size_t column) const {
    const Factor &factor = factors[tables[t].ports[column]];
    return lists[factor.list]->getEnds()[endOf[t][column]].states;
  }
  /// Least cost - prices for each state of an end, without its own price.
  void marginalsOf(const Factor &factor, size_t end,
                   std::vector<double> &least) const;
  double rowSum(size_t t, size_t row) const;
  void visit(size_t t, bool isForward);

  ArrayRef<Table> tables;
  std::vector<Factor> factors;
  /// Shared by values of one type with the same states at their ends.
  std::vector<std::unique_ptr<Combinations>> lists;
  /// Per table and port, which end of its value it is.
  std::vector<SmallVector<int, 4>> endOf;
  /// Per table, row * ports + column: the state's number at its end.
  std::vector<std::vector<int>> localOf;
};

Ascent::Ascent(ArrayRef<Table> tables, size_t numValues, MoveStates &states,
               bool composable)
    : tables(tables), factors(numValues), endOf(tables.size()),
      localOf(tables.size()) {
  std::vector<std::vector<int>> sets(numValues);
  for (auto [t, table] : enumerate(tables)) {
    for (auto [value, set] : zip_equal(table.ports, table.sets)) {
      size_t count = states.of(value).members(set).size();
      endOf[t].push_back(sets[value].size());
      sets[value].push_back(set);
      factors[value].ends.push_back({int(t), std::vector<double>(count, 0.0)});
    }
  }
  std::map<std::pair<int, std::vector<int>>, int> numbers;
  for (size_t value = 0; value < numValues; ++value) {
    if (sets[value].empty())
      continue;
    TypeStates &type = states.of(value);
    auto [it, isNew] = numbers.try_emplace({states.typeOf(value), sets[value]},
                                           int(lists.size()));
    if (isNew)
      lists.push_back(
          std::make_unique<Combinations>(type, sets[value], composable));
    factors[value].list = it->second;
  }
  for (auto [t, table] : enumerate(tables))
    for (size_t row = 0; row < table.numRows(); ++row)
      for (size_t c = 0; c < table.ports.size(); ++c)
        localOf[t].push_back(
            llvm::lower_bound(statesAt(t, c), table.state(row, c)) -
            statesAt(t, c).begin());
}

void Ascent::marginalsOf(const Factor &factor, size_t end,
                         std::vector<double> &least) const {
  const Combinations &list = *lists[factor.list];
  least.assign(factor.ends[end].price.size(), HUGE_VAL);
  for (auto [index, entry] : enumerate(list.getEntries())) {
    double sum = entry.cost;
    for (size_t e = 0; e < factor.ends.size(); ++e) {
      if (e == end)
        continue;
      double most = -HUGE_VAL;
      for (int piece : list.partsOf(index, e))
        most = std::max(most, factor.ends[e].price[piece]);
      sum -= most;
    }
    for (int piece : list.partsOf(index, end))
      least[piece] = std::min(least[piece], sum);
  }
}

double Ascent::rowSum(size_t t, size_t row) const {
  const Table &table = tables[t];
  double sum = table.weights[row].parts[0];
  for (size_t c = 0; c < table.ports.size(); ++c)
    sum += factors[table.ports[c]]
               .ends[endOf[t][c]]
               .price[localOf[t][row * table.ports.size() + c]];
  return sum;
}

void Ascent::visit(size_t t, bool isForward) {
  const Table &table = tables[t];
  size_t columns = table.ports.size();
  std::vector<std::vector<double>> least(columns);
  int ahead = 0, behind = 0;
  SmallVector<char> isAhead;
  for (size_t c = 0; c < columns; ++c) {
    const Factor &factor = factors[table.ports[c]];
    marginalsOf(factor, endOf[t][c], least[c]);
    // A state that nothing fits keeps its price.
    for (auto [price, all] : zip_equal(endAt(t, c).price, least[c]))
      if (all < HUGE_VAL)
        price = all;
    auto endsOn = [&](bool later) {
      return any_of(factor.ends, [&](const End &other) {
        return later ? other.table > int(t) : other.table < int(t);
      });
    };
    isAhead.push_back(endsOn(isForward));
    ahead += isAhead.back();
    behind += endsOn(!isForward);
  }
  if (ahead == 0)
    return;
  for (std::vector<double> &all : least)
    llvm::fill(all, HUGE_VAL);
  for (size_t row = 0; row < table.numRows(); ++row) {
    double sum = rowSum(t, row);
    for (size_t c = 0; c < columns; ++c) {
      double &entry = least[c][localOf[t][row * columns + c]];
      entry = std::min(entry, sum);
    }
  }
  double share = 1.0 / std::max(ahead, behind);
  for (size_t c = 0; c < columns; ++c)
    if (isAhead[c])
      for (auto [price, all] : zip_equal(endAt(t, c).price, least[c]))
        if (all < HUGE_VAL)
          price -= share * all;
}

void Ascent::sweep(bool isForward) {
  for (size_t i = 0; i < tables.size(); ++i)
    visit(isForward ? i : tables.size() - 1 - i, isForward);
}

double Ascent::bound() const {
  double sum = 0;
  for (size_t t = 0; t < tables.size(); ++t) {
    double least = HUGE_VAL;
    for (size_t row = 0; row < tables[t].numRows(); ++row)
      least = std::min(least, rowSum(t, row));
    sum += least;
  }
  std::vector<double> least;
  for (const Factor &factor : factors) {
    if (factor.ends.empty())
      continue;
    marginalsOf(factor, 0, least);
    double floor = HUGE_VAL;
    for (auto [all, price] : zip_equal(least, factor.ends[0].price))
      floor = std::min(floor, all - price);
    sum += floor;
  }
  return sum;
}

Dual Ascent::round(int64_t scale, bool extend) {
  Dual dual{scale, {}, {}};
  std::vector<std::vector<SmallVector<int64_t>>> rounded(factors.size());
  std::vector<std::vector<int>> missing(lists.size());
  wasExtended = false;
  for (auto [value, factor] : enumerate(factors)) {
    for (const End &end : factor.ends) {
      auto &list = rounded[value].emplace_back();
      for (double price : end.price)
        list.push_back(std::llround(price * scale));
    }
    int64_t floor = 0;
    if (!factor.ends.empty())
      floor = lists[factor.list]->floorOf(
          rounded[value], scale, extend ? &missing[factor.list] : nullptr);
    dual.floors.push_back(floor);
  }
  for (auto [list, all] : zip_equal(lists, missing)) {
    llvm::sort(all);
    all.erase(llvm::unique(all), all.end());
    for (int state : all)
      list->add(state);
    wasExtended |= !all.empty();
  }
  for (size_t t = 0; t < tables.size(); ++t) {
    auto &columns = dual.prices.emplace_back();
    for (auto [c, value] : enumerate(tables[t].ports)) {
      auto &byState = columns.emplace_back();
      for (auto [state, price] :
           zip_equal(statesAt(t, c), rounded[value][endOf[t][c]]))
        byState[state] = price;
    }
  }
  return dual;
}

} // namespace

Dual findDual(ArrayRef<Table> tables, size_t numValues, MoveStates &states,
              bool composable) {
  Ascent ascent(tables, numValues, states, composable);
  // Leave room for sums of prices.
  int64_t scale = 4096;
  while (scale > 1 && states.sumOfDearest() > (int64_t(1) << 55) / scale)
    scale /= 2;
  double best = -HUGE_VAL, gain = firstGain;
  for (int i = 0; i < maxSweeps; ++i) {
    ascent.sweep(true);
    ascent.sweep(false);
    double bound = ascent.bound();
    bool isSlow = bound - best < gain * std::abs(bound);
    best = bound;
    if (!isSlow)
      continue;
    // A good moment to look for what the bound does not heed yet.
    Dual dual = ascent.round(scale, true);
    if (ascent.wasExtended)
      best = -HUGE_VAL;
    else if (gain <= lastGain)
      return dual;
    else
      gain /= 10;
  }
  return ascent.round(scale, false);
}

} // namespace tpc::plan
