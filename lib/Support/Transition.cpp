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

  if (!partials.lost.empty()) {
    Placement rest = from;
    bool allReplicated = true, allSharded = true;
    for (unsigned axis : partials.lost) {
      rest = rest.withReplicated(axis);
      (to.isReplicated(axis) ? allSharded : allReplicated) = false;
    }
    if (allReplicated && rest == to)
      return Step{StepKind::AllReduce, partials.lost, from, to};
    // The lost axes are the only ones `to` adds, as inner splits.
    if (allSharded && to.entries().size() == from.entries().size() &&
        BoxChange(mesh, shape, nestsOf(rest, shape.size()),
                  nestsOf(to, shape.size()))
            .onlySplits())
      return Step{StepKind::ReduceScatter, partials.lost, from, to};
    return std::nullopt;
  }

  Nests before = nestsOf(from, shape.size()), after = nestsOf(to, shape.size());
  BoxChange change(mesh, shape, before, after);
  SmallVector<unsigned, 4> group = change.groupAxes();
  if (change.lacking() == 0) {
    SmallVector<unsigned, 4> axes;
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
      const Placement::Entry *before = from.find(axis), *after = to.find(axis);
      if (!before != !after || (before && !(*before == *after)) ||
          is_contained(group, axis))
        axes.push_back(axis);
    }
    return Step{StepKind::Slice, axes, from, to};
  }
  if (change.onlyJoins())
    return Step{StepKind::AllGather, group, from, to};
  if (change.movesInnerSplits())
    return Step{StepKind::AllToAll, group, from, to};
  return Step{change.isPermutation() ? StepKind::Permute : StepKind::SendRecv,
              group, from, to};
}

} // namespace tpc
