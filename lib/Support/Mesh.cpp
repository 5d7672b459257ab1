// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what a legal mesh is and how its ranks are numbered.

#include "tpc/Support/Mesh.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace llvm;

namespace tpc {

Expected<Mesh> Mesh::get(ArrayRef<Axis> axes) {
  // Sets of axes are kept as bits of a word.
  if (axes.size() > 32)
    return createStringError("unsupported: a mesh of more than 32 axes, got " +
                             Twine(axes.size()));
  Mesh mesh;
  int64_t ranks = 1;
  for (const Axis &axis : axes) {
    if (axis.name.empty())
      return createStringError("expected a name for every mesh axis, got an "
                               "empty one");
    if (mesh.find(axis.name))
      return createStringError("expected different mesh axes, got axis \"" +
                               axis.name + "\" twice");
    if (axis.size < 1)
      return createStringError(
          "expected a size of at least 1 for mesh axis \"" + axis.name +
          "\", got " + Twine(axis.size));
    if (axis.size > std::numeric_limits<int32_t>::max() / ranks)
      return createStringError("expected fewer than 2^31 ranks in the mesh");
    ranks *= axis.size;
    mesh.axisList.push_back(axis);
  }
  return mesh;
}

Expected<Mesh> Mesh::parse(StringRef text) {
  SmallVector<Axis> axes;
  SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items) {
    auto [name, number] = item.split('=');
    name = name.trim();
    int64_t size = 0;
    if (name.empty() || number.trim().getAsInteger(10, size))
      return createStringError(
          "expected mesh axes as NAME=SIZE,NAME=SIZE, got \"" + text + "\"");
    if (!isAlpha(name.front()) ||
        !all_of(name, [](char c) { return isAlnum(c) || c == '_'; }))
      return createStringError("expected a mesh axis name of letters, digits "
                               "and '_', got \"" +
                               name + "\"");
    axes.push_back({name.str(), size});
  }
  return get(axes);
}

std::optional<unsigned> Mesh::find(StringRef name) const {
  for (auto [index, axis] : enumerate(axisList))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

int64_t Mesh::numRanks() const {
  int64_t ranks = 1;
  for (const Axis &axis : axisList)
    ranks *= axis.size;
  return ranks;
}

int64_t Mesh::groupSize(ArrayRef<unsigned> axes) const {
  int64_t ranks = 1;
  for (unsigned axis : axes)
    ranks *= size(axis);
  return ranks;
}

SmallVector<int64_t> Mesh::coordinates(int64_t rank) const {
  SmallVector<int64_t> result(numAxes());
  for (unsigned axis = numAxes(); axis-- > 0;) {
    result[axis] = rank % size(axis);
    rank /= size(axis);
  }
  return result;
}

int64_t Mesh::rank(ArrayRef<int64_t> coordinates) const {
  int64_t result = 0;
  for (unsigned axis = 0; axis < numAxes(); ++axis)
    result = result * size(axis) + coordinates[axis];
  return result;
}

SmallVector<int64_t> Mesh::group(int64_t rank, ArrayRef<unsigned> axes) const {
  SmallVector<int64_t> coords = coordinates(rank);
  SmallVector<int64_t> result;
  int64_t members = groupSize(axes);
  for (int64_t member = 0; member < members; ++member) {
    int64_t rest = member;
    for (unsigned axis : reverse(axes)) {
      coords[axis] = rest % size(axis);
      rest /= size(axis);
    }
    result.push_back(this->rank(coords));
  }
  return result;
}

std::string Mesh::str() const {
  std::string text;
  for (const Axis &axis : axisList) {
    if (!text.empty())
      text += ',';
    text += axis.name + "=" + itostr(axis.size);
  }
  return text;
}

} // namespace tpc
