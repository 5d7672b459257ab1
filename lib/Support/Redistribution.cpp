// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides the steps of each redistribution: what is remembered, what is
// obvious, and what has to be searched.

#include "tpc/Support/Redistribution.h"
#include "RedistributionSearch.h"
#include "llvm/ADT/STLExtras.h"
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

struct Redistributor::Cache {
  std::unordered_map<PlanKey, std::unique_ptr<RedistributionPlan>, PlanKeyHash>
      plans;
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

  auto plan = std::make_unique<RedistributionPlan>();
  if (task->from != task->whole) {
    SearchSpace space{meshValue, machineValue, objectiveValue,
                      shape,     elementBytes, task->axes};
    SmallVector<Layout, 3> path =
        cheapestPath(space, Layout::get(task->from, shape.size()),
                     Layout::get(task->whole, shape.size()));
    for (size_t i = 1; i < path.size(); ++i) {
      std::optional<Step> step =
          classifyStep(meshValue, shape,
                       task->restore(path[i - 1].placement(Reduction::Sum)),
                       task->restore(path[i].placement(Reduction::Sum)));
      assert(step && "the search follows steps");
      plan->steps.push_back(std::move(*step));
    }
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
