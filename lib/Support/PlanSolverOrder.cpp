// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides in which order tables are joined, from the values they share alone.
//
// Finding the best order is a hard problem of its own (that of contracting a
// tensor network). Greedy orders by several scores are tried, with a little
// noise when the tables are large, and the one of the least estimated work is
// taken.

#include "PlanSolverOrder.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <queue>
#include <random>

using namespace llvm;

namespace tpc::plan {

namespace {

struct Order {
  std::vector<std::pair<int, int>> joins;
  /// Pairs of rows: in all, and in the largest join.
  double work = 0;
  double peak = 0;
};

/// Makes one order.
class GreedyOrder {
public:
  GreedyOrder(ArrayRef<OpenValues> tables, ArrayRef<double> bits, double keep,
              double noise, uint32_t seed);

  /// Joins the pair of the least size(joined) - keep * (sizes of both) first,
  /// with the logarithm of the size blurred by `noise`.
  Order run();

private:
  struct Port {
    int value;
    int ends;
  };
  struct Group {
    SmallVector<Port, 8> ports;
    /// Logarithm of the number of rows.
    double size = 0;
    bool isLive = true;
  };
  struct Pair {
    double score;
    int a, b;
    bool operator<(const Pair &o) const {
      return std::tie(score, a, b) > std::tie(o.score, o.a, o.b);
    }
  };

  SmallVector<Port, 8> joined(int a, int b) const;
  double sizeOf(ArrayRef<Port> ports) const;
  void offerPairs(int t);
  void replace(int old, int t);

  ArrayRef<double> bits;
  double keep, noise;
  std::mt19937 random;
  std::vector<Group> groups;
  /// Per value: how many ends it has, and the live groups with some of them.
  std::vector<int> numEnds;
  std::vector<SmallVector<int, 4>> groupsOf;
  std::priority_queue<Pair> pairs;
};

GreedyOrder::GreedyOrder(ArrayRef<OpenValues> tables, ArrayRef<double> bits,
                         double keep, double noise, uint32_t seed)
    : bits(bits), keep(keep), noise(noise), random(seed), numEnds(bits.size()),
      groupsOf(bits.size()) {
  for (const OpenValues &values : tables) {
    Group group;
    for (int value : values) {
      group.ports.push_back({value, 1});
      groupsOf[value].push_back(groups.size());
      ++numEnds[value];
    }
    group.size = sizeOf(group.ports);
    groups.push_back(std::move(group));
  }
}

double GreedyOrder::sizeOf(ArrayRef<Port> ports) const {
  // Several ends in one table have more states together.
  double sum = 0;
  for (const Port &port : ports)
    sum += bits[port.value] * (port.ends == 1 ? 1 : 1.3);
  return sum;
}

SmallVector<GreedyOrder::Port, 8> GreedyOrder::joined(int a, int b) const {
  SmallVector<Port, 8> result;
  ArrayRef<Port> x = groups[a].ports, y = groups[b].ports;
  while (!x.empty() || !y.empty()) {
    if (y.empty() || (!x.empty() && x.front().value < y.front().value)) {
      result.push_back(x.consume_front());
    } else if (x.empty() || y.front().value < x.front().value) {
      result.push_back(y.consume_front());
    } else {
      Port port = x.consume_front();
      port.ends += y.consume_front().ends;
      if (port.ends < numEnds[port.value])
        result.push_back(port);
    }
  }
  return result;
}

void GreedyOrder::offerPairs(int t) {
  // Of a value that ends in many tables only those next to this one are tried;
  // each table has such neighbours, so none is left alone.
  constexpr int reach = 4;
  SmallVector<int> others;
  for (const Port &port : groups[t].ports) {
    ArrayRef<int> all = groupsOf[port.value];
    int at = llvm::find(all, t) - all.begin();
    for (int i = std::max(0, at - reach);
         i < std::min<int>(all.size(), at + reach + 1); ++i)
      if (i != at)
        others.push_back(all[i]);
  }
  llvm::sort(others);
  others.erase(llvm::unique(others), others.end());
  for (int other : others) {
    double blur = noise * ((random() >> 8) * 0x1p-24 - 0.5);
    double size = sizeOf(joined(t, other));
    double score =
        std::exp2(size + blur) -
        keep * (std::exp2(groups[t].size) + std::exp2(groups[other].size));
    pairs.push({score, std::min(t, other), std::max(t, other)});
  }
}

void GreedyOrder::replace(int old, int t) {
  groups[old].isLive = false;
  for (const Port &port : groups[old].ports) {
    auto &all = groupsOf[port.value];
    // Where the value lives on, the new group takes the place of the first.
    bool isOpen = any_of(groups[t].ports, [&](const Port &other) {
      return other.value == port.value;
    });
    if (isOpen && !is_contained(all, t))
      *llvm::find(all, old) = t;
    else
      llvm::erase(all, old);
  }
}

Order GreedyOrder::run() {
  for (size_t t = 0; t < groups.size(); ++t)
    offerPairs(t);
  Order order;
  while (!pairs.empty()) {
    auto [score, a, b] = pairs.top();
    pairs.pop();
    if (!groups[a].isLive || !groups[b].isLive)
      continue;
    int t = groups.size();
    Group group;
    group.ports = joined(a, b);
    group.size = sizeOf(group.ports);
    groups.push_back(std::move(group));
    order.joins.push_back({a, b});
    double work = std::exp2(groups[a].size + groups[b].size);
    order.work += work;
    order.peak = std::max(order.peak, work);
    replace(a, t);
    replace(b, t);
    offerPairs(t);
  }
  return order;
}

} // namespace

std::vector<std::pair<int, int>> findOrder(ArrayRef<OpenValues> tables,
                                           ArrayRef<double> bits) {
  constexpr int rounds = 4;
  constexpr double largePeak = 1 << 16;
  Order best;
  uint32_t seed = 0;
  for (int round = 0; round < rounds; ++round) {
    for (double keep : {0.0, 0.5, 1.0, 2.0}) {
      double noise = round == 0 ? 0 : 2;
      Order order = GreedyOrder(tables, bits, keep, noise, ++seed).run();
      if (seed == 1 || order.work < best.work)
        best = std::move(order);
      if (best.peak < largePeak)
        return std::move(best.joins);
    }
  }
  return std::move(best.joins);
}

} // namespace tpc::plan
