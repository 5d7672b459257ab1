// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides in which order tables are joined, from which values they share alone.
//
// Finding the best order is a hard problem of its own (it is the order of a
// tensor network's contraction). Greedy orders under several scores are tried,
// with a little noise, and the one with the least estimated work is taken.
#include "PlanSolverOrder.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <queue>
#include <random>

using namespace llvm;

namespace tpc::plan {

namespace {

class OrderSearch {
public:
  OrderSearch(ArrayRef<OpenValues> leaves, ArrayRef<double> bits)
      : leaves(leaves), bits(bits) {}

  struct Order {
    std::vector<std::pair<int, int>> joins;
    double work = 0;
  };
  /// Joins the pair of the least size(joined) - keep * (sizes of both) first,
  /// with the logarithm of sizes blurred by `noise`.
  Order greedy(double keep, double noise, uint32_t seed);

private:
  struct Port {
    int value;
    int ends;
  };
  struct Group {
    SmallVector<Port, 8> ports;
    double size;
    bool isLive = true;
  };
  struct Pair {
    double score;
    int a, b;
    bool operator<(const Pair &o) const {
      return std::tie(score, a, b) > std::tie(o.score, o.a, o.b);
    }
  };

  SmallVector<Port, 8> merged(int a, int b) const;
  double sizeOf(ArrayRef<Port> ports) const;
  void offer(int t, double keep, double noise);

  ArrayRef<OpenValues> leaves;
  ArrayRef<double> bits;
  std::vector<Group> groups;
  std::vector<int> endsOf;
  std::vector<SmallVector<int, 4>> groupsOf;
  std::priority_queue<Pair> pairs;
  std::mt19937 random;
};

double OrderSearch::sizeOf(ArrayRef<Port> ports) const {
  // Several ends in one table have more states together.
  double sum = 0;
  for (const Port &port : ports)
    sum += bits[port.value] * (port.ends == 1 ? 1 : 1.3);
  return sum;
}

SmallVector<OrderSearch::Port, 8> OrderSearch::merged(int a, int b) const {
  SmallVector<Port, 8> result;
  const auto &x = groups[a].ports, &y = groups[b].ports;
  const Port *i = x.begin(), *j = y.begin();
  while (i != x.end() || j != y.end()) {
    if (j == y.end() || (i != x.end() && i->value < j->value)) {
      result.push_back(*i++);
    } else if (i == x.end() || j->value < i->value) {
      result.push_back(*j++);
    } else {
      int ends = i->ends + j->ends;
      if (ends < endsOf[i->value])
        result.push_back({i->value, ends});
      ++i;
      ++j;
    }
  }
  return result;
}

void OrderSearch::offer(int t, double keep, double noise) {
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
    double size = sizeOf(merged(t, other));
    double score =
        std::exp2(size + blur) -
        keep * (std::exp2(groups[t].size) + std::exp2(groups[other].size));
    pairs.push({score, std::min(t, other), std::max(t, other)});
  }
}

OrderSearch::Order OrderSearch::greedy(double keep, double noise,
                                       uint32_t seed) {
  random.seed(seed);
  groups.clear();
  groupsOf.assign(bits.size(), {});
  endsOf.assign(bits.size(), 0);
  pairs = {};
  for (const OpenValues &values : leaves) {
    Group group;
    for (int value : values) {
      group.ports.push_back({value, 1});
      groupsOf[value].push_back(groups.size());
      ++endsOf[value];
    }
    group.size = sizeOf(group.ports);
    groups.push_back(std::move(group));
  }
  for (size_t t = 0; t < leaves.size(); ++t)
    offer(t, keep, noise);
  Order order;
  while (!pairs.empty()) {
    Pair pair = pairs.top();
    pairs.pop();
    if (!groups[pair.a].isLive || !groups[pair.b].isLive)
      continue;
    Group group;
    group.ports = merged(pair.a, pair.b);
    group.size = sizeOf(group.ports);
    order.joins.push_back({pair.a, pair.b});
    order.work += std::exp2(groups[pair.a].size + groups[pair.b].size);
    int t = groups.size();
    for (int old : {pair.a, pair.b}) {
      groups[old].isLive = false;
      for (const Port &port : groups[old].ports) {
        auto &all = groupsOf[port.value];
        auto *it = llvm::find(all, old);
        if (is_contained(all, t))
          all.erase(it);
        else
          *it = t;
      }
    }
    for (const Port &port : group.ports)
      (void)port;
    for (int old : {pair.a, pair.b})
      for (const Port &port : groups[old].ports)
        if (none_of(group.ports,
                    [&](const Port &p) { return p.value == port.value; }))
          groupsOf[port.value].clear();
    groups.push_back(std::move(group));
    offer(t, keep, noise);
  }
  return order;
}

} // namespace

std::vector<std::pair<int, int>> findOrder(ArrayRef<OpenValues> tables,
                                           ArrayRef<double> bits) {
  OrderSearch search(tables, bits);
  OrderSearch::Order best;
  uint32_t seed = 0;
  int tries = getenv("TRIES") ? atoi(getenv("TRIES")) : 4;
  for (int round = 0; round < tries; ++round) {
    for (double keep : {0.0, 0.5, 1.0, 2.0}) {
      OrderSearch::Order order =
          search.greedy(keep, round == 0 ? 0 : 2, ++seed);
      if (getenv("TRACE"))
        fprintf(stderr, "order keep %g round %d work 2^%.1f\n", keep, round,
                std::log2(order.work));
      if (best.joins.empty() || order.work < best.work)
        best = std::move(order);
    }
  }
  return std::move(best.joins);
}

} // namespace tpc::plan
