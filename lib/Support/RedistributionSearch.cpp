// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides the cheapest sequence of steps: A* over placements.
//
// The bound that guides the search is what must still be received, and what it
// takes at least to receive it: one latency, and where no single step leads to
// the target, a second step. Three things keep the search small:
//
// - A placement from which one plain step receives no more than it must is not
//   searched from: nothing is cheaper than that step.
// - A path is known from the start: partials joined, then a grouped send_recv.
//   A step that from its sizes alone is no part of a cheaper path is dropped.
// - A step waits in the queue with a cost from its sizes alone. The exact cost,
//   for which uneven boxes must be compared, is asked for when it is first.
//
// Ties end in fewer steps, then in the order in which steps are listed. Past a
// fixed number of placements the best path so far is taken.

#include "RedistributionSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <deque>
#include <queue>
#include <unordered_map>

using namespace llvm;

namespace tpc {

namespace {

class Search {
public:
  Search(const SearchSpace &space, const Layout &from, const Layout &to);
  SmallVector<Layout, 3> run();

private:
  struct Node {
    Layout layout;
    /// The cheapest known path to here.
    Cost cost = Cost::infinity();
    unsigned steps = 0, parent = 0;
    /// At least this much from here to the target.
    Cost remaining;
    /// What one grouped send_recv to the target costs at least.
    Cost direct;
    /// Elements of the largest box.
    int64_t box = 0;
    /// One plain step leads to the target and receives no more than it must.
    bool closed = false;
    /// Its steps are in the queue.
    bool done = false;
  };

  struct Edge {
    unsigned from, to;
    StepKind kind;
  };

  struct QueueEntry {
    Cost bound;
    unsigned steps;
    Edge edge;
    Cost step;
    bool exact;
    /// For a queue with its smallest entry on top.
    bool operator<(const QueueEntry &o) const {
      if (bound != o.bound)
        return o.bound < bound;
      return std::tie(steps, edge.to, edge.from) >
             std::tie(o.steps, o.edge.to, o.edge.from);
    }
  };

  struct LayoutHash {
    size_t operator()(const Layout &layout) const { return hash_value(layout); }
  };

  BoxChange changeBetween(const Layout &from, const Layout &to) const {
    return BoxChange(space.mesh, space.shape, from.nests, to.nests);
  }
  int64_t groupSize(uint64_t axes) const {
    int64_t size = 1;
    for (; axes; axes &= axes - 1)
      size *= space.mesh.size(countr_zero(axes));
    return size;
  }

  // Bounds.
  int64_t boundBytes(uint64_t partial, int64_t lacking) const;
  Cost atLeast(int64_t bytes, double more = 0) const;
  Cost severalSteps(const Node &node, const BoxChange &change,
                    int64_t bytes) const;
  bool isHopeless(const Cost &cost, unsigned steps) const;

  // Costs.
  Cost localCost(int64_t elements) const;
  Cost transferCost(uint64_t axes, int64_t starts, int64_t bytes) const;
  Cost reduceCost(StepKind kind, uint64_t lost, int64_t before,
                  int64_t after) const;
  Cost leastCost(StepKind kind, const BoxChange &change) const;
  Cost exactCost(const Edge &edge) const;

  // Nodes and the steps between them.
  unsigned node(const Layout &layout);
  void reach(unsigned number, const Cost &cost, unsigned steps,
             unsigned parent);
  void offer(const Edge &edge, const Cost &step, bool exact);
  void offerSendRecv(unsigned from, unsigned to);
  void offerSendRecvs(unsigned number);
  void expand(unsigned number);
  SmallVector<Layout, 3> path() const;

