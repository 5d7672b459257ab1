// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what each rank lacks after a change of shards, from the exact boxes.

#include "TransitionGeometry.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc {

static int64_t overlap(Chunk a, Chunk b) {
  int64_t begin = std::max(a.offset, b.offset);
  int64_t end = std::min(a.offset + a.size, b.offset + b.size);
  return std::max<int64_t>(0, end - begin);
}

BoxChange::BoxChange(const Mesh &mesh, ArrayRef<int64_t> shape,
                     const Placement &from, const Placement &to)
    : mesh(mesh) {
  SmallVector<unsigned, 4> removed, added;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    Dim change{shape[dim], {}, {}, true};
    int64_t beforeSize = shape[dim], afterSize = shape[dim];
    auto split = [&](int64_t &size, unsigned axis) {
      change.even &= size % mesh.size(axis) == 0;
      size = (size + mesh.size(axis) - 1) / mesh.size(axis);
    };
    for (const Placement::Entry &entry : from.entries())
      if (entry.isShard() && entry.dim == dim) {
        change.from.push_back(entry.axis);
        split(beforeSize, entry.axis);
      }
    for (const Placement::Entry &entry : to.entries())
      if (entry.isShard() && entry.dim == dim) {
        change.to.push_back(entry.axis);
        split(afterSize, entry.axis);
      }
    if (change.from == change.to) {
      unchangedElements *= beforeSize;
      continue;
    }
    even &= change.even;

    ArrayRef<unsigned> before = change.from, after = change.to;
    while (!before.empty() && !after.empty() &&
           before.front() == after.front()) {
      before = before.drop_front();
      after = after.drop_front();
    }
    onlySplitsFurther &= before.empty();
    onlyJoinsInner &= after.empty();
    movesSplits &= before.empty() || after.empty();
    removed.append(before.begin(), before.end());
    added.append(after.begin(), after.end());
    // A split that stays innermost of even nests cuts every chunk at the same
    // places when the chunks it cuts are equally long before and after.
    if (change.even && beforeSize == afterSize)
      while (!before.empty() && !after.empty() &&
             before.back() == after.back()) {
        before = before.drop_back();
        after = after.drop_back();
      }
    group.append(before.begin(), before.end());
    group.append(after.begin(), after.end());
    if (!change.even) {
      before = change.from;
      after = change.to;
    }
    varied.append(before.begin(), before.end());
    varied.append(after.begin(), after.end());
    dims.push_back(std::move(change));
  }
  for (SmallVector<unsigned, 4> *axes : {&group, &varied, &removed, &added}) {
    llvm::sort(*axes);
    axes->erase(llvm::unique(*axes), axes->end());
  }
  movesSplits &= removed == added;
}

BoxChange::Chunks::Chunks(const Mesh &mesh, ArrayRef<unsigned> nest,
                          int64_t length, bool even) {
  int64_t stride = 1;
  for (unsigned axis : reverse(nest)) {
    strides.push_back({axis, stride});
    stride *= mesh.size(axis);
  }
  size = even ? length / stride : 0;
  if (even)
    return;
  listed = {{0, length}};
  for (unsigned axis : nest) {
    std::vector<Chunk> split;
    for (Chunk chunk : listed)
      for (int64_t index = 0; index < mesh.size(axis); ++index) {
        Chunk inner = chunkOf(chunk.size, mesh.size(axis), index);
        split.push_back({chunk.offset + inner.offset, inner.size});
      }
    listed = std::move(split);
  }
}

template <typename Visitor> void BoxChange::forEachRank(Visitor visit) const {
  SmallVector<Chunks, 2> before, after;
  for (const Dim &dim : dims) {
    before.emplace_back(mesh, dim.from, dim.length, dim.even);
    after.emplace_back(mesh, dim.to, dim.length, dim.even);
  }
  SmallVector<int64_t> coordinates(mesh.numAxes(), 0);
  SmallVector<Chunk, 4> old(dims.size()), now(dims.size());
  while (true) {
    for (unsigned index = 0; index < dims.size(); ++index) {
      old[index] = before[index].at(coordinates);
      now[index] = after[index].at(coordinates);
    }
    if (!visit(ArrayRef<Chunk>(old), ArrayRef<Chunk>(now)))
      return;
    size_t position = varied.size();
    while (position > 0 && ++coordinates[varied[position - 1]] ==
                               mesh.size(varied[position - 1]))
      coordinates[varied[--position]] = 0;
    if (position == 0)
      return;
  }
}

