// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which box of a tensor each rank of a mesh holds.

#include "mesh.h"
#include <algorithm>

namespace tpc::rt {

static const char *const reductionNames[] = {"sum",  "max", "min",
                                             "prod", "and", "or"};

const char *reductionName(Reduction reduction) {
  return reductionNames[static_cast<int>(reduction)];
}

std::optional<Reduction> parseReduction(const std::string &name) {
  for (int number = 0; number < 6; ++number)
    if (name == reductionNames[number])
      return static_cast<Reduction>(number);
  return std::nullopt;
}

int32_t Mesh::numRanks() const {
  int64_t ranks = 1;
  for (const Axis &axis : axes)
    ranks *= axis.size;
  return static_cast<int32_t>(ranks);
}

int32_t Mesh::find(const std::string &name) const {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].name == name)
      return static_cast<int32_t>(i);
  return -1;
}

std::vector<int64_t> Mesh::coordinates(int32_t rank) const {
  std::vector<int64_t> result(axes.size());
  int64_t rest = rank;
  for (size_t axis = axes.size(); axis-- > 0;) {
    result[axis] = rest % axes[axis].size;
    rest /= axes[axis].size;
  }
  return result;
}

int32_t Mesh::rankOf(const std::vector<int64_t> &coordinates) const {
  int64_t rank = 0;
  for (size_t axis = 0; axis < axes.size(); ++axis)
    rank = rank * axes[axis].size + coordinates[axis];
  return static_cast<int32_t>(rank);
}

std::vector<int32_t> Mesh::group(int32_t rank,
                                 const std::vector<int32_t> &groupAxes) const {
  std::vector<int64_t> coords = coordinates(rank);
  for (int32_t axis : groupAxes)
    coords[axis] = 0;
  std::vector<int32_t> members{rankOf(coords)};
  for (int32_t axis : groupAxes) {
    int64_t stride = 1;
    for (size_t inner = axis + 1; inner < axes.size(); ++inner)
      stride *= axes[inner].size;
    size_t count = members.size();
    for (int64_t i = 1; i < axes[axis].size; ++i)
      for (size_t m = 0; m < count; ++m)
        members.push_back(static_cast<int32_t>(members[m] + i * stride));
  }
  std::sort(members.begin(), members.end());
  return members;
}

std::string Mesh::str() const {
  std::string text;
  for (const Axis &axis : axes)
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

const PlacementEntry *Placement::find(int32_t axis) const {
  for (const PlacementEntry &entry : entries)
    if (entry.axis == axis)
      return &entry;
  return nullptr;
}

bool Placement::isShard(int32_t axis) const {
  const PlacementEntry *entry = find(axis);
  return entry && !entry->isPartial;
}

bool Placement::isPartial(int32_t axis) const {
  const PlacementEntry *entry = find(axis);
  return entry && entry->isPartial;
}

std::string Placement::str(const Mesh &mesh) const {
  std::string text = "[";
  for (const PlacementEntry &entry : entries) {
    if (text.size() > 1)
      text += ", ";
    text += mesh.axes[entry.axis].name;
    text += entry.isPartial
                ? std::string(": P(") + reductionName(entry.reduction) + ")"
                : ": S(" + std::to_string(entry.dim) + ")";
  }
  return text + "]";
}

int64_t volumeOf(const Shape &shape) {
  int64_t volume = 1;
  for (int64_t extent : shape)
    volume *= extent;
  return volume;
}

int64_t Box::volume() const { return volumeOf(extent); }

std::optional<int64_t> checkedBytes(const Shape &shape, int64_t elementSize) {
  // Zero extents come last: their product must not hide an overflow that the
  // strides of the same shape would have.
  int64_t bytes = elementSize;
  bool isEmpty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0)
      isEmpty = true;
    else if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  }
  return isEmpty ? 0 : bytes;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

Box boxOf(const Mesh &mesh, const Placement &placement, const Shape &shape,
          const std::vector<int64_t> &coordinates) {
  Box box{Shape(shape.size(), 0), shape};
  for (const PlacementEntry &entry : placement.entries) {
    if (entry.isPartial)
      continue;
    int64_t &offset = box.offset[entry.dim];
    int64_t &extent = box.extent[entry.dim];
    int64_t step = ceilDiv(extent, mesh.axes[entry.axis].size);
    int64_t begin = std::min(extent, step * coordinates[entry.axis]);
    offset += begin;
    extent = std::min(step, extent - begin);
  }
  return box;
}

Shape localShape(const Mesh &mesh, const Placement &placement,
                 const Shape &shape) {
  Shape local = shape;
  for (const PlacementEntry &entry : placement.entries)
    if (!entry.isPartial)
      local[entry.dim] = ceilDiv(local[entry.dim], mesh.axes[entry.axis].size);
  return local;
}

Box intersect(const Box &a, const Box &b) {
  Box result{Shape(a.offset.size()), Shape(a.offset.size())};
  for (size_t dim = 0; dim < a.offset.size(); ++dim) {
    int64_t begin = std::max(a.offset[dim], b.offset[dim]);
    int64_t end =
        std::min(a.offset[dim] + a.extent[dim], b.offset[dim] + b.extent[dim]);
    result.offset[dim] = begin;
    result.extent[dim] = std::max<int64_t>(0, end - begin);
  }
  return result;
}

Shape rowMajorStrides(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * std::max<int64_t>(1, shape[dim]);
  return strides;
}

} // namespace tpc::rt
