// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which steps lead out of a placement.

#include "tpc/Support/Transition.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace tpc {

namespace {

/// Collects the steps out of one placement. Each member function proposes the
/// targets of one kind of step; classifyStep has the last word on what performs
/// a change, so that nothing here needs to know which chunks are empty.
class MoveLister {
public:
  MoveLister(const Mesh &mesh, ArrayRef<int64_t> shape, const Placement &from,
             const StepFilter &filter)
      : mesh(mesh), shape(shape), from(from), filter(filter) {}

  SmallVector<Step> run() {
    SmallVector<unsigned, 4> replicated, partial;
    unsigned touched = 0;
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
      if (!mayTouch(axis))
        continue;
      ++touched;
      if (from.isReplicated(axis))
        replicated.push_back(axis);
      else if (from.isPartial(axis))
        partial.push_back(axis);
    }
    constexpr unsigned mostTogether = 4;
    together = touched <= mostTogether ? touched : 1;
    split(from, replicated, allDims(), 0); // slice
    allReduce(partial);
    split(from, partial, allDims(), 0); // reduce_scatter
    joinInner(0, from, 0, {});
    if (together > 1)
      permute();
    return std::move(steps);
  }

private:
  bool mayTouch(unsigned axis) const { return filter.axes >> axis & 1; }
  uint64_t allDims() const {
    return filter.dims & ((uint64_t(1) << shape.size()) - 1);
  }

  void propose(const Placement &to) {
    if (!seen.insert(to).second)
      return;
    if (std::optional<Step> step = classifyStep(mesh, shape, from, to))
      steps.push_back(std::move(*step));
  }

  static SmallVector<unsigned, 4> without(ArrayRef<unsigned> axes,
                                          unsigned axis) {
    SmallVector<unsigned, 4> rest;
    llvm::copy_if(axes, std::back_inserter(rest),
                  [&](unsigned other) { return other != axis; });
    return rest;
  }

  /// All ways to split `dims` further by one or more of `axes`, whatever state
  /// these are in.
  void split(const Placement &base, ArrayRef<unsigned> axes, uint64_t dims,
             unsigned taken) {
    if (taken == together)
      return;
    for (unsigned axis : axes)
      for (unsigned dim = 0; dim < shape.size(); ++dim)
        if (dims >> dim & 1) {
          Placement next = base.with(Placement::Entry::shard(axis, dim));
          propose(next);
          split(next, without(axes, axis), dims, taken + 1);
        }
  }

  void allReduce(ArrayRef<unsigned> partial) {
    if (together == 1) {
      for (unsigned axis : partial)
        propose(from.withReplicated(axis));
      return;
    }
    for (uint64_t subset = 1; subset < uint64_t(1) << partial.size();
         ++subset) {
      Placement to = from;
      for (auto [index, axis] : enumerate(partial))
        if (subset >> index & 1)
          to = to.withReplicated(axis);
      propose(to);
    }
  }

  /// Removes inner splits of `dim` and the dims behind it: what remains is the
  /// target of an all-gather, and with the removed axes as splits of dims that
  /// lost none, of an all-to-all.
  void joinInner(unsigned dim, const Placement &base, uint64_t joined,
                 ArrayRef<unsigned> removed) {
    if (dim == shape.size()) {
      if (removed.empty())
        return;
      propose(base);
      splitByAll(base, removed, allDims() & ~joined);
      return;
    }
    joinInner(dim + 1, base, joined, removed);
    Placement next = base;
    SmallVector<unsigned, 4> more(removed);
    SmallVector<unsigned> nest = from.shardAxes(dim);
    for (unsigned axis : reverse(nest)) {
      if (!mayTouch(axis) || more.size() == together)
        return;
      next = next.withReplicated(axis);
      more.push_back(axis);
      joinInner(dim + 1, next, joined | uint64_t(1) << dim, more);
    }
  }

  /// All ways to split `dims` further by all of `axes`.
  void splitByAll(const Placement &base, ArrayRef<unsigned> axes,
                  uint64_t dims) {
    if (axes.empty())
      return propose(base);
    for (unsigned axis : axes)
      for (unsigned dim = 0; dim < shape.size(); ++dim)
        if (dims >> dim & 1)
          splitByAll(base.with(Placement::Entry::shard(axis, dim)),
                     without(axes, axis), dims);
  }

  /// Fills the places of the touched splits with the touched axes in all ways
  /// that leave every dim as many chunks as before.
  void permute() {
    SmallVector<Placement::Entry> entries(from.entries());
    SmallVector<unsigned, 4> places, axes;
    for (auto [index, entry] : enumerate(entries))
      if (entry.isShard() && mayTouch(entry.axis))
        places.push_back(index);
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
      if (mayTouch(axis) && !from.isPartial(axis))
        axes.push_back(axis);
    fill(entries, places, axes);
  }

  void fill(SmallVectorImpl<Placement::Entry> &entries,
            ArrayRef<unsigned> places, ArrayRef<unsigned> axes) {
    if (places.empty()) {
      Placement to(entries);
      for (unsigned dim = 0; dim < shape.size(); ++dim)
        if (mesh.groupSize(from.shardAxes(dim)) !=
            mesh.groupSize(to.shardAxes(dim)))
          return;
      if (to == from || seen.count(to))
        return;
      std::optional<Step> step = classifyStep(mesh, shape, from, to);
      if (step && step->kind != StepKind::SendRecv) {
        seen.insert(to);
        steps.push_back(std::move(*step));
      }
      return;
    }
    Placement::Entry &place = entries[places.front()];
    Placement::Entry original = place;
    for (unsigned axis : axes) {
      place.axis = axis;
      fill(entries, places.drop_front(), without(axes, axis));
    }
    place = original;
  }

  const Mesh &mesh;
  ArrayRef<int64_t> shape;
  const Placement &from;
  const StepFilter &filter;
  /// Most axes that one step may change.
  unsigned together = 1;
  std::set<Placement> seen;
  SmallVector<Step> steps;
};

} // namespace

SmallVector<Step> legalSteps(const Mesh &mesh, ArrayRef<int64_t> shape,
                             const Placement &from, const StepFilter &filter) {
  return MoveLister(mesh, shape, from, filter).run();
}

} // namespace tpc
