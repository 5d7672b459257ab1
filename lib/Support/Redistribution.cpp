// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides the steps of each redistribution: what is remembered, what is
// obvious, and what has to be searched.

#include "tpc/Support/Redistribution.h"
#include "RedistributionSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <unordered_map>

using namespace llvm;

namespace tpc {

namespace {

/// A change of placement taken apart: what the axes that are not touched hold
/// all the while, the search between the rest, and partials made at the end.
struct Task {
  /// Without the axes that are partial all the while.
  Placement from, whole;
  SmallVector<Placement::Entry, 2> kept, gained;
  Reduction lost = Reduction::Sum;
  uint64_t axes = 0;

  /// Nothing when `from` or `to` mixes reductions.
  static std::optional<Task> get(const Mesh &mesh, const Placement &from,
                                 const Placement &to);
  /// A placement of the search as it is in the program.
  Placement restore(const Placement &placement) const;
};

struct PlanKey {
  SmallVector<int64_t, 4> shape;
  int64_t elementBytes;
  Placement from, to;

  bool operator==(const PlanKey &o) const {
    return shape == o.shape && elementBytes == o.elementBytes &&
           from == o.from && to == o.to;
  }
};

struct PlanKeyHash {
  size_t operator()(const PlanKey &key) const {
    return hash_combine(hash_combine_range(key.shape), key.elementBytes,
                        hash_value(key.from), hash_value(key.to));
  }
};

} // namespace

std::optional<Task> Task::get(const Mesh &mesh, const Placement &from,
                              const Placement &to) {
  Task task;
  std::optional<Reduction> before, after;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    const Placement::Entry *old = from.find(axis), *now = to.find(axis);
    bool wasPartial = old && old->isPartial(),
         isPartial = now && now->isPartial();
    if ((wasPartial && before.value_or(old->reduction) != old->reduction) ||
        (isPartial && after.value_or(now->reduction) != now->reduction))
      return std::nullopt;
    if (wasPartial)
      before = old->reduction;
    if (isPartial)
      after = now->reduction;
    if (isPartial && wasPartial && *old == *now)
      task.kept.push_back(*now);
    else if (isPartial)
      task.gained.push_back(*now);
    if ((old || now) && !(isPartial && (!old || *old == *now)))
      task.axes |= uint64_t(1) << axis;
  }
  task.lost = before.value_or(Reduction::Sum);
  SmallVector<Placement::Entry> entries;
  for (Placement::Entry entry : from.entries())
    if (!is_contained(task.kept, entry)) {
      entry.reduction = Reduction::Sum;
      entries.push_back(entry);
    }
  task.from = Placement(entries);
  entries.clear();
  for (const Placement::Entry &entry : to.entries())
    if (!entry.isPartial())
      entries.push_back(entry);
  task.whole = Placement(entries);
  return task;
}

Placement Task::restore(const Placement &placement) const {
  SmallVector<Placement::Entry> entries;
  for (Placement::Entry entry : placement.entries()) {
    if (entry.isPartial())
      entry.reduction = lost;
    entries.push_back(entry);
  }
  entries.append(kept.begin(), kept.end());
  return Placement(entries);
}

/// What the plans of many shapes have in common: lengths that all placements
/// split evenly differ by a factor only, whatever is moved.
static SmallVector<int64_t, 4> representative(ArrayRef<int64_t> shape,
                                              int64_t ranks, int64_t &factor) {
  SmallVector<int64_t, 4> lengths;
  factor = 1;
  for (int64_t length : shape) {
    bool even = length > 0 && ranks > 1 && length % ranks == 0;
    lengths.push_back(even ? ranks : length);
    factor *= even ? length / ranks : 1;
  }
  return lengths;
}

struct Redistributor::Cache {
  std::unordered_map<PlanKey, std::unique_ptr<RedistributionPlan>, PlanKeyHash>
      plans;
  using GraphKey = std::pair<uint64_t, SmallVector<int64_t, 4>>;
  std::map<GraphKey, RedistributionGraph> graphs;
};

Redistributor::Redistributor(Mesh mesh, MachineDescription machine,
                             Objective objective)
    : meshValue(std::move(mesh)), machineValue(std::move(machine)),
      objectiveValue(objective), cache(std::make_unique<Cache>()) {}

Redistributor::~Redistributor() = default;

const RedistributionPlan *Redistributor::plan(ArrayRef<int64_t> shape,
                                              int64_t elementBytes,
                                              const Placement &from,
                                              const Placement &to) {
  PlanKey key{SmallVector<int64_t, 4>(shape), elementBytes, from, to};
  auto [slot, isNew] = cache->plans.try_emplace(std::move(key));
  if (!isNew)
    return slot->second.get();
  std::optional<Task> task = Task::get(meshValue, from, to);
  if (!task)
    return nullptr;

  int64_t ranks = 1, factor = 1;
  for (unsigned axis = 0; axis < meshValue.numAxes(); ++axis)
    if (task->axes >> axis & 1)
      ranks *= meshValue.size(axis);
  Cache::GraphKey graphKey{task->axes, representative(shape, ranks, factor)};
  // Odd shapes have a graph each; many of them are not asked for twice.
  constexpr size_t mostGraphs = 512;
  if (cache->graphs.size() >= mostGraphs)
    cache->graphs.clear();
  RedistributionGraph &graph =
      cache->graphs
          .try_emplace(graphKey, meshValue, machineValue, graphKey.second,
                       task->axes)
          .first->second;

  auto plan = std::make_unique<RedistributionPlan>();
  plan->steps = cheapestSteps(graph, meshValue, machineValue, objectiveValue,
                              factor * elementBytes, task->from, task->whole);
  for (Step &step : plan->steps) {
    step.from = task->restore(step.from);
    step.to = task->restore(step.to);
  }
  // A value becomes partial last: before, its axis is replicated, and what the
  // ranks exchange does not depend on it.
  if (!task->gained.empty())
    plan->steps.push_back(
        *classifyStep(meshValue, shape, task->restore(task->whole), to));
  for (const Step &step : plan->steps) {
    StepBytes moved = stepBytes(meshValue, shape, elementBytes, step);
    plan->bytes += moved.bytes;
    plan->wireBytes += moved.wireBytes;
    plan->collectives += isCollective(meshValue, step);
    plan->cost += stepCost(machineValue, objectiveValue, meshValue, shape,
                           elementBytes, step);
  }
  plan->lowerBoundBytes =
      lowerBoundBytes(meshValue, shape, elementBytes, from, to);
  slot->second = std::move(plan);
  return slot->second.get();
}

Cost Redistributor::cost(ArrayRef<int64_t> shape, int64_t elementBytes,
                         const Placement &from, const Placement &to) {
  const RedistributionPlan *found = plan(shape, elementBytes, from, to);
  return found ? found->cost : Cost::infinity();
}

} // namespace tpc
