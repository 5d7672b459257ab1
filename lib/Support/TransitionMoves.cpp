// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which steps lead out of a placement.

#include "TransitionMoves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tpc {

Layout Layout::get(const Placement &placement, size_t numDims) {
  Layout layout{nestsOf(placement, numDims)};
  for (unsigned axis : placement.partialAxes())
    layout.partial |= uint64_t(1) << axis;
  return layout;
}

Placement Layout::placement(Reduction reduction) const {
  SmallVector<Placement::Entry> entries;
  for (auto [dim, nest] : enumerate(nests))
    for (unsigned axis : nest)
      entries.push_back(Placement::Entry::shard(axis, dim));
  for (uint64_t rest = partial; rest; rest &= rest - 1)
    entries.push_back(Placement::Entry::partial(countr_zero(rest), reduction));
  return Placement(entries);
}

uint64_t Layout::sharded() const {
  uint64_t axes = 0;
  for (const Nest &nest : nests)
    for (unsigned axis : nest)
      axes |= uint64_t(1) << axis;
  return axes;
}

bool Layout::operator<(const Layout &o) const {
  if (partial != o.partial)
    return partial < o.partial;
  return std::lexicographical_compare(nests.begin(), nests.end(),
                                      o.nests.begin(), o.nests.end());
}

hash_code hash_value(const Layout &layout) {
  uint64_t value = layout.partial;
  auto mix = [&](uint64_t next) {
    value = (value ^ next) * 0x9e3779b97f4a7c15;
    value ^= value >> 29;
  };
  for (const Nest &nest : layout.nests) {
    mix(nest.size());
    for (uint8_t axis : nest)
      mix(axis + 1);
  }
  return hash_code(value);
}

namespace {

class MoveLister {
public:
  MoveLister(const Mesh &mesh, Layout &layout, const StepFilter &filter,
             function_ref<void(StepKind)> visit)
      : mesh(mesh), layout(layout), filter(filter), visit(visit) {}

  void run() {
    uint64_t sharded = layout.sharded();
    SmallVector<unsigned, 4> replicated, partial;
    unsigned touched = 0;
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
      if (!mayTouch(axis))
        continue;
      ++touched;
      if (layout.partial >> axis & 1)
        partial.push_back(axis);
      else if (!(sharded >> axis & 1))
        replicated.push_back(axis);
    }
    constexpr unsigned mostTogether = 4;
    together = touched <= mostTogether ? touched : 1;
    outer = sizes();
    split(replicated, allDims(), StepKind::Slice, true, 0);
    allReduce(partial, 0);
    split(partial, allDims(), StepKind::ReduceScatter, true, 0);
    joinInner(0, 0, {});
    if (together > 1)
      permute(replicated);
  }

private:
  bool mayTouch(unsigned axis) const { return filter.axes >> axis & 1; }
  /// Dims that steps may change, as far as masks reach.
  unsigned numDims() const { return std::min<size_t>(layout.nests.size(), 64); }
  uint64_t allDims() const {
    return filter.dims & maskTrailingOnes<uint64_t>(numDims());
  }
  SmallVector<size_t, 4> sizes() const {
    SmallVector<size_t, 4> sizes;
    for (const Nest &nest : layout.nests)
      sizes.push_back(nest.size());
    return sizes;
  }

  /// Splits `dims` further by `axes`, by any of them when `some` and else by
  /// all. An axis goes between those that went before it in all ways, so that
  /// no nest is made twice.
  void split(ArrayRef<unsigned> axes, uint64_t dims, StepKind kind, bool some,
             unsigned taken) {
    if (axes.empty()) {
      if (taken > 0)
        visit(kind);
      return;
    }
    unsigned axis = axes.front();
    axes = axes.drop_front();
    if (some)
      split(axes, dims, kind, some, taken);
    if (taken == together)
      return;
    uint64_t wasPartial = layout.partial;
    layout.partial &= ~(uint64_t(1) << axis);
    for (unsigned dim = 0; dim < numDims(); ++dim) {
      if (!(dims >> dim & 1))
        continue;
      for (size_t place = outer[dim]; place <= layout.nests[dim].size();
           ++place) {
        layout.nests[dim].insert(layout.nests[dim].begin() + place, axis);
        split(axes, dims, kind, some, taken + 1);
        layout.nests[dim].erase(layout.nests[dim].begin() + place);
      }
    }
    layout.partial = wasPartial;
  }

