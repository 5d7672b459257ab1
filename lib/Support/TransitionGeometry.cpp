// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what each rank lacks after a change of shards, from the exact boxes.

#include "TransitionGeometry.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc {

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int64_t overlap(Chunk a, Chunk b) {
  int64_t begin = std::max(a.offset, b.offset);
  int64_t end = std::min(a.offset + a.size, b.offset + b.size);
  return std::max<int64_t>(0, end - begin);
}

static int64_t partsOf(const Mesh &mesh, ArrayRef<uint8_t> nest) {
  int64_t parts = 1;
  for (unsigned axis : nest)
    parts *= mesh.size(axis);
  return parts;
}

Nests nestsOf(const Placement &placement, size_t numDims) {
  Nests nests(numDims);
  for (const Placement::Entry &entry : placement.entries())
    if (entry.isShard())
      nests[entry.dim].push_back(uint8_t(entry.axis));
  return nests;
}

int64_t largestBox(const Mesh &mesh, ArrayRef<int64_t> shape,
                   const Nests &nests) {
  // Rounding up level by level is rounding up once.
  int64_t elements = 1;
  for (auto [length, nest] : zip_equal(shape, nests))
    elements *= ceilDiv(length, partsOf(mesh, nest));
  return elements;
}

BoxChange::BoxChange(const Mesh &mesh, ArrayRef<int64_t> shape,
                     const Nests &from, const Nests &to)
    : mesh(mesh) {
  uint64_t removed = 0, added = 0;
  auto commonPrefix = [](ArrayRef<uint8_t> a, ArrayRef<uint8_t> b) {
    size_t common = 0;
    while (common < std::min(a.size(), b.size()) && a[common] == b[common])
      ++common;
    return unsigned(common);
  };
  for (auto [dim, length] : enumerate(shape)) {
    ArrayRef<uint8_t> before = from[dim], after = to[dim];
    if (before == after) {
      unchangedElements *= ceilDiv(length, partsOf(mesh, before));
      continue;
    }
    Dim change{length, withoutTrivial(from[dim]), withoutTrivial(to[dim])};
    before = change.from;
    after = change.to;
    if (before == after) {
      unchangedElements *= ceilDiv(length, partsOf(mesh, before));
      continue;
    }
    change.common = commonPrefix(before, after);
    change.fromParts = partsOf(mesh, before);
    change.toParts = partsOf(mesh, after);
    changedElements *= ceilDiv(length, change.toParts);

    before = before.drop_front(change.common);
    after = after.drop_front(change.common);
    onlySplitsFurther &= before.empty();
    onlyJoinsInner &= after.empty();
    movesSplits &= before.empty() || after.empty();
    for (unsigned axis : before)
      removed |= uint64_t(1) << axis;
    for (unsigned axis : after)
      added |= uint64_t(1) << axis;
    // A split that stays innermost of even nests cuts every chunk at the same
    // places when the chunks it cuts are equally long before and after.
    if (change.isEven() && change.fromParts == change.toParts)
      while (!before.empty() && !after.empty() &&
             before.back() == after.back()) {
        before = before.drop_back();
        after = after.drop_back();
      }
    for (ArrayRef<uint8_t> axes : {before, after})
      for (unsigned axis : axes)
        group |= uint64_t(1) << axis;
    dims.push_back(std::move(change));
  }
  movesSplits &= removed == added;
}

SmallVector<unsigned, 4> BoxChange::groupAxes() const {
  SmallVector<unsigned, 4> axes;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
    if (group >> axis & 1)
      axes.push_back(axis);
  return axes;
}

ArrayRef<uint8_t> BoxChange::withoutTrivial(const Nest &nest) {
  auto isTrivial = [&](unsigned axis) { return mesh.size(axis) == 1; };
  if (none_of(nest, isTrivial))
    return nest;
  Nest &rest = *shortened.emplace_back(std::make_unique<Nest>(nest));
  llvm::erase_if(rest, isTrivial);
  return rest;
}

Chunk BoxChange::chunkAt(ArrayRef<uint8_t> nest, int64_t length,
                         ArrayRef<int64_t> coordinates) const {
  Chunk chunk{0, length};
  for (unsigned axis : nest) {
    Chunk inner = chunkOf(chunk.size, mesh.size(axis), coordinates[axis]);
    chunk = {chunk.offset + inner.offset, inner.size};
  }
  return chunk;
}

