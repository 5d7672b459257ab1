// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which pieces of which ranks' buffers make a rank's part of a window.

#include "plan.h"
#include <algorithm>

namespace tpc::rt {

namespace {

/// Beyond this many elements of a dim, sums of lengths might overflow.
constexpr int64_t mostElements = int64_t(1) << 60;

/// Consecutive elements of one dim: of the result from `result`, of the source
/// from `source`.
struct Piece {
  int64_t result;
  int64_t source;
  int64_t length;
};

/// `shape` in units.
Shape unitsOf(const Shape &shape, const Shape &unit) {
  Shape units = shape;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    units[dim] /= unit[dim];
  return units;
}

Shape timesUnit(Shape units, const Shape &unit) {
  for (size_t dim = 0; dim < units.size(); ++dim)
    units[dim] *= unit[dim];
  return units;
}

Box boxOfUnits(const Mesh &mesh, const Placement &placement, const Shape &shape,
               const Shape &unit, const std::vector<int64_t> &coordinates) {
  Box box = boxOf(mesh, placement, unitsOf(shape, unit), coordinates);
  return {timesUnit(box.offset, unit), timesUnit(box.extent, unit)};
}

Shape localShapeOfUnits(const Mesh &mesh, const Placement &placement,
                        const Shape &shape, const Shape &unit) {
  return timesUnit(localShape(mesh, placement, unitsOf(shape, unit)), unit);
}

/// What elements [begin, begin + extent) of the result are, inside the source.
std::vector<Piece> piecesOf(const Part &part, size_t dim, int64_t begin,
                            int64_t extent) {
  const Window &window = *part.window;
  int64_t block = window.block[dim];
  int64_t end = begin + extent;
  std::vector<Piece> pieces;
  for (int64_t at = begin; at < end;) {
    int64_t next = block ? std::min(end, (at / block + 1) * block) : end;
    int64_t source = window.offset[dim] +
                     (block ? at / block * window.step[dim] + at % block : at);
    int64_t first = std::max<int64_t>(0, source);
    int64_t last = std::min(part.shape[dim], source + next - at);
    if (first < last)
      pieces.push_back({at + first - source, first, last - first});
    at = next;
  }
  return pieces;
}

} // namespace

int64_t resultVolume(const Mesh &mesh, const Part &part) {
  if (!part.window)
    return volumeOf(localShape(mesh, part.to, part.shape));
  return volumeOf(
      localShapeOfUnits(mesh, part.to, part.window->shape, part.window->unit));
}

Status checkWindow(const Mesh &mesh, const Part &part) {
  const Window &window = *part.window;
  for (size_t dim = 0; dim < part.shape.size(); ++dim) {
    int64_t source = part.shape[dim], result = window.shape[dim];
    auto wrong = [&](const char *what, int64_t got) {
      return fail(TPC_RT_MALFORMED, "dim ", dim, " of a window of ",
                  listText(window.shape), " in ", listText(part.shape),
                  ": expected ", what, ", got ", got);
    };
    if (source > mostElements || result > mostElements)
      return wrong("less than 2^60 elements", std::max(source, result));
    if (window.offset[dim] < -result || window.offset[dim] > source)
      return wrong("an offset that leaves something inside",
                   window.offset[dim]);
    if (window.block[dim] && result % window.block[dim])
      return wrong("a block that divides the result", window.block[dim]);
    if (window.step[dim] > source + result)
      return wrong("a step within the source", window.step[dim]);
    if (source % window.sourceUnit[dim])
      return wrong("a unit that divides the source", window.sourceUnit[dim]);
    if (result % window.unit[dim])
      return wrong("a unit that divides the result", window.unit[dim]);
  }
  for (int32_t axis = 0; axis < static_cast<int32_t>(mesh.axes.size());
       ++axis) {
    bool before = part.from.isPartial(axis), after = part.to.isPartial(axis);
    if (before != after && (before || !part.from.isShard(axis)))
      return fail(TPC_RT_MALFORMED,
                  "expected a window to join no partials, "
                  "got ",
                  part.from.str(mesh), " and ", part.to.str(mesh));
  }
  return {};
}

Status planWindow(const Mesh &mesh, const std::vector<int32_t> &axes,
                  const Part &part, int32_t rank, PartPlan &plan) {
  const Window &window = *part.window;
  plan.dtype = part.dtype;
  plan.reduction = Reduction::Sum;
  std::vector<int64_t> self = mesh.coordinates(rank);
  Box target = boxOfUnits(mesh, part.to, window.shape, window.unit, self);
  if (target.volume() == 0)
    return {};
  Shape dstStride = rowMajorStrides(
      localShapeOfUnits(mesh, part.to, window.shape, window.unit));
  Shape srcStride = rowMajorStrides(
      localShapeOfUnits(mesh, part.from, part.shape, window.sourceUnit));

  // On axes that become partial a rank keeps its own shard, and zero elsewhere.
  bool ownShardOnly = false;
  std::vector<int32_t> shardAxes;
  for (const PlacementEntry &entry : part.from.entries)
    ownShardOnly |= !entry.isPartial && part.to.isPartial(entry.axis);
  for (int32_t axis : axes)
    if (part.from.isShard(axis) && !part.to.isPartial(axis))
      shardAxes.push_back(axis);
  if (ownShardOnly)
    plan.fills.push_back(makeTransfer(target, target.offset, dstStride,
                                      target.offset, dstStride));

  // Every combination of one piece per dim.
  std::vector<std::vector<Piece>> pieces;
  int64_t wanted = 1;
  for (size_t dim = 0; dim < window.shape.size(); ++dim) {
    pieces.push_back(
        piecesOf(part, dim, target.offset[dim], target.extent[dim]));
    int64_t length = 0;
    for (const Piece &piece : pieces.back())
      length += piece.length;
    wanted *= length;
  }
  if (wanted == 0)
    return {};
  int64_t found = 0;
  std::vector<size_t> choice(pieces.size(), 0);
  while (true) {
    Box needed{Shape(pieces.size()), Shape(pieces.size())};
    Shape dstOrigin = target.offset;
    for (size_t dim = 0; dim < pieces.size(); ++dim) {
      const Piece &piece = pieces[dim][choice[dim]];
      needed.offset[dim] = piece.source;
      needed.extent[dim] = piece.length;
      // Where the result's buffer would begin in the source.
      dstOrigin[dim] += piece.source - piece.result;
    }
    forEachCoordinate(mesh, shardAxes, self, [&](const auto &coordinates) {
      Box source = boxOfUnits(mesh, part.from, part.shape, window.sourceUnit,
                              coordinates);
      Box box = intersect(source, needed);
      if (box.volume() == 0)
        return;
      found += box.volume();
      plan.first.push_back(
          makeTransfer(box, dstOrigin, dstStride, source.offset, srcStride));
      plan.first.back().sources = {mesh.rankOf(coordinates)};
    });
    size_t dim = pieces.size();
    while (dim > 0 && ++choice[dim - 1] == pieces[dim - 1].size())
      choice[--dim] = 0;
    if (dim == 0)
      break;
  }
  if (found != wanted && !ownShardOnly)
    return fail(TPC_RT_MALFORMED, "rank ", rank, " needs ", wanted,
                " elements and its group holds ", found, " of them, from ",
                part.from.str(mesh), " of shape ", listText(part.shape), " to ",
                part.to.str(mesh), " of shape ", listText(window.shape));
  return {};
}

} // namespace tpc::rt
