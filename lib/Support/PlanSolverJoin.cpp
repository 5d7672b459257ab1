// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how two tables are joined.
//
// Every pair of rows makes one of the result. Where nothing stays open between
// the two tables it is cheaper to carry one of them over to the shared states
// of the other first, with the costs of the values that close, and to match
// then.

#include "PlanSolverTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tpc::plan {

namespace {

/// Numbers the distinct rows over some columns, in order of appearance.
struct RowNumbers {
  RowNumbers(const Table &table, ArrayRef<int> columns) {
    size_t rows = table.numRows();
    ofRow.assign(rows, 0);
    count = rows ? 1 : 0;
    for (int column : columns) {
      DenseMap<std::pair<int, int>, int> numbers;
      for (size_t row = 0; row < rows; ++row)
        ofRow[row] = numbers
                         .try_emplace({ofRow[row], table.state(row, column)},
                                      int(numbers.size()))
                         .first->second;
      count = numbers.size();
    }
    example.assign(count, -1);
    for (size_t row = 0; row < rows; ++row)
      if (example[ofRow[row]] < 0)
        example[ofRow[row]] = row;
  }
  std::vector<int> ofRow;
  /// A row with the given number.
  std::vector<int> example;
  int64_t count;
};

/// Least weights by a key below a known bound.
class Minima {
public:
  struct Entry {
    Weight weight = Weight::infinity();
    std::pair<int, int> origin;
  };
  explicit Minima(uint64_t bound) {
    if (bound <= maxDense)
      dense.resize(bound);
  }
  void offer(uint64_t key, const Weight &weight, int a, int b) {
    Entry *entry;
    if (dense.empty()) {
      auto [it, isNew] = numbers.try_emplace(key, sparse.size());
      if (isNew) {
        sparse.emplace_back();
        keys.push_back(key);
      }
      entry = &sparse[it->second];
    } else {
      entry = &dense[key];
    }
    if (weight < entry->weight) {
      entry->weight = weight;
      entry->origin = {a, b};
    }
  }
  /// Calls `visit` with each key that was offered a weight.
  template <typename Visitor> void forEach(Visitor visit) const {
    for (size_t key = 0; key < dense.size(); ++key)
      if (!dense[key].weight.isInfinite())
        visit(key, dense[key]);
    for (size_t i = 0; i < sparse.size(); ++i)
      visit(keys[i], sparse[i]);
  }
  size_t numSparse() const { return sparse.size(); }

private:
  static constexpr uint64_t maxDense = uint64_t(1) << 20;
  std::vector<Entry> dense, sparse;
  std::vector<uint64_t> keys;
  DenseMap<uint64_t, unsigned> numbers;
};

/// Joins two tables.
class Joiner {
public:
  Joiner(const Table &a, const Table &b, ArrayRef<int> closed,
         MoveStates &states, JoinBound *bound)
      : a(a), b(b), states(states), bound(bound), columns(a, b, closed),
        seenA(a, columns.sharedA), seenB(b, columns.sharedB),
        keptA(a, columns.restA), keptB(b, columns.restB) {}

  std::optional<Table> run(int64_t maxRows, int64_t maxWork, int64_t &work);

private:
  /// Columns that both tables have, and the rest of each.
  struct Columns {
    Columns(const Table &a, const Table &b, ArrayRef<int> closed) {
      for (auto [c, value] : enumerate(a.ports)) {
        int other = b.findPort(value);
        if (other == int(b.ports.size())) {
          restA.push_back(c);
          continue;
        }
        shared.push_back(value);
        isClosed.push_back(is_contained(closed, value));
        sharedA.push_back(c);
        sharedB.push_back(other);
      }
      for (auto [c, value] : enumerate(b.ports))
        if (!is_contained(shared, value))
          restB.push_back(c);
    }
    SmallVector<int> shared, sharedA, sharedB, restA, restB;
    SmallVector<char> isClosed;
  };
  /// What two combinations of shared states cost, and the number of the
  /// combination of open states they become.
  struct Meeting {
    Weight cost;
    int number = 0;
  };

  void meet();
  void computePrices();
  bool isTooMuch(int rowA, int rowB, int number, const Weight &weight) const;
  void offer(Minima &minima, int rowA, int rowB, int number,
             const Weight &weight) const;
  void joinDirectly(Minima &minima, int64_t maxRows) const;
  void joinCarried(Minima &minima, bool carryB) const;
  Table makeTable(const Minima &minima) const;