  void allReduce(ArrayRef<unsigned> partial, unsigned taken) {
    if (partial.empty()) {
      if (taken > 0)
        visit(StepKind::AllReduce);
      return;
    }
    allReduce(partial.drop_front(), taken);
    if (taken == together)
      return;
    uint64_t wasPartial = layout.partial;
    layout.partial &= ~(uint64_t(1) << partial.front());
    allReduce(partial.drop_front(), taken + 1);
    layout.partial = wasPartial;
  }

  /// Removes inner splits of `dim` and the dims behind it: what remains is the
  /// target of an all-gather, and with the removed axes as splits of dims that
  /// lost none, of an all-to-all.
  void joinInner(unsigned dim, uint64_t joined, ArrayRef<unsigned> removed) {
    if (dim == numDims()) {
      if (removed.empty())
        return;
      visit(StepKind::AllGather);
      split(removed, allDims() & ~joined, StepKind::AllToAll, false, 0);
      return;
    }
    joinInner(dim + 1, joined, removed);
    Nest nest = layout.nests[dim];
    SmallVector<unsigned, 4> more(removed);
    for (unsigned axis : reverse(nest)) {
      if (!mayTouch(axis) || more.size() == together)
        break;
      layout.nests[dim].pop_back();
      more.push_back(axis);
      outer[dim] = layout.nests[dim].size();
      joinInner(dim + 1, joined | uint64_t(1) << dim, more);
    }
    layout.nests[dim] = nest;
    outer[dim] = nest.size();
  }

  /// Fills the places of the touched splits with the touched axes in all ways
  /// that leave every dim as many chunks as before.
  void permute(ArrayRef<unsigned> replicated) {
    SmallVector<uint8_t *, 8> places;
    SmallVector<unsigned, 4> axes(replicated);
    SmallVector<int64_t, 4> parts;
    for (Nest &nest : layout.nests) {
      int64_t &count = parts.emplace_back(1);
      for (uint8_t &axis : nest) {
        count *= mesh.size(axis);
        if (mayTouch(axis)) {
          places.push_back(&axis);
          axes.push_back(axis);
        }
      }
    }
    llvm::sort(axes);
    Nests original = layout.nests;
    fill(places, axes, parts, original);
  }

  void fill(ArrayRef<uint8_t *> places, ArrayRef<unsigned> axes,
            ArrayRef<int64_t> parts, const Nests &original) {
    if (places.empty()) {
      for (auto [nest, count] : zip_equal(layout.nests, parts)) {
        int64_t now = 1;
        for (unsigned axis : nest)
          now *= mesh.size(axis);
        if (now != count)
          return;
      }
      if (layout.nests != original)
        visit(StepKind::Permute);
      return;
    }
    uint8_t axisBefore = *places.front();
    for (unsigned axis : axes) {
      SmallVector<unsigned, 4> rest;
      for (unsigned other : axes)
        if (other != axis)
          rest.push_back(other);
      *places.front() = axis;
      fill(places.drop_front(), rest, parts, original);
    }
    *places.front() = axisBefore;
  }

  const Mesh &mesh;
  Layout &layout;
  const StepFilter &filter;
  function_ref<void(StepKind)> visit;
  /// Most axes that one step may change.
  unsigned together = 1;
  /// By dim: how many outer splits the step leaves alone.
  SmallVector<size_t, 4> outer;
};

} // namespace

void forEachMove(const Mesh &mesh, Layout &layout, const StepFilter &filter,
                 function_ref<void(StepKind)> visit) {
  MoveLister(mesh, layout, filter, visit).run();
}

SmallVector<Step> legalSteps(const Mesh &mesh, ArrayRef<int64_t> shape,
                             const Placement &from, const StepFilter &filter) {
  SmallVector<Step> steps;
  Reduction reduction = Reduction::Sum;
  for (unsigned axis : from.partialAxes())
    reduction = from.find(axis)->reduction;
  Layout layout = Layout::get(from, shape.size());
  forEachMove(mesh, layout, filter, [&](StepKind kind) {
    std::optional<Step> step =
        classifyStep(mesh, shape, from, layout.placement(reduction));
    if (step && (kind != StepKind::Permute || step->kind == kind))
      steps.push_back(std::move(*step));
  });
  return steps;
}

} // namespace tpc