int64_t BoxChange::lacking() const {
  if (onlySplitsFurther)
    return 0;
  int64_t worst = 0;
  forEachRank([&](ArrayRef<Chunk> before, ArrayRef<Chunk> after) {
    int64_t wanted = 1, held = 1;
    for (unsigned dim = 0; dim < before.size(); ++dim) {
      wanted *= after[dim].size;
      held *= overlap(before[dim], after[dim]);
    }
    worst = std::max(worst, wanted - held);
    // In even nests all ranks want equally many, and in an all-gather or an
    // all-to-all hold equally many of them.
    return !even || (held > 0 && !onlyJoinsInner && !movesSplits);
  });
  return worst * unchangedElements;
}

int64_t BoxChange::peers() const {
  if (unchangedElements == 0)
    return 0;
  SmallVector<SmallVector<int64_t>, 2> offsets;
  for (const Dim &dim : dims) {
    SmallVector<int64_t> &starts = offsets.emplace_back();
    if (dim.even)
      continue;
    for (Chunk chunk : Chunks(mesh, dim.from, dim.length, false).listed)
      if (chunk.size > 0)
        starts.push_back(chunk.offset);
  }
  int64_t worst = 0;
  forEachRank([&](ArrayRef<Chunk> before, ArrayRef<Chunk> after) {
    int64_t sources = 1;
    bool holdsSome = true;
    for (unsigned index = 0; index < dims.size(); ++index) {
      Chunk wanted = after[index];
      if (wanted.size == 0)
        return true;
      if (dims[index].even) {
        int64_t size = before[index].size;
        sources *=
            (wanted.offset + wanted.size - 1) / size - wanted.offset / size + 1;
      } else {
        // Chunks that begin before the end, but not before the one that holds
        // the first element.
        ArrayRef<int64_t> starts = offsets[index];
        auto end = llvm::lower_bound(starts, wanted.offset + wanted.size);
        auto begin = llvm::upper_bound(starts, wanted.offset);
        sources *= end - begin + 1;
      }
      holdsSome &= overlap(before[index], wanted) > 0;
    }
    worst = std::max(worst, sources - (holdsSome ? 1 : 0));
    return true;
  });
  return worst;
}

bool BoxChange::isPermutation() const {
  bool sameCounts = true;
  for (const Dim &dim : dims)
    sameCounts &= mesh.groupSize(dim.from) == mesh.groupSize(dim.to);
  if (even)
    return sameCounts;
  // Every box must be held by as many ranks after as before.
  using Box = SmallVector<std::pair<int64_t, int64_t>, 2>;
  std::vector<Box> before, after;
  auto add = [](std::vector<Box> &boxes, ArrayRef<Chunk> chunks) {
    if (any_of(chunks, [](Chunk chunk) { return chunk.size == 0; }))
      return;
    Box &box = boxes.emplace_back();
    for (Chunk chunk : chunks)
      box.push_back({chunk.offset, chunk.size});
  };
  // The first rank's boxes are the largest.
  bool sameLargest = true;
  forEachRank([&](ArrayRef<Chunk> a, ArrayRef<Chunk> b) {
    if (before.empty() && after.empty())
      for (unsigned dim = 0; dim < a.size(); ++dim)
        sameLargest &= a[dim].size == b[dim].size;
    add(before, a);
    add(after, b);
    return sameLargest;
  });
  if (!sameLargest)
    return false;
  llvm::sort(before);
  llvm::sort(after);
  return before == after;
}

} // namespace tpc
