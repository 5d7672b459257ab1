// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides, before anything runs, which pieces of which ranks' buffers a rank
// reads in a collective.
//
// One rule covers all kinds: a rank needs its box under the placement `to`; it
// finds each element in the boxes the group's ranks hold under `from`.
//   - An axis that shards in `from`: every coordinate holds another piece.
//   - An axis that is partial in `from` only: the value is the reduction over
//     all its coordinates, always in ascending rank order.
//   - Any other axis: the rank's own coordinate. So a rank reads from its own
//     replica, and reading is spread over the replicas.
//   - An axis that is partial in `to` only: the neutral element, except where
//     coordinate 0 keeps a replicated value or a rank keeps its shard.
// A window is the same with another tensor's box: what of it lies inside the
// source, translated there, is what a rank needs.
// Ranks that want the same reduced box share the work: each reduces a share
// into its own result (the first phase), then copies the other shares from
// their results (the second). Every element is reduced once, by one rank,
// which is why replicas are equal bit by bit.
#ifndef TPC_RT_SRC_PLAN_H
#define TPC_RT_SRC_PLAN_H

#include "mesh.h"
#include "status.h"
#include <functional>
#include <optional>

namespace tpc::rt {

/// One rectangular piece. The last dim is contiguous in source and result.
struct Transfer {
  /// Ranks, ascending; several are reduced.
  std::vector<int32_t> sources;
  /// In elements.
  int64_t dstOffset = 0;
  int64_t srcOffset = 0;
  Shape extent;
  Shape dstStride;
  Shape srcStride;
};

/// Where the elements of a part of a tensor lie in it: per dim, result[i] =
/// source[i / block * step + i % block + offset] (of a block of 0: source[i +
/// offset]), unspecified outside of the source. Chunks are whole units.
struct Window {
  /// Of the result.
  Shape shape;
  Shape offset;
  Shape block;
  Shape step;
  Shape sourceUnit;
  Shape unit;
};

/// What moves for one tensor of a collective.
struct Part {
  DType dtype = DType::F32;
  /// Before the collective, and after it where there is no window.
  Shape shape;
  Placement from;
  Placement to;
  std::optional<Window> window = std::nullopt;

  const Shape &resultShape() const { return window ? window->shape : shape; }
};

/// What one rank does for one part.
struct PartPlan {
  DType dtype = DType::F32;
  Reduction reduction = Reduction::Sum;
  /// Pieces set to the neutral element of `reduction`, before anything else.
  std::vector<Transfer> fills;
  /// From the inputs of the sources.
  std::vector<Transfer> first;
  /// From the results of the sources, once they have done `first`.
  std::vector<Transfer> second;
};

/// A piece of `box`, where source and result begin at the given origins (in
/// global elements) and have the given strides.
Transfer makeTransfer(const Box &box, const Shape &dstOrigin,
                      const Shape &dstStride, const Shape &srcOrigin,
                      const Shape &srcStride);

/// What a part must fulfil whatever the ranks: one kind of partial, defined for
/// the element type; offsets and blocks within the shapes.
Status checkPart(const Mesh &mesh, const Part &part);

/// Elements of every rank's buffer behind the collective.
int64_t resultVolume(const Mesh &mesh, const Part &part);

/// True when ranks should share the reduction of this part. Below a few cache
/// lines a barrier costs more than reducing everything on every rank.
bool worthSharing(const Mesh &mesh, const std::vector<int32_t> &axes,
                  const Part &part);

/// Plans `part` for `rank`, whose group extends over `axes` (ascending).
/// `share`: split reductions among the ranks that want the same box.
Status planPart(const Mesh &mesh, const std::vector<int32_t> &axes,
                const Part &part, int32_t rank, bool share, PartPlan &plan);

/// The same for a part with a window.
Status checkWindow(const Mesh &mesh, const Part &part);
Status planWindow(const Mesh &mesh, const std::vector<int32_t> &axes,
                  const Part &part, int32_t rank, PartPlan &plan);

/// Every combination of coordinates on `axes`, the last axis fastest; the
/// others stay as they are. Over mesh axes in ascending order that is
/// ascending rank order.
void forEachCoordinate(
    const Mesh &mesh, const std::vector<int32_t> &axes,
    std::vector<int64_t> coordinates,
    const std::function<void(const std::vector<int64_t> &)> &body);

/// Calls `body(dstOffset, srcOffset, count)` for every contiguous run of share
/// number `share` of `shares` of a transfer.
template <typename Body>
void forEachRun(const Transfer &transfer, int64_t share, int64_t shares,
                Body &&body) {
  size_t rank = transfer.extent.size();
  int64_t length = transfer.extent[0];
  int64_t begin = length * share / shares;
  int64_t end = length * (share + 1) / shares;
  if (begin >= end)
    return;
  if (rank == 1) {
    body(transfer.dstOffset + begin, transfer.srcOffset + begin, end - begin);
    return;
  }
  int64_t count = transfer.extent[rank - 1];
  int64_t dst = transfer.dstOffset + begin * transfer.dstStride[0];
  int64_t src = transfer.srcOffset + begin * transfer.srcStride[0];
  if (rank == 2) {
    for (int64_t i = begin; i < end; ++i) {
      body(dst, src, count);
      dst += transfer.dstStride[0];
      src += transfer.srcStride[0];
    }
    return;
  }
  Shape index(rank - 1, 0);
  index[0] = begin;
  while (true) {
    body(dst, src, count);
    size_t dim = rank - 2;
    while (true) {
      dst += transfer.dstStride[dim];
      src += transfer.srcStride[dim];
      if (++index[dim] < (dim ? transfer.extent[dim] : end))
        break;
      if (dim == 0)
        return;
      dst -= transfer.dstStride[dim] * transfer.extent[dim];
      src -= transfer.srcStride[dim] * transfer.extent[dim];
      index[dim] = 0;
      --dim;
    }
  }
}

} // namespace tpc::rt

#endif // TPC_RT_SRC_PLAN_H
