// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which step performs a change of placement.

#include "tpc/Support/Transition.h"
#include "TransitionGeometry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tpc {

static constexpr StepKind allKinds[] = {
    StepKind::Slice,         StepKind::ToPartial, StepKind::AllReduce,
    StepKind::ReduceScatter, StepKind::AllGather, StepKind::AllToAll,
    StepKind::Permute,       StepKind::SendRecv};

StringRef stringify(StepKind kind) {
  switch (kind) {
  case StepKind::Slice:
    return "slice";
  case StepKind::ToPartial:
    return "to_partial";
  case StepKind::AllReduce:
    return "all_reduce";
  case StepKind::ReduceScatter:
    return "reduce_scatter";
  case StepKind::AllGather:
    return "all_gather";
  case StepKind::AllToAll:
    return "all_to_all";
  case StepKind::Permute:
    return "permute";
  case StepKind::SendRecv:
    return "send_recv";
  }
  llvm_unreachable("covered switch");
}

std::optional<StepKind> parseStepKind(StringRef text) {
  for (StepKind kind : allKinds)
    if (stringify(kind) == text)
      return kind;
  return std::nullopt;
}

std::string Step::str(const Mesh &mesh) const {
  std::string text = stringify(kind).str() + " on ";
  for (auto [index, axis] : enumerate(axes))
    text += (index ? "," : "") + mesh.name(axis).str();
  return text + ": " + from.str(mesh) + " -> " + to.str(mesh);
}

bool isCollective(const Mesh &mesh, const Step &step) {
  return !isLocal(step.kind) && mesh.groupSize(step.axes) > 1;
}

namespace {

/// How the partial axes change.
struct PartialChange {
  SmallVector<unsigned, 4> lost, gained;
  /// Reductions are mixed or change.
  bool impossible = false;
};

} // namespace

/// True when partial axes have different reductions.
static bool mixesReductions(const Placement &placement) {
  SmallVector<unsigned> axes = placement.partialAxes();
  return any_of(axes, [&](unsigned axis) {
    return placement.find(axis)->reduction !=
           placement.find(axes.front())->reduction;
  });
}

static PartialChange partialChange(const Placement &from, const Placement &to) {
  PartialChange change;
  change.impossible = mixesReductions(from) || mixesReductions(to);
  for (unsigned axis : to.partialAxes()) {
    if (!from.isPartial(axis))
      change.gained.push_back(axis);
    else
      change.impossible |= !(*from.find(axis) == *to.find(axis));
  }
  for (unsigned axis : from.partialAxes())
    if (!to.isPartial(axis))
      change.lost.push_back(axis);
  return change;
}

static bool stateChanges(const Placement &from, const Placement &to,
                         unsigned axis) {
  const Placement::Entry *before = from.find(axis), *after = to.find(axis);
  return !before != !after || (before && !(*before == *after));
}

/// `axes`, and those of one rank that change state or place: they come along
/// with any step.
static SmallVector<unsigned, 4> withTrivialAxes(const Mesh &mesh,
                                                ArrayRef<unsigned> axes,
                                                const Placement &from,
                                                const Placement &to) {
  SmallVector<unsigned, 4> all(axes);
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    if (mesh.size(axis) > 1 || is_contained(all, axis))
      continue;
    const Placement::Entry *entry = to.find(axis);
    bool moves = entry && entry->isShard() && from.find(axis) &&
                 from.shardAxes(entry->dim) != to.shardAxes(entry->dim);
    if (moves || stateChanges(from, to, axis))
      all.push_back(axis);
  }
  llvm::sort(all);
  return all;
}

std::optional<Step> classifyStep(const Mesh &mesh, ArrayRef<int64_t> shape,
                                 const Placement &from, const Placement &to) {
  if (from == to)
    return std::nullopt;
  PartialChange partials = partialChange(from, to);
  if (partials.impossible)
    return std::nullopt;

  if (!partials.gained.empty()) {
    Placement expected = from;
    for (unsigned axis : partials.gained) {
      if (!from.isReplicated(axis))
        return std::nullopt;
      expected = expected.with(*to.find(axis));
    }
    if (expected != to)
      return std::nullopt;
    return Step{StepKind::ToPartial, partials.gained, from, to};
  }

  Nests before = nestsOf(from, shape.size()), after = nestsOf(to, shape.size());
  BoxChange change(mesh, shape, before, after);
  if (!partials.lost.empty()) {
    bool allReplicated = true, allSharded = true;
    for (unsigned axis : partials.lost)
      (to.isReplicated(axis) ? allSharded : allReplicated) = false;
    // The lost axes are the only ones `to` adds, as inner splits.
    if (!change.onlySplits() || (allReplicated && !change.onlyJoins()) ||
        (!allReplicated && !allSharded) ||
        any_of(to.entries(), [&](const Placement::Entry &entry) {
          return entry.isShard() && mesh.size(entry.axis) > 1 &&
                 from.isReplicated(entry.axis);
        }))
      return std::nullopt;
    return Step{allReplicated ? StepKind::AllReduce : StepKind::ReduceScatter,
                withTrivialAxes(mesh, partials.lost, from, to), from, to};
  }

  if (change.lacking() == 0) {
    SmallVector<unsigned, 4> axes = change.groupAxes();
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
      if (stateChanges(from, to, axis) && !is_contained(axes, axis))
        axes.push_back(axis);
    return Step{StepKind::Slice, withTrivialAxes(mesh, axes, from, to), from,
                to};
  }
  StepKind kind = change.onlyJoins()          ? StepKind::AllGather
                  : change.movesInnerSplits() ? StepKind::AllToAll
                  : change.isPermutation()    ? StepKind::Permute
                                              : StepKind::SendRecv;
  return Step{kind, withTrivialAxes(mesh, change.groupAxes(), from, to), from,
              to};
}

} // namespace tpc