  const SearchSpace &space;
  const MachineDescription &machine;
  StepFilter filter;
  int64_t tensorBytes, ranks, copies;
  bool uniform;
  MachineDescription::Link fastest;
  static constexpr unsigned goal = 0, start = 1;
  std::deque<Node> nodes;
  std::unordered_map<Layout, unsigned, LayoutHash> numbers;
  std::unordered_map<unsigned, SmallVector<unsigned, 8>> sendRecvs;
  std::priority_queue<QueueEntry> queue;
};

} // namespace

Search::Search(const SearchSpace &space, const Layout &from, const Layout &to)
    : space(space), machine(space.machine), tensorBytes(space.elementBytes),
      ranks(groupSize(space.axes)), copies(ranks / groupSize(to.sharded())),
      uniform(machine.isUniform(space.mesh)), fastest(machine.defaultLink) {
  filter.axes = space.axes;
  filter.dims = 0;
  for (auto [dim, length] : enumerate(space.shape)) {
    tensorBytes *= length;
    if (length > 1 && dim < 64)
      filter.dims |= uint64_t(1) << dim;
  }
  for (unsigned axis = 0; axis < space.mesh.numAxes(); ++axis) {
    MachineDescription::Link link = machine.link(space.mesh, {axis});
    if (axis == 0)
      fastest = link;
    fastest.latency = std::min(fastest.latency, link.latency);
    fastest.bandwidth = std::max(fastest.bandwidth, link.bandwidth);
  }
  node(to);
  node(from);
}

SmallVector<Layout, 3> Search::run() {
  reach(start, Cost(), 0, start);
  if (nodes[start].closed)
    return path();
  // A path to begin with.
  unsigned whole = start;
  if (nodes[start].layout.partial) {
    Layout joined = nodes[start].layout;
    joined.partial = 0;
    whole = node(joined);
    reach(whole, exactCost({start, whole, StepKind::AllReduce}), 1, start);
  }
  if (whole != goal && !nodes[whole].closed)
    reach(goal,
          nodes[whole].cost + exactCost({whole, goal, StepKind::SendRecv}),
          nodes[whole].steps + 1, whole);

  nodes[start].done = true;
  expand(start);
  constexpr size_t mostNodes = 10000;
  while (!queue.empty() && nodes.size() < mostNodes) {
    QueueEntry next = queue.top();
    queue.pop();
    if (nodes[goal].cost < next.bound)
      break;
    Node &own = nodes[next.edge.to];
    Cost total = nodes[next.edge.from].cost + next.step;
    if ((own.done && !(total < own.cost)) ||
        isHopeless(next.bound, next.steps + 1))
      continue;
    if (!next.exact) {
      offer(next.edge, exactCost(next.edge), true);
      continue;
    }
    reach(next.edge.to, total, next.steps, next.edge.from);
    own.done = true;
    expand(next.edge.to);
  }
  return path();
}

SmallVector<Layout, 3> Search::path() const {
  SmallVector<Layout, 3> layouts;
  for (unsigned number = goal; number != start; number = nodes[number].parent)
    layouts.push_back(nodes[number].layout);
  layouts.push_back(nodes[start].layout);
  std::reverse(layouts.begin(), layouts.end());
  return layouts;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// See lowerBoundBytes.
int64_t Search::boundBytes(uint64_t partial, int64_t lacking) const {
  int64_t bytes = lacking * space.elementBytes;
  int64_t contributions = groupSize(partial);
  if (contributions == 1)
    return bytes;
  return std::max(
      bytes, reductionBoundBytes(contributions, copies, ranks, tensorBytes));
}

/// What receiving `bytes` costs at least, with `more` seconds.
Cost Search::atLeast(int64_t bytes, double more) const {
  if (bytes == 0)
    return {};
  double seconds = machine.transferSeconds(fastest, 1, bytes) + more;
  // A hair less, so that rounding to picoseconds cannot exceed the path.
  seconds = seconds * (1 - 1e-12) - 1e-11;
  return makeCost(space.objective, std::max(0.0, seconds), bytes, 1);
}

/// What it costs at least to get from `node` to the target in several steps.
Cost Search::severalSteps(const Node &node, const BoxChange &change,
                          int64_t bytes) const {
  double collective = fastest.latency;
  double local = std::min(machine.launchOverhead, collective);
  // A dim whose next split is an axis that shards another dim, or an inner part
  // of this, takes two collectives, or one that gathers all between.
  if (node.layout.partial || !change.swapsFor(node.layout.sharded()))
    return atLeast(bytes, local);
  int64_t gathered = (change.boxBetween() - node.box) * space.elementBytes;
  return std::min(atLeast(bytes, collective),
                  atLeast(std::max(bytes, gathered), local));
}

/// True when a path with `steps` steps or more that costs `cost` or more is no
/// better than the one known.
bool Search::isHopeless(const Cost &cost, unsigned steps) const {
  const Node &known = nodes[goal];
  if (cost != known.cost)
    return known.cost < cost;
  return steps >= known.steps;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

Cost Search::localCost(int64_t elements) const {
  return makeCost(space.objective,
                  machine.localSeconds(elements * space.elementBytes), 0, 0);
}

Cost Search::transferCost(uint64_t axes, int64_t starts, int64_t bytes) const {
  MachineDescription::Link link = fastest;
  if (!uniform) {
    SmallVector<unsigned, 4> list;
    for (; axes; axes &= axes - 1)
      list.push_back(countr_zero(axes));
    link = machine.link(space.mesh, list);
  }
  return makeCost(space.objective, machine.transferSeconds(link, starts, bytes),
                  bytes, 1);
}

Cost Search::reduceCost(StepKind kind, uint64_t lost, int64_t before,
                        int64_t after) const {
  int64_t members = groupSize(lost);
  if (members == 1)
    return localCost(before + after);
  int64_t bytes = kind == StepKind::AllReduce
                      ? allReduceBytes(members, before * space.elementBytes)
                      : (members - 1) * after * space.elementBytes;
  return transferCost(lost, 1, bytes);
}

/// What a change of shards costs at least, from sizes alone.
Cost Search::leastCost(StepKind kind, const BoxChange &change) const {
  double more = 0;
  if (kind == StepKind::SendRecv)
    more = double(std::max<int64_t>(0, change.fewestPeers() - 1)) *
           fastest.latency;
  return atLeast(change.leastLacking() * space.elementBytes, more);
}

Cost Search::exactCost(const Edge &edge) const {
  const Node &from = nodes[edge.from], &to = nodes[edge.to];
  if (uint64_t lost = from.layout.partial & ~to.layout.partial)
    return reduceCost(edge.kind, lost, from.box, to.box);
  BoxChange change = changeBetween(from.layout, to.layout);
  int64_t lacking = change.lacking();
  if (lacking == 0)
    return localCost(2 * to.box);
  uint64_t axes = 0;
  if (!uniform)
    for (unsigned axis : change.groupAxes())
      axes |= uint64_t(1) << axis;
  return transferCost(axes,
                      edge.kind == StepKind::SendRecv ? change.peers() : 1,
                      lacking * space.elementBytes);
}

//===----------------------------------------------------------------------===//
// Nodes and the steps between them
//===----------------------------------------------------------------------===//

unsigned Search::node(const Layout &layout) {
  auto [slot, isNew] = numbers.try_emplace(layout, nodes.size());
  unsigned number = slot->second;
  if (!isNew)
    return number;
  Node &own = nodes.emplace_back();
  own.layout = layout;
  own.box = largestBox(space.mesh, space.shape, layout.nests);
  if (number == goal)
    return number;

  const Layout &target = nodes[goal].layout;
  BoxChange change = changeBetween(layout, target);
  int64_t least = change.leastLacking();
  bool single;
  if (layout.partial) {
    uint64_t added = target.sharded() & ~layout.sharded();
    single = layout.nests == target.nests ||
             (change.onlySplits() && added == layout.partial);
  } else {
    bool local = least == 0 && change.lacking() == 0;
    bool plain = local || change.onlyJoins() || change.movesInnerSplits() ||
                 change.isPermutation();
    own.closed = local || (plain && uniform);
    single = plain || change.fewestPeers() <= 1;
    own.direct = leastCost(StepKind::SendRecv, change);
  }
  int64_t bytes = boundBytes(layout.partial, least);
  own.remaining = single ? atLeast(bytes) : severalSteps(own, change, bytes);
  return number;
}

void Search::reach(unsigned number, const Cost &cost, unsigned steps,
                   unsigned parent) {
  Node &own = nodes[number];
  if (std::tie(own.cost.values, own.steps) <= std::tie(cost.values, steps))
    return;
  own.cost = cost;
  own.steps = steps;
  own.parent = parent;
  if (own.closed)
    reach(goal, cost + exactCost({number, goal, StepKind::AllGather}),
          steps + 1, number);
}

/// Takes a step into account that costs `step`, or at least that much when not
/// `exact`.
void Search::offer(const Edge &edge, const Cost &step, bool exact) {
  const Node &from = nodes[edge.from], &to = nodes[edge.to];
  Cost total = from.cost + step;
  unsigned steps = from.steps + 1;
  if ((to.done && !(total < to.cost)) ||
      isHopeless(total + to.remaining, edge.to == goal ? steps : steps + 1))
    return;
  if (edge.to != goal && !to.closed) {
    queue.push({total + to.remaining, steps, edge, step, exact});
    // How good a path through here is need not wait until it is first.
    if (to.layout.partial || isHopeless(total + to.direct, steps + 1))
      return;
    if (!exact)
      total = from.cost + exactCost(edge);
    reach(edge.to, total, steps, edge.from);
    reach(goal, total + exactCost({edge.to, goal, StepKind::SendRecv}),
          steps + 1, edge.to);
    return;
  }
  if (!exact)
    total = from.cost + exactCost(edge);
  if (!isHopeless(total + to.remaining, edge.to == goal ? steps : steps + 1))
    reach(edge.to, total, steps, edge.from);
}

void Search::expand(unsigned number) {
  Layout layout = nodes[number].layout;
  const Layout original = layout;
  const Cost soFar = nodes[number].cost;
  const unsigned steps = nodes[number].steps;
  const int64_t box = nodes[number].box;
  forEachMove(space.mesh, layout, filter, [&](StepKind kind) {
    int64_t after = largestBox(space.mesh, space.shape, layout.nests);
    int64_t rest = std::max<int64_t>(0, nodes[goal].box - after);
    Cost low = soFar + atLeast(boundBytes(layout.partial, rest));
    unsigned least = steps + (layout == nodes[goal].layout ? 1 : 2);
    Cost step;
    bool exact = true;
    if (uint64_t lost = original.partial & ~layout.partial) {
      step = reduceCost(kind, lost, box, after);
    } else if (kind == StepKind::Slice) {
      step = localCost(2 * after);
    } else {
      if (kind == StepKind::AllGather &&
          isHopeless(low + atLeast((after - box) * space.elementBytes), least))
        return;
      BoxChange change = changeBetween(original, layout);
      step = leastCost(kind, change);
      if (isHopeless(low + step, least) ||
          (kind == StepKind::Permute && !change.isPermutation()))
        return;
      exact = false;
    }
    if (!isHopeless(low + step, least))
      offer({number, node(layout), kind}, step, exact);
  });
  offerSendRecvs(number);
}

void Search::offerSendRecv(unsigned from, unsigned to) {
  if (from == to)
    return;
  const Node &before = nodes[from], &after = nodes[to];
  Cost low = before.cost + after.remaining;
  unsigned least = before.steps + (to == goal ? 1 : 2);
  int64_t bytes =
      std::max<int64_t>(0, after.box - before.box) * space.elementBytes;
  if (isHopeless(low + atLeast(bytes), least))
    return;
  BoxChange change = changeBetween(before.layout, after.layout);
  // Plain steps are offered as such.
  if (!change.onlySplits() && !change.onlyJoins())
    offer({from, to, StepKind::SendRecv}, leastCost(StepKind::SendRecv, change),
          false);
}

/// A send_recv leads to where the target wants all shards, as far as axes are
/// not partial; or to a placement from which an all-gather or an all-to-all
/// leads there, which is cheaper where links differ or peers are many.
void Search::offerSendRecvs(unsigned number) {
  Layout sorted = nodes[goal].layout;
  sorted.partial = nodes[number].layout.partial;
  for (Nest &nest : sorted.nests)
    llvm::erase_if(nest,
                   [&](unsigned axis) { return sorted.partial >> axis & 1; });
  unsigned direct = node(sorted);
  offerSendRecv(number, direct);
  // Two collectives, then.
  const Node &own = nodes[number];
  int64_t least =
      changeBetween(own.layout, sorted).leastLacking() * space.elementBytes;
  Cost two =
      atLeast(std::max(least, boundBytes(sorted.partial, 0)), fastest.latency);
  if (space.objective == Objective::Count)
    two += makeCost(space.objective, 0, 0, 1);
  if (isHopeless(own.cost + two, own.steps + 2))
    return;
  if (!sendRecvs.count(direct)) {
    // Both undo steps that lead out of the placement.
    SmallVector<unsigned, 8> &targets = sendRecvs[direct];
    forEachMove(space.mesh, sorted, filter, [&](StepKind kind) {
      if (kind == StepKind::Slice || kind == StepKind::AllToAll)
        targets.push_back(node(sorted));
    });
  }
  for (unsigned target : sendRecvs[direct])
    offerSendRecv(number, target);
}

SmallVector<Layout, 3> cheapestPath(const SearchSpace &space,
                                    const Layout &from, const Layout &to) {
  return Search(space, from, to).run();
}

} // namespace tpc