std::vector<Chunk> BoxChange::chunksOf(ArrayRef<uint8_t> nest,
                                       int64_t length) const {
  std::vector<Chunk> chunks = {{0, length}};
  for (unsigned axis : nest) {
    std::vector<Chunk> split;
    split.reserve(chunks.size() * mesh.size(axis));
    for (Chunk chunk : chunks)
      for (int64_t index = 0; index < mesh.size(axis); ++index) {
        Chunk inner = chunkOf(chunk.size, mesh.size(axis), index);
        split.push_back({chunk.offset + inner.offset, inner.size});
      }
    chunks = std::move(split);
  }
  return chunks;
}

/// True when the rank with `coordinate` along `axis`, and 0 along all others,
/// has a largest new box.
bool BoxChange::lacksAllAt(unsigned axis, int64_t coordinate) const {
  for (const Dim &dim : dims) {
    if (!is_contained(dim.to, axis))
      continue;
    SmallVector<int64_t, 8> coordinates(mesh.numAxes(), 0);
    coordinates[axis] = coordinate;
    if (chunkAt(dim.to, dim.length, coordinates).size !=
        ceilDiv(dim.length, dim.toParts))
      return false;
  }
  return true;
}

bool BoxChange::someRankLacksAll() const {
  if (!lacksAll)
    lacksAll = findRankThatLacksAll();
  return *lacksAll;
}

bool BoxChange::findRankThatLacksAll() const {
  for (const Dim &dim : dims) {
    if (!dim.loses() || !dim.gains())
      continue;
    // Both nests split the first chunk of the common splits, by `first` and by
    // `second`. At coordinate 0 a chunk lies in the first piece; `coordinate`
    // of the other axis is the first that begins behind it.
    int64_t length =
        ceilDiv(dim.length, partsOf(mesh, dim.to.take_front(dim.common)));
    unsigned first = dim.from[dim.common], second = dim.to[dim.common];
    for (int swap = 0; swap < 2; ++swap, std::swap(first, second)) {
      int64_t step = ceilDiv(length, mesh.size(first));
      if (step == 0)
        continue;
      int64_t coordinate = ceilDiv(ceilDiv(length, mesh.size(second)), step);
      if (coordinate < mesh.size(first) && lacksAllAt(first, coordinate))
        return true;
    }
  }
  return false;
}

BoxChange::Choices BoxChange::allChoices() const {
  Choices choices;
  uint64_t axes = 0;
  for (const Dim &dim : dims)
    for (ArrayRef<uint8_t> nest : {dim.from, dim.to})
      for (unsigned axis : nest)
        axes |= uint64_t(1) << axis;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
    if (axes >> axis & 1) {
      auto &coordinates =
          choices.emplace_back(axis, SmallVector<int64_t, 8>()).second;
      for (int64_t index = 0; index < mesh.size(axis); ++index)
        coordinates.push_back(index);
    }
  return choices;
}

/// How chunks of `length` elements split along an axis: so many full ones of
/// `step`, one of `rest`, empty ones.
namespace {
struct Split {
  int64_t step = 0, full = 0, rest = 0;
  Split(int64_t length, int64_t parts) {
    if (length == 0)
      return;
    step = ceilDiv(length, parts);
    full = length / step;
    rest = length - full * step;
  }
  int64_t at(int64_t coordinate) const {
    return coordinate < full ? step : coordinate == full ? rest : 0;
  }
};
} // namespace

static void addOnce(SmallVectorImpl<int64_t> &values, int64_t value) {
  if (!is_contained(values, value))
    values.push_back(value);
}

BoxChange::Sizes BoxChange::sizesAlong(ArrayRef<uint8_t> nest, Sizes lengths,
                                       uint64_t fixed,
                                       ArrayRef<int64_t> coordinates) const {
  for (unsigned axis : nest) {
    int64_t parts = mesh.size(axis);
    Sizes inner;
    for (int64_t length : lengths) {
      Split split(length, parts);
      if (fixed >> axis & 1) {
        addOnce(inner, split.at(coordinates[axis]));
        continue;
      }
      addOnce(inner, split.step);
      for (int64_t coordinate : {split.full, split.full + 1})
        if (coordinate < parts)
          addOnce(inner, split.at(coordinate));
    }
    lengths = std::move(inner);
  }
  return lengths;
}

