// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how often each kind of change is drawn.

#include "RandomChanges.h"
#include <algorithm>

namespace tpc::test {

std::string RandomChanges::Change::str(const Mesh &mesh) const {
  std::string text;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
    text += (axis ? "," : "") + mesh.name(axis).str() + "=" +
            std::to_string(mesh.size(axis));
  text += ": ";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? "x" : "") + std::to_string(shape[dim]);
  return text + " " + from.str(mesh) + " -> " + to.str(mesh);
}

Mesh RandomChanges::mesh() {
  std::string text;
  int64_t axes = 1 + below(mostAxes);
  for (int64_t axis = 0; axis < axes; ++axis)
    text += (axis ? "," : "") + std::string(1, char('a' + axis)) + "=" +
            std::to_string(1 + below(mostRanks));
  return llvm::cantFail(Mesh::parse(text));
}

int64_t RandomChanges::length() {
  switch (below(4)) {
  case 0: // shorter than most meshes
    return 1 + below(9);
  case 1: // even on most meshes
    return 1ll << below(13);
  default:
    return 1 + below(longestDim);
  }
}

Placement RandomChanges::placement(const Mesh &mesh, unsigned rank,
                                   Reduction reduction) {
  std::vector<unsigned> axes(mesh.numAxes());
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    axes[axis] = axis;
  for (size_t i = axes.size(); i > 1; --i)
    std::swap(axes[i - 1], axes[below(i)]);
  bool partials = below(3) == 0;
  std::vector<Placement::Entry> entries;
  for (unsigned axis : axes) {
    int64_t state = below(5);
    if (state == 0)
      continue;
    if (state == 1 && partials)
      entries.push_back(Placement::Entry::partial(axis, reduction));
    else if (rank > 0)
      entries.push_back(Placement::Entry::shard(axis, unsigned(below(rank))));
  }
  return Placement(entries);
}

RandomChanges::Change RandomChanges::change(const Mesh &mesh) {
  Change change;
  for (int64_t dims = 1 + below(4); dims > 0; --dims)
    change.shape.push_back(std::min(length(), longestDim));
  Reduction reduction = Reduction(below(6));
  change.from = placement(mesh, change.shape.size(), reduction);
  change.to = placement(mesh, change.shape.size(), reduction);
  return change;
}

} // namespace tpc::test
