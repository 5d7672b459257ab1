// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs steps on the data of all ranks and says what is wrong with them.

#include "Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

namespace tpc::test {

static void collect(const Mesh &mesh, unsigned rank, bool withPartials,
                    Reduction reduction, std::vector<Placement::Entry> &entries,
                    std::set<Placement> &found) {
  found.insert(Placement(entries));
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    if (llvm::any_of(entries, [&](auto &e) { return e.axis == axis; }))
      continue;
    for (unsigned dim = 0; dim < rank + (withPartials ? 1 : 0); ++dim) {
      entries.push_back(dim < rank
                            ? Placement::Entry::shard(axis, dim)
                            : Placement::Entry::partial(axis, reduction));
      collect(mesh, rank, withPartials, reduction, entries, found);
      entries.pop_back();
    }
  }
}

std::vector<Placement> allPlacements(const Mesh &mesh, unsigned rank,
                                     bool withPartials, Reduction reduction) {
  std::vector<Placement::Entry> entries;
  std::set<Placement> found;
  collect(mesh, rank, withPartials, reduction, entries, found);
  return {found.begin(), found.end()};
}

bool holds(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
           const Placement &placement, int64_t rank, int64_t element) {
  llvm::SmallVector<int64_t> coordinates = mesh.coordinates(rank);
  for (unsigned dim = shape.size(); dim-- > 0;) {
    int64_t position = element % shape[dim];
    element /= shape[dim];
    int64_t length = shape[dim];
    // Follow the element into one chunk after the other.
    for (const Placement::Entry &entry : placement.entries()) {
      if (!entry.isShard() || entry.dim != dim)
        continue;
      int64_t parts = mesh.size(entry.axis);
      int64_t step = length / parts + (length % parts != 0);
      int64_t chunk = position / step;
      if (chunk != coordinates[entry.axis])
        return false;
      position -= chunk * step;
      length = std::min(step, length - chunk * step);
    }
  }
  return true;
}

int64_t worstLack(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                  const Placement &from, const Placement &to) {
  int64_t elements = 1;
  for (int64_t length : shape)
    elements *= length;
  int64_t worst = 0;
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    int64_t lack = 0;
    for (int64_t element = 0; element < elements; ++element)
      lack += holds(mesh, shape, to, rank, element) &&
              !holds(mesh, shape, from, rank, element);
    worst = std::max(worst, lack);
  }
  return worst;
}

static int64_t combine(Reduction reduction, int64_t a, int64_t b) {
  switch (reduction) {
  case Reduction::Sum:
    return a + b;
  case Reduction::Max:
    return std::max(a, b);
  case Reduction::Min:
    return std::min(a, b);
  case Reduction::Prod:
    return a * b;
  case Reduction::And:
    return a & b;
  case Reduction::Or:
    return a | b;
  }
  return 0;
}

static int64_t neutral(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
  case Reduction::Or:
    return 0;
  case Reduction::Max:
    return INT64_MIN;
  case Reduction::Min:
    return INT64_MAX;
  case Reduction::Prod:
    return 1;
  case Reduction::And:
    return -1;
  }
  return 0;
}

static Reduction reductionOf(const Placement &placement) {
  for (const Placement::Entry &entry : placement.entries())
    if (entry.isPartial())
      return entry.reduction;
  return Reduction::Sum;
}

Simulator::Simulator(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                     const Placement &placement)
    : mesh(mesh), shape(shape), placement(placement), ranks(mesh.numRanks()) {
  for (int64_t length : shape)
    elements *= length;
  // A contribution is a small number made of the element and the coordinates
  // along the partial axes, so that replicas agree.
  auto contribution = [&](int64_t rank, int64_t element) {
    llvm::SmallVector<int64_t> coordinates = mesh.coordinates(rank);
    uint64_t seed = 77 + element;
    for (unsigned axis : placement.partialAxes())
      seed = seed * 31 + coordinates[axis] + 1;
    return int64_t((seed * 2654435761u >> 7) % 11) - 5;
  };
  llvm::SmallVector<unsigned> partial = placement.partialAxes();
  for (int64_t element = 0; element < elements; ++element) {
    int64_t value = neutral(reductionOf(placement));
    for (int64_t rank : mesh.group(0, partial))
      value =
          combine(reductionOf(placement), value, contribution(rank, element));
    global.push_back(value);
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
      if (holds(mesh, shape, placement, rank, element))
        ranks[rank][element] = contribution(rank, element);
  }
}