BoxChange::Choices BoxChange::sizeChoices(uint64_t axes) const {
  Choices choices;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    if (!(axes >> axis & 1))
      continue;
    auto &own = choices.emplace_back(axis, SmallVector<int64_t, 8>{0}).second;
    for (const Dim &dim : dims) {
      ArrayRef<uint8_t> nest = dim.longer();
      size_t level = find(nest, axis) - nest.begin();
      if (level == nest.size())
        continue;
      for (int64_t length :
           sizesAlong(nest.take_front(level), {dim.length}, 0, {})) {
        Split split(length, mesh.size(axis));
        for (int64_t coordinate : {split.full, split.full + 1})
          if (coordinate < mesh.size(axis))
            addOnce(own, coordinate);
      }
    }
  }
  return choices;
}

template <typename Visitor>
void BoxChange::forEachRank(const Choices &choices, Visitor visit) const {
  SmallVector<int64_t, 8> coordinates(mesh.numAxes(), 0);
  SmallVector<unsigned, 4> digits(choices.size(), 0);
  while (visit(ArrayRef<int64_t>(coordinates))) {
    size_t position = choices.size();
    while (position > 0) {
      auto &[axis, own] = choices[position - 1];
      unsigned &digit = digits[position - 1];
      if (++digit < own.size()) {
        coordinates[axis] = own[digit];
        break;
      }
      digit = 0;
      coordinates[axis] = own[0];
      --position;
    }
    if (position == 0)
      return;
  }
}

int64_t BoxChange::leastLacking() const {
  bool loses = false, crosses = false;
  // What the rank at coordinate 0 holds.
  int64_t held = 1;
  for (const Dim &dim : dims) {
    loses |= dim.loses();
    crosses |= dim.loses() && dim.gains();
    held *= ceilDiv(dim.length, std::max(dim.fromParts, dim.toParts));
  }
  if (!loses)
    return 0;
  if (crosses && someRankLacksAll())
    held = 0;
  return (changedElements - held) * unchangedElements;
}

int64_t BoxChange::lacking() const {
  int64_t worst = leastLacking(), most = changedElements;
  bool loses = any_of(dims, [](const Dim &dim) { return dim.loses(); });
  if (!loses || most == 0 || worst == most * unchangedElements ||
      unchangedElements == 0)
    return worst;
  bool crosses =
      any_of(dims, [](const Dim &dim) { return dim.loses() && dim.gains(); });
  if (!crosses && all_of(dims, [](const Dim &dim) { return dim.isEven(); }))
    return worst;

  if (!crosses)
    return lackingNested() * unchangedElements;

  worst /= unchangedElements;
  forEachRank(allChoices(), [&](ArrayRef<int64_t> coordinates) {
    int64_t wanted = 1, held = 1;
    for (const Dim &dim : dims) {
      Chunk after = chunkAt(dim.to, dim.length, coordinates);
      wanted *= after.size;
      held *= overlap(chunkAt(dim.from, dim.length, coordinates), after);
    }
    worst = std::max(worst, wanted - held);
    return worst < most;
  });
  return worst * unchangedElements;
}

int64_t BoxChange::lackingNested() const {
  // Axes that leave a dim for another tie the sizes in both together; along the
  // others every size of one dim goes with every size of another.
  uint64_t seen = 0, moved = 0;
  for (const Dim &dim : dims)
    for (unsigned axis : dim.longer()) {
      moved |= seen & uint64_t(1) << axis;
      seen |= uint64_t(1) << axis;
    }
  int64_t worst = 0;
  forEachRank(sizeChoices(moved), [&](ArrayRef<int64_t> coordinates) {
    // In dims that are split further a rank holds all that it wants.
    int64_t gained = 1;
    SmallVector<std::pair<int64_t, int64_t>, 4> wantedAndHeld = {{1, 1}}, next;
    for (const Dim &dim : dims) {
      if (!dim.loses()) {
        Sizes sizes = sizesAlong(dim.to, {dim.length}, moved, coordinates);
        gained *= *llvm::max_element(sizes);
        continue;
      }
      next.clear();
      ArrayRef<uint8_t> nest = dim.from;
      for (int64_t wanted : sizesAlong(nest.take_front(dim.common),
                                       {dim.length}, moved, coordinates)) {
        Sizes held = sizesAlong(nest.drop_front(dim.common), {wanted}, moved,
                                coordinates);
        for (auto [w, h] : wantedAndHeld)
          next.push_back({w * wanted, h * *llvm::min_element(held)});
      }
      std::swap(wantedAndHeld, next);
    }
    for (auto [wanted, held] : wantedAndHeld)
      worst = std::max(worst, gained * (wanted - held));
    return worst < changedElements;
  });
  return worst;
}