  const Meeting &meetingOf(int x, int y) const {
    return meetings[x * seenB.count + y];
  }

  const Table &a, &b;
  MoveStates &states;
  JoinBound *bound;
  Columns columns;
  RowNumbers seenA, seenB, keptA, keptB;
  std::vector<Meeting> meetings;
  /// The combinations of open states.
  std::vector<std::vector<int>> joint;
  /// Prices of the rows' unshared ports, and of the combinations of open
  /// states.
  std::vector<int64_t> pricesOfA, pricesOfB, pricesOfJoint;
};

void Joiner::meet() {
  meetings.resize(seenA.count * seenB.count);
  std::map<std::vector<int>, int> numbers;
  if (bound)
    bound->prices.resize(columns.shared.size());
  std::vector<int> open;
  for (int64_t x = 0; x < seenA.count; ++x) {
    for (int64_t y = 0; y < seenB.count; ++y) {
      Meeting &meeting = meetings[x * seenB.count + y];
      open.clear();
      for (size_t i = 0; i < columns.shared.size(); ++i) {
        TypeStates &type = states.of(columns.shared[i]);
        int stateA = a.state(seenA.example[x], columns.sharedA[i]);
        int stateB = b.state(seenB.example[y], columns.sharedB[i]);
        int state = type.join(stateA, stateB);
        const Weight &cost = type.cost(state);
        if (cost.isInfinite()) {
          meeting.cost = Weight::infinity();
          break;
        }
        if (columns.isClosed[i]) {
          meeting.cost = meeting.cost + cost;
          continue;
        }
        open.push_back(state);
        if (!bound)
          continue;
        int64_t price = bound->pricesA[columns.sharedA[i]].lookup(stateA) +
                        bound->pricesB[columns.sharedB[i]].lookup(stateB);
        auto [it, isNew] = bound->prices[i].try_emplace(state, price);
        it->second = std::max(it->second, price);
      }
      if (meeting.cost.isInfinite())
        continue;
      auto [it, isNew] = numbers.try_emplace(open, int(joint.size()));
      if (isNew)
        joint.push_back(open);
      meeting.number = it->second;
    }
  }
}

void Joiner::computePrices() {
  auto ofRows = [](const Table &table, ArrayRef<int> columns,
                   ArrayRef<JoinBound::PricesByState> byState) {
    std::vector<int64_t> sums(table.numRows());
    for (size_t row = 0; row < table.numRows(); ++row)
      for (int c : columns)
        sums[row] += byState[c].lookup(table.state(row, c));
    return sums;
  };
  pricesOfA = ofRows(a, columns.restA, bound->pricesA);
  pricesOfB = ofRows(b, columns.restB, bound->pricesB);
  for (const std::vector<int> &open : joint) {
    int64_t sum = 0;
    size_t index = 0;
    for (size_t i = 0; i < columns.shared.size(); ++i)
      if (!columns.isClosed[i])
        sum += bound->prices[i].lookup(open[index++]);
    pricesOfJoint.push_back(sum);
  }
}

bool Joiner::isTooMuch(int rowA, int rowB, int number,
                       const Weight &weight) const {
  // Weights are whole numbers, so prices are rounded up to whole units.
  int64_t prices = pricesOfA[rowA] + pricesOfB[rowB] + pricesOfJoint[number] +
                   bound->outside;
  return weight.parts[0] + divideCeilSigned(prices, bound->scale) > bound->most;
}

void Joiner::offer(Minima &minima, int rowA, int rowB, int number,
                   const Weight &weight) const {
  if (bound && isTooMuch(rowA, rowB, number, weight))
    return;
  uint64_t key = uint64_t(keptA.ofRow[rowA]) * keptB.count + keptB.ofRow[rowB];
  minima.offer(key * joint.size() + number, weight, rowA, rowB);
}

void Joiner::joinDirectly(Minima &minima, int64_t maxRows) const {
  for (size_t rowA = 0; rowA < a.numRows(); ++rowA) {
    for (size_t rowB = 0; rowB < b.numRows(); ++rowB) {
      const Meeting &meeting = meetingOf(seenA.ofRow[rowA], seenB.ofRow[rowB]);
      if (!meeting.cost.isInfinite())
        offer(minima, rowA, rowB, meeting.number,
              a.weights[rowA] + b.weights[rowB] + meeting.cost);
    }
    if (int64_t(minima.numSparse()) > maxRows)
      return;
  }
}

void Joiner::joinCarried(Minima &minima, bool carryB) const {
  const Table &first = carryB ? b : a, &second = carryB ? a : b;
  const RowNumbers &seen = carryB ? seenB : seenA;
  const RowNumbers &met = carryB ? seenA : seenB;
  const RowNumbers &kept = carryB ? keptB : keptA;
  std::vector<std::pair<Weight, int>> carried(kept.count * met.count,
                                              {Weight::infinity(), -1});
  for (size_t row = 0; row < first.numRows(); ++row) {
    for (int64_t other = 0; other < met.count; ++other) {
      int own = seen.ofRow[row];
      const Weight &cost =
          (carryB ? meetingOf(other, own) : meetingOf(own, other)).cost;
      if (cost.isInfinite())
        continue;
      Weight weight = first.weights[row] + cost;
      auto &best = carried[kept.ofRow[row] * met.count + other];
      if (weight < best.first)
        best = {weight, int(row)};
    }
  }
  for (int64_t group = 0; group < kept.count; ++group) {
    for (size_t row = 0; row < second.numRows(); ++row) {
      const auto &[weight, from] = carried[group * met.count + met.ofRow[row]];
      if (from >= 0)
        offer(minima, carryB ? row : from, carryB ? from : row, 0,
              weight + second.weights[row]);
    }
  }
}

Table Joiner::makeTable(const Minima &minima) const {
  // Where the states of a port come from: a column of one table, or of `joint`.
  struct Source {
    int value, side, column;
    size_t sharedIndex;
  };
  SmallVector<Source> sources;
  for (int c : columns.restA)
    sources.push_back({a.ports[c], 0, c, 0});
  for (int c : columns.restB)
    sources.push_back({b.ports[c], 1, c, 0});
  int numOpen = 0;
  for (size_t i = 0; i < columns.shared.size(); ++i)
    if (!columns.isClosed[i])
      sources.push_back({columns.shared[i], 2, numOpen++, i});
  llvm::sort(sources, [](const Source &x, const Source &y) {
    return x.value < y.value;
  });
  Table result;
  for (const Source &source : sources)
    result.ports.push_back(source.value);
  if (bound) {
    decltype(bound->prices) ofPorts;
    for (const Source &source : sources)
      ofPorts.push_back(source.side == 0   ? bound->pricesA[source.column]
                        : source.side == 1 ? bound->pricesB[source.column]
                                           : bound->prices[source.sharedIndex]);
    bound->prices = std::move(ofPorts);
  }
  SmallVector<int> row;
  minima.forEach([&](uint64_t key, const Minima::Entry &entry) {
    row.clear();
    for (const Source &source : sources)
      row.push_back(
          source.side == 0   ? a.state(entry.origin.first, source.column)
          : source.side == 1 ? b.state(entry.origin.second, source.column)
                             : joint[key % joint.size()][source.column]);
    result.addRow(row, entry.weight, entry.origin);
  });
  return result;
}

std::optional<Table> Joiner::run(int64_t maxRows, int64_t maxWork,
                                 int64_t &work) {
  int64_t rowsA = a.numRows(), rowsB = b.numRows();
  if (seenA.count * seenB.count > maxRows)
    return std::nullopt;
  meet();
  if (bound)
    computePrices();
  int64_t direct = rowsA * rowsB;
  int64_t carriedA = rowsA * seenB.count + keptA.count * rowsB;
  int64_t carriedB = rowsB * seenA.count + keptB.count * rowsA;
  // When nothing stays open between the two, carry one table over to the shared
  // states of the other first, then match.
  bool isCarried = joint.size() <= 1 && std::min(carriedA, carriedB) < direct;
  work += isCarried ? std::min(carriedA, carriedB) : direct;
  if (work > maxWork)
    return std::nullopt;
  Minima minima(uint64_t(keptA.count) * keptB.count * joint.size());
  if (isCarried)
    joinCarried(minima, carriedB < carriedA);
  else
    joinDirectly(minima, maxRows);
  Table result = makeTable(minima);
  if (int64_t(result.numRows()) > maxRows)
    return std::nullopt;
  return result;
}

} // namespace

std::optional<Table> join(const Table &a, const Table &b, ArrayRef<int> closed,
                          MoveStates &states, JoinBound *bound, int64_t maxRows,
                          int64_t maxWork, int64_t &work) {
  return Joiner(a, b, closed, states, bound).run(maxRows, maxWork, work);
}

} // namespace tpc::plan