std::string Simulator::check() const {
  llvm::SmallVector<unsigned> partial = placement.partialAxes();
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    for (int64_t element = 0; element < elements; ++element) {
      bool should = holds(mesh, shape, placement, rank, element);
      if (should != (ranks[rank].count(element) == 1))
        return "rank " + std::to_string(rank) + " has the wrong box";
      if (!should)
        continue;
      int64_t value = neutral(reductionOf(placement));
      for (int64_t member : mesh.group(rank, partial))
        value =
            combine(reductionOf(placement), value, ranks[member].at(element));
      if (value != global[element])
        return "element " + std::to_string(element) + " is wrong on rank " +
               std::to_string(rank);
    }
    // Replicas hold the same bits.
    llvm::SmallVector<unsigned> replicated;
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
      if (placement.isReplicated(axis))
        replicated.push_back(axis);
    for (int64_t member : mesh.group(rank, replicated))
      if (ranks[member] != ranks[rank])
        return "replicas differ on rank " + std::to_string(rank);
  }
  return "";
}

std::string Simulator::reduce(const Step &step, std::vector<Data> &next) {
  Reduction reduction = reductionOf(step.from);
  int64_t members = mesh.groupSize(step.axes);
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    int64_t results = 0;
    for (int64_t element = 0; element < elements; ++element) {
      if (!holds(mesh, shape, step.to, rank, element))
        continue;
      ++results;
      int64_t value = neutral(reduction);
      for (int64_t member : mesh.group(rank, step.axes)) {
        if (!ranks[member].count(element))
          return "a contribution is missing";
        value = combine(reduction, value, ranks[member][element]);
      }
      next[rank][element] = value;
    }
    // Reduce-scatter: one contribution of every other rank to each result.
    // All-reduce: a ring, 2(n-1) times an n-th of the operand.
    int64_t received =
        step.kind == StepKind::AllReduce
            ? (2 * (members - 1) * results + members - 1) / members
            : (members - 1) * results;
    mostReceived = std::max(mostReceived, received);
  }
  return "";
}

std::string Simulator::exchange(const Step &step, std::vector<Data> &next) {
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    int64_t received = 0;
    std::set<std::vector<int64_t>> boxes;
    for (int64_t element = 0; element < elements; ++element) {
      if (!holds(mesh, shape, step.to, rank, element))
        continue;
      if (ranks[rank].count(element)) {
        next[rank][element] = ranks[rank][element];
        continue;
      }
      llvm::SmallVector<int64_t> group = mesh.group(rank, step.axes);
      auto source = llvm::find_if(
          group, [&](int64_t member) { return ranks[member].count(element); });
      if (source == group.end())
        return "no rank of the group has element " + std::to_string(element);
      next[rank][element] = ranks[*source][element];
      ++received;
      std::vector<int64_t> box;
      for (auto &entry : ranks[*source])
        box.push_back(entry.first);
      boxes.insert(box);
    }
    mostReceived = std::max(mostReceived, received);
    mostPeers = std::max(mostPeers, int64_t(boxes.size()));
  }
  return "";
}

/// Within each group the boxes after the step are those before, dealt anew.
std::string Simulator::checkPermutation(const Step &step) const {
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    std::multiset<std::vector<int64_t>> before, after;
    for (int64_t member : mesh.group(rank, step.axes)) {
      std::vector<int64_t> old, now;
      for (int64_t element = 0; element < elements; ++element) {
        if (holds(mesh, shape, step.from, member, element))
          old.push_back(element);
        if (holds(mesh, shape, step.to, member, element))
          now.push_back(element);
      }
      if (!old.empty())
        before.insert(old);
      if (!now.empty())
        after.insert(now);
    }
    if (before != after)
      return "the boxes are not a permutation";
  }
  return "";
}

std::string Simulator::apply(const Step &step) {
  if (step.from != placement)
    return "the step does not start at " + placement.str(mesh);
  mostReceived = mostPeers = 0;
  std::vector<Data> next(ranks.size());
  std::string problem;
  switch (step.kind) {
  case StepKind::ToPartial:
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
      llvm::SmallVector<int64_t> coordinates = mesh.coordinates(rank);
      bool keeps = llvm::all_of(
          step.axes, [&](unsigned axis) { return coordinates[axis] == 0; });
      next[rank] = ranks[rank];
      if (!keeps)
        for (auto &entry : next[rank])
          entry.second = neutral(reductionOf(step.to));
    }
    break;
  case StepKind::AllReduce:
  case StepKind::ReduceScatter:
    problem = reduce(step, next);
    break;
  case StepKind::Permute:
    problem = checkPermutation(step);
    [[fallthrough]];
  default:
    if (problem.empty())
      problem = exchange(step, next);
    if (step.kind == StepKind::Slice && mostReceived > 0)
      problem = "a slice needs data of another rank";
  }
  ranks = std::move(next);
  placement = step.to;
  return problem.empty() ? check() : problem;
}

} // namespace tpc::test