bool BoxChange::swapsFor(uint64_t axes) const {
  return any_of(dims, [&](const Dim &dim) {
    return dim.loses() && dim.gains() && axes >> dim.to[dim.common] & 1;
  });
}

int64_t BoxChange::boxBetween() const {
  int64_t elements = unchangedElements;
  for (const Dim &dim : dims) {
    ArrayRef<uint8_t> nest = dim.to;
    if (dim.loses())
      nest = nest.take_front(dim.common);
    elements *= ceilDiv(dim.length, partsOf(mesh, nest));
  }
  return elements;
}

int64_t BoxChange::fewestPeers() const {
  int64_t sources = 1;
  bool crosses = false;
  for (const Dim &dim : dims) {
    crosses |= dim.loses() && dim.gains();
    int64_t held = ceilDiv(dim.length, dim.fromParts);
    sources *= held ? ceilDiv(ceilDiv(dim.length, dim.toParts), held) : 0;
  }
  return std::max<int64_t>(0,
                           sources - (crosses && someRankLacksAll() ? 0 : 1));
}

int64_t BoxChange::peers() const {
  if (unchangedElements == 0 || changedElements == 0)
    return 0;
  // How many old chunks each new chunk of a dim is made of. Dims do not share
  // axes there, so the worst rank is the worst of each.
  struct Sources {
    std::vector<int64_t> counts;
    int64_t most = 0;
  };
  SmallVector<Sources, 2> sources;
  int64_t most = 1;
  bool sameEverywhere = true;
  for (const Dim &dim : dims) {
    Sources &own = sources.emplace_back();
    SmallVector<int64_t> starts;
    for (Chunk chunk : chunksOf(dim.from, dim.length))
      if (chunk.size > 0)
        starts.push_back(chunk.offset);
    for (Chunk wanted : chunksOf(dim.to, dim.length)) {
      // Chunks that begin before the end, but not before the one that holds
      // the first element.
      auto end = llvm::lower_bound(starts, wanted.offset + wanted.size);
      auto begin = llvm::upper_bound(starts, wanted.offset);
      own.counts.push_back(wanted.size ? end - begin + 1 : 0);
      own.most = std::max(own.most, own.counts.back());
    }
    most *= own.most;
    sameEverywhere &=
        all_of(own.counts, [&](int64_t count) { return count == own.most; });
  }
  if (sameEverywhere && someRankLacksAll())
    return most;
  bool nested =
      none_of(dims, [](const Dim &dim) { return dim.loses() && dim.gains(); });
  if (nested && all_of(dims, [](const Dim &dim) { return dim.isEven(); }))
    return most - 1;
  int64_t worst = 0;
  forEachRank(allChoices(), [&](ArrayRef<int64_t> coordinates) {
    int64_t heard = 1;
    bool holdsSome = true;
    for (auto [dim, own] : zip_equal(dims, sources)) {
      int64_t number = 0;
      for (unsigned axis : dim.to)
        number = number * mesh.size(axis) + coordinates[axis];
      heard *= own.counts[number];
      holdsSome &= overlap(chunkAt(dim.from, dim.length, coordinates),
                           chunkAt(dim.to, dim.length, coordinates)) > 0;
    }
    worst = std::max(worst, heard - (heard && holdsSome ? 1 : 0));
    return worst < most;
  });
  return worst;
}

bool BoxChange::isPermutation() const {
  // Boxes are all combinations of the chunks of the dims: every box is held as
  // often after as before when all dims have the same chunks, and as many.
  int64_t before = 1, after = 1;
  for (const Dim &dim : dims) {
    if (ceilDiv(dim.length, dim.fromParts) != ceilDiv(dim.length, dim.toParts))
      return false;
    before *= dim.fromParts;
    after *= dim.toParts;
  }
  if (before != after)
    return false;
  for (const Dim &dim : dims) {
    if (dim.isEven())
      continue;
    auto filled = [&](ArrayRef<uint8_t> nest) {
      std::vector<Chunk> chunks = chunksOf(nest, dim.length);
      llvm::erase_if(chunks, [](Chunk chunk) { return chunk.size == 0; });
      return chunks;
    };
    if (filled(dim.from) != filled(dim.to))
      return false;
  }
  return true;
}

} // namespace tpc
