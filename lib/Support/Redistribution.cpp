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
  using Entries = SmallVector<Placement::Entry, 2>;
  /// Without the axes that are partial all the while, and those of one rank.
  Placement from, whole;
  Entries kept, gained;
  /// What `to` shards over axes of one rank.
  Entries trivial;
  Reduction lost = Reduction::Sum;
  uint64_t axes = 0;

  /// Nothing when `from` or `to` mixes reductions.
  static std::optional<Task> get(const Mesh &mesh, const Placement &from,
                                 const Placement &to);
  /// A placement of the search as it is in the program.
  Placement restore(const Placement &placement) const;
  /// The steps along `path`, placements of the search from first to last.
  SmallVector<Step, 2> steps(const Mesh &mesh, ArrayRef<int64_t> shape,
                             const Placement &from, const Placement &to,
                             ArrayRef<Layout> path) const;
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
    if (mesh.size(axis) > 1 || wasPartial)
      if ((old || now) && !(isPartial && (!old || *old == *now)))
        task.axes |= uint64_t(1) << axis;
  }
  task.lost = before.value_or(Reduction::Sum);
  SmallVector<Placement::Entry, 2> starts, ends;
  for (Placement::Entry entry : from.entries()) {
    if (is_contained(task.kept, entry))
      continue;
    entry.reduction = Reduction::Sum;
    if (entry.isPartial() || mesh.size(entry.axis) > 1)
      starts.push_back(entry);
  }
  for (const Placement::Entry &entry : to.entries()) {
    if (entry.isPartial())
      continue;
    bool trivial = mesh.size(entry.axis) == 1 && !from.isPartial(entry.axis);
    (trivial ? task.trivial : ends).push_back(entry);
  }
  task.from = Placement(starts);
  task.whole = Placement(ends);
  return task;
}

Placement Task::restore(const Placement &placement) const {
  Entries entries = trivial;
  for (Placement::Entry entry : placement.entries()) {
    if (entry.isPartial())
      entry.reduction = lost;
    entries.push_back(entry);
  }
  entries.append(kept.begin(), kept.end());
  return Placement(entries);
}

SmallVector<Step, 2> Task::steps(const Mesh &mesh, ArrayRef<int64_t> shape,
                                 const Placement &from, const Placement &to,
                                 ArrayRef<Layout> path) const {
  // Axes of one rank change in the first step.
  SmallVector<Placement, 4> places = {from};
  for (const Layout &layout : path.drop_front(path.empty() ? 0 : 1))
    places.push_back(restore(layout.placement(Reduction::Sum)));
  // A value becomes partial last: before, its axis is replicated, and what the
  // ranks exchange does not depend on it.
  Placement end = to;
  for (const Placement::Entry &entry : gained)
    end = end.withReplicated(entry.axis);
  if (path.size() > 1)
    places.back() = end;
  else if (from != end)
    places.push_back(end);
  if (!gained.empty())
    places.push_back(to);
  SmallVector<Step, 2> steps;
  for (size_t i = 1; i < places.size(); ++i) {
    std::optional<Step> step =
        classifyStep(mesh, shape, places[i - 1], places[i]);
    assert(step && "the search follows steps");
    steps.push_back(std::move(*step));
  }
  return steps;
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
  SmallVector<Layout, 3> path;
  if (task->from != task->whole)
    path = cheapestPath({meshValue, machineValue, objectiveValue, shape,
                         elementBytes, task->axes},
                        Layout::get(task->from, shape.size()),
                        Layout::get(task->whole, shape.size()));
  plan->steps = task->steps(meshValue, shape, from, to, path);
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
