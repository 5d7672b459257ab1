// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns two placements into the pieces a rank copies and reduces.

#include "plan.h"
#include <algorithm>

namespace tpc::rt {

/// Merges dims that are contiguous on both sides and drops dims of extent 1,
/// so that the last dim is one run and the loops around it are few.
static void collapse(Transfer &transfer) {
  Shape extent, dstStride, srcStride;
  for (size_t dim = 0; dim < transfer.extent.size(); ++dim) {
    int64_t length = transfer.extent[dim];
    int64_t dst = transfer.dstStride[dim];
    int64_t src = transfer.srcStride[dim];
    if (length == 1)
      continue;
    if (!extent.empty() && dstStride.back() == dst * length &&
        srcStride.back() == src * length) {
      extent.back() *= length;
      dstStride.back() = dst;
      srcStride.back() = src;
      continue;
    }
    extent.push_back(length);
    dstStride.push_back(dst);
    srcStride.push_back(src);
  }
  if (extent.empty() || dstStride.back() != 1 || srcStride.back() != 1) {
    extent.push_back(1);
    dstStride.push_back(1);
    srcStride.push_back(1);
  }
  transfer.extent = std::move(extent);
  transfer.dstStride = std::move(dstStride);
  transfer.srcStride = std::move(srcStride);
}

Transfer makeTransfer(const Box &box, const Shape &dstOrigin,
                      const Shape &dstStride, const Shape &srcOrigin,
                      const Shape &srcStride) {
  Transfer transfer;
  for (size_t dim = 0; dim < box.offset.size(); ++dim) {
    transfer.dstOffset += (box.offset[dim] - dstOrigin[dim]) * dstStride[dim];
    transfer.srcOffset += (box.offset[dim] - srcOrigin[dim]) * srcStride[dim];
  }
  transfer.extent = box.extent;
  transfer.dstStride = dstStride;
  transfer.srcStride = srcStride;
  collapse(transfer);
  return transfer;
}

/// Share `index` of `count` of a transfer, split along its longest dim; empty
/// when there is nothing left for it. Runs are split at multiples of 16
/// elements, so that two ranks rarely write one cache line.
static std::optional<Transfer> shareOf(const Transfer &whole, int64_t index,
                                       int64_t count) {
  size_t dim = 0;
  while (dim + 1 < whole.extent.size() && whole.extent[dim] < count)
    ++dim;
  if (whole.extent[dim] < count)
    dim = std::max_element(whole.extent.begin(), whole.extent.end()) -
          whole.extent.begin();
  int64_t length = whole.extent[dim];
  int64_t step = (length + count - 1) / count;
  if (dim + 1 == whole.extent.size())
    step = (step + 15) / 16 * 16;
  int64_t begin = std::min(length, step * index);
  int64_t end = std::min(length, begin + step);
  if (begin == end)
    return std::nullopt;
  Transfer share = whole;
  share.extent[dim] = end - begin;
  share.dstOffset += begin * whole.dstStride[dim];
  share.srcOffset += begin * whole.srcStride[dim];
  return share;
}

/// The reduction that partial axes of the part agree on.
static std::optional<Reduction> reductionOf(const Part &part) {
  for (const Placement *placement : {&part.from, &part.to})
    for (const PlacementEntry &entry : placement->entries)
      if (entry.isPartial)
        return entry.reduction;
  return std::nullopt;
}

Status checkPart(const Mesh &mesh, const Part &part) {
  if (part.window)
    if (Status status = checkWindow(mesh, part))
      return status;
  std::optional<Reduction> reduction = reductionOf(part);
  if (!reduction)
    return {};
  for (const Placement *placement : {&part.from, &part.to})
    for (const PlacementEntry &entry : placement->entries)
      if (entry.isPartial && entry.reduction != *reduction)
        return fail(TPC_RT_MALFORMED, "expected one kind of partial, got ",
                    part.from.str(mesh), " and ", part.to.str(mesh));
  if (isFloat(part.dtype) &&
      (*reduction == Reduction::And || *reduction == Reduction::Or))
    return fail(TPC_RT_MALFORMED, "reduction ", reductionName(*reduction),
                " is not defined for ", dtypeName(part.dtype));
  return {};
}

static bool reduces(const std::vector<int32_t> &axes, const Part &part) {
  for (int32_t axis : axes)
    if (part.from.isPartial(axis) && !part.to.isPartial(axis))
      return true;
  return false;
}

void forEachCoordinate(
    const Mesh &mesh, const std::vector<int32_t> &axes,
    std::vector<int64_t> coordinates,
    const std::function<void(const std::vector<int64_t> &)> &body) {
  for (int32_t axis : axes)
    coordinates[axis] = 0;
  while (true) {
    body(coordinates);
    size_t i = axes.size();
    while (i > 0 && ++coordinates[axes[i - 1]] == mesh.axes[axes[i - 1]].size) {
      coordinates[axes[i - 1]] = 0;
      --i;
    }
    if (i == 0)
      return;
  }
}

bool worthSharing(const Mesh &mesh, const std::vector<int32_t> &axes,
                  const Part &part) {
  int64_t sharers = 1;
  for (int32_t axis : axes)
    if (part.to.isReplicated(axis))
      sharers *= mesh.axes[axis].size;
  // The padded shape and not a rank's own box: all ranks of a group must come
  // to the same answer.
  int64_t bytes =
      volumeOf(localShape(mesh, part.to, part.shape)) * dtypeSize(part.dtype);
  return sharers > 1 && reduces(axes, part) && bytes > 16 * 1024;
}

Status planPart(const Mesh &mesh, const std::vector<int32_t> &axes,
                const Part &part, int32_t rank, bool share, PartPlan &plan) {
  if (part.window)
    return planWindow(mesh, axes, part, rank, plan);
  plan.dtype = part.dtype;
  plan.reduction = reductionOf(part).value_or(Reduction::Sum);
  std::vector<int64_t> self = mesh.coordinates(rank);
  Box target = boxOf(mesh, part.to, part.shape, self);
  Shape dstStride = rowMajorStrides(localShape(mesh, part.to, part.shape));
  Shape srcStride = rowMajorStrides(localShape(mesh, part.from, part.shape));
  if (target.volume() == 0)
    return {};

  bool becomesPartial = false;
  bool keepsValue = true;
  for (int32_t axis = 0; axis < static_cast<int32_t>(mesh.axes.size());
       ++axis) {
    bool inGroup = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (part.from.isPartial(axis) && !part.to.isPartial(axis) && !inGroup)
      return fail(TPC_RT_MALFORMED, "axis \"", mesh.axes[axis].name,
                  "\" is reduced from ", part.from.str(mesh), " to ",
                  part.to.str(mesh), " but is not an axis of the collective");
    if (!part.to.isPartial(axis) || part.from.isPartial(axis))
      continue;
    becomesPartial = true;
    if (part.from.isReplicated(axis) && self[axis] != 0)
      keepsValue = false;
  }
  bool ownShardOnly = false;
  for (const PlacementEntry &entry : part.from.entries)
    ownShardOnly |= !entry.isPartial && part.to.isPartial(entry.axis);
  if (becomesPartial && (!keepsValue || ownShardOnly))
    plan.fills.push_back(makeTransfer(target, target.offset, dstStride,
                                      target.offset, dstStride));
  if (!keepsValue)
    return {};

  std::vector<int32_t> shardAxes, reduceAxes, sharedAxes;
  for (int32_t axis : axes) {
    if (part.from.isShard(axis) && !part.to.isPartial(axis))
      shardAxes.push_back(axis);
    if (part.from.isPartial(axis) && !part.to.isPartial(axis))
      reduceAxes.push_back(axis);
    if (part.to.isReplicated(axis))
      sharedAxes.push_back(axis);
  }
  std::vector<int32_t> sharers{rank};
  if (share && worthSharing(mesh, axes, part))
    sharers = mesh.group(rank, sharedAxes);

  int64_t found = 0;
  forEachCoordinate(mesh, shardAxes, self, [&](const auto &coordinates) {
    Box source = boxOf(mesh, part.from, part.shape, coordinates);
    Box piece = intersect(source, target);
    if (piece.volume() == 0)
      return;
    found += piece.volume();
    Transfer transfer =
        makeTransfer(piece, target.offset, dstStride, source.offset, srcStride);
    forEachCoordinate(mesh, reduceAxes, coordinates, [&](const auto &member) {
      transfer.sources.push_back(mesh.rankOf(member));
    });
    int64_t count = static_cast<int64_t>(sharers.size());
    for (int64_t index = 0; index < count; ++index) {
      std::optional<Transfer> piece = shareOf(transfer, index, count);
      if (!piece)
        continue;
      if (sharers[index] == rank) {
        plan.first.push_back(std::move(*piece));
        continue;
      }
      // Sharers hold the same box, so the share lies where it lies here.
      piece->sources = {sharers[index]};
      piece->srcOffset = piece->dstOffset;
      piece->srcStride = piece->dstStride;
      collapse(*piece);
      plan.second.push_back(std::move(*piece));
    }
  });
  if (found != target.volume() && !ownShardOnly)
    return fail(TPC_RT_MALFORMED, "rank ", rank, " needs ", target.volume(),
                " elements and its group holds ", found, " of them, from ",
                part.from.str(mesh), " to ", part.to.str(mesh), " of shape ",
                listText(part.shape));
  return {};
}

} // namespace tpc::rt
