// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what each rank lacks of a window, from the exact chunks.

#include "tpc/Support/Window.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc {

static int64_t overlap(Chunk a, Chunk b) {
  int64_t begin = std::max(a.offset, b.offset);
  int64_t end = std::min(a.offset + a.size, b.offset + b.size);
  return std::max<int64_t>(0, end - begin);
}

static Chunk chunkOfUnits(const Mesh &mesh, const Placement &placement,
                          unsigned dim, int64_t length, int64_t unit,
                          int64_t rank) {
  Chunk chunk = placement.chunk(mesh, dim, length / unit, rank);
  return {chunk.offset * unit, chunk.size * unit};
}

/// The intervals of the source that elements [begin, end) of the result are.
static SmallVector<Chunk, 2> sourceOf(const WindowDim &dim, Chunk result) {
  SmallVector<Chunk, 2> pieces;
  int64_t end = result.offset + result.size;
  for (int64_t at = result.offset; at < end;) {
    int64_t next =
        dim.block ? std::min(end, (at / dim.block + 1) * dim.block) : end;
    int64_t first = dim.block ? at / dim.block * dim.step + at % dim.block : at;
    int64_t begin = std::clamp<int64_t>(first + dim.offset, 0, dim.source);
    int64_t stop =
        std::clamp<int64_t>(first + dim.offset + next - at, 0, dim.source);
    if (begin < stop)
      pieces.push_back({begin, stop - begin});
    at = next;
  }
  return pieces;
}

/// True where every rank's chunk of the result is its chunk of the source.
static bool isPlain(const Window &window, unsigned dim) {
  const WindowDim &d = window.dims[dim];
  return d.source == d.result && d.offset == 0 && d.block == 0 &&
         d.sourceUnit == d.resultUnit &&
         window.from.shardAxes(dim) == window.to.shardAxes(dim);
}

/// The axes that shard `dim` of the source and make the result partial.
static bool keepsOwn(const Window &window, unsigned dim) {
  return any_of(window.from.shardAxes(dim),
                [&](unsigned axis) { return window.to.isPartial(axis); });
}

std::optional<Placement> joinDims(ArrayRef<int64_t> shape,
                                  const Placement &placement,
                                  ArrayRef<SmallVector<int64_t, 2>> groups,
                                  SmallVectorImpl<int64_t> &lengths,
                                  SmallVectorImpl<int64_t> &units) {
  SmallVector<Placement::Entry> entries(placement.entries());
  lengths.clear();
  units.clear();
  for (auto [number, group] : enumerate(groups)) {
    int64_t length = 1, unit = 1;
    for (int64_t dim : reverse(group)) {
      if (!placement.shardAxes(dim).empty()) {
        for (int64_t other : group)
          if (other < dim && shape[other] != 1)
            return std::nullopt;
        unit = length;
      }
      length *= shape[dim];
      for (auto [entry, original] : zip_equal(entries, placement.entries()))
        if (original.isShard() && original.dim == dim)
          entry.dim = number;
    }
    lengths.push_back(length);
    units.push_back(std::max<int64_t>(1, unit));
  }
  return Placement(entries);
}

std::optional<std::string> findFault(const Mesh &mesh, const Window &window) {
  for (auto [index, dim] : enumerate(window.dims)) {
    std::string where = "dim " + std::to_string(index);
    if (dim.offset < -dim.result || dim.offset > dim.source)
      return where + ": expected an offset from " +
             std::to_string(-dim.result) + " to " + std::to_string(dim.source) +
             ", got " + std::to_string(dim.offset);
    if (dim.block < 0 || dim.step < 0 || (dim.block == 0 && dim.step != 0) ||
        (dim.block != 0 && dim.result % dim.block != 0) ||
        dim.step > dim.source + dim.result)
      return where + ": expected blocks that divide the " +
             std::to_string(dim.result) + " elements, got blocks of " +
             std::to_string(dim.block) + " at steps of " +
             std::to_string(dim.step);
    if (keepsOwn(window, index) &&
        (!window.to.shardAxes(index).empty() ||
         !all_of(window.from.shardAxes(index),
                 [&](unsigned axis) { return window.to.isPartial(axis); })))
      return where +
             ": expected every axis that shards it to be partial in "
             "the result where one is, got " +
             window.from.str(mesh) + " and " + window.to.str(mesh);
  }
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    const Placement::Entry *from = window.from.find(axis);
    const Placement::Entry *to = window.to.find(axis);
    bool isPartial = to && to->isPartial();
    bool legal = from && from->isPartial() ? to && *from == *to
                 : isPartial ? from && to->reduction == Reduction::Sum
                             : true;
    if (!legal)
      return "axis \"" + mesh.name(axis).str() +
             "\": expected a shard or a sum to become partial, and a partial "
             "to stay, got " +
             window.from.str(mesh) + " and " + window.to.str(mesh);
  }
  return std::nullopt;
}

SmallVector<unsigned, 4> windowAxes(const Window &window) {
  SmallVector<unsigned, 4> axes;
  for (unsigned dim = 0; dim < window.dims.size(); ++dim) {
    if (isPlain(window, dim))
      continue;
    axes.append(window.from.shardAxes(dim));
    axes.append(window.to.shardAxes(dim));
  }
  llvm::sort(axes);
  axes.erase(llvm::unique(axes), axes.end());
  return axes;
}

std::vector<int64_t> lackingElements(const Mesh &mesh, const Window &window) {
  std::vector<int64_t> lacking;
  for (int64_t rank = 0, e = mesh.numRanks(); rank < e; ++rank) {
    int64_t wanted = 1, held = 1;
    for (auto [index, dim] : enumerate(window.dims)) {
      Chunk own = chunkOfUnits(mesh, window.from, index, dim.source,
                               dim.sourceUnit, rank);
      Chunk needed = chunkOfUnits(mesh, window.to, index, dim.result,
                                  dim.resultUnit, rank);
      int64_t all = 0, here = 0;
      for (Chunk piece : sourceOf(dim, needed)) {
        all += piece.size;
        here += overlap(piece, own);
      }
      wanted *= keepsOwn(window, index) ? here : all;
      held *= here;
    }
    lacking.push_back(wanted - held);
  }
  return lacking;
}

int64_t windowPeers(const Mesh &mesh, const Window &window) {
  // The distinct chunks of every dim of the source.
  SmallVector<std::vector<Chunk>, 4> chunks;
  for (auto [index, dim] : enumerate(window.dims)) {
    std::vector<Chunk> &list = chunks.emplace_back();
    for (int64_t rank = 0, e = mesh.numRanks(); rank < e; ++rank) {
      Chunk chunk = chunkOfUnits(mesh, window.from, index, dim.source,
                                 dim.sourceUnit, rank);
      if (chunk.size > 0)
        list.push_back(chunk);
    }
    llvm::sort(list, [](Chunk a, Chunk b) { return a.offset < b.offset; });
    list.erase(llvm::unique(list), list.end());
  }
  int64_t worst = 0;
  for (int64_t rank = 0, e = mesh.numRanks(); rank < e; ++rank) {
    int64_t sources = 1;
    bool holdsSome = true;
    for (auto [index, dim] : enumerate(window.dims)) {
      Chunk own = chunkOfUnits(mesh, window.from, index, dim.source,
                               dim.sourceUnit, rank);
      Chunk needed = chunkOfUnits(mesh, window.to, index, dim.result,
                                  dim.resultUnit, rank);
      SmallVector<Chunk, 2> pieces = sourceOf(dim, needed);
      auto isNeeded = [&](Chunk chunk) {
        return any_of(pieces,
                      [&](Chunk piece) { return overlap(piece, chunk) > 0; });
      };
      bool here = isNeeded(own);
      holdsSome &= here;
      sources *= keepsOwn(window, index) ? int64_t(here)
                                         : count_if(chunks[index], isNeeded);
    }
    worst = std::max(worst, sources - (holdsSome ? 1 : 0));
  }
  return worst;
}

} // namespace tpc
