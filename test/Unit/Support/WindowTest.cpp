// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks lack of a window, against a count element by element.

#include "tpc/Support/Window.h"
#include "Simulator.h"
#include "gtest/gtest.h"

using namespace tpc;
using namespace tpc::test;

namespace {

Mesh makeMesh(llvm::StringRef text) {
  return llvm::cantFail(Mesh::parse(text));
}

/// The source element of a result element, by number; -1 outside.
int64_t sourceOf(const Window &window, int64_t element) {
  int64_t source = 0, stride = 1;
  for (const WindowDim &dim : llvm::reverse(window.dims)) {
    int64_t at = element % dim.result;
    element /= dim.result;
    if (dim.block)
      at = at / dim.block * dim.step + at % dim.block;
    at += dim.offset;
    if (at < 0 || at >= dim.source)
      return -1;
    source += at * stride;
    stride *= dim.source;
  }
  return source;
}

std::vector<int64_t> count(const Mesh &mesh, const Window &window) {
  llvm::SmallVector<int64_t> before, after;
  int64_t elements = 1;
  for (const WindowDim &dim : window.dims) {
    before.push_back(dim.source);
    after.push_back(dim.result);
    elements *= dim.result;
  }
  std::vector<int64_t> lacking(mesh.numRanks(), 0);
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
    for (int64_t element = 0; element < elements; ++element) {
      int64_t source = sourceOf(window, element);
      if (source >= 0 && holds(mesh, after, window.to, rank, element) &&
          !holds(mesh, before, window.from, rank, source))
        ++lacking[rank];
    }
  return lacking;
}

TEST(Window, LackingElementsOfAllPlacementsAndOffsets) {
  Mesh mesh = makeMesh("dp=2,tp=3");
  std::vector<Placement> placements = allPlacements(mesh, 2, false);
  for (int64_t rows : {1, 4, 7})
    for (int64_t offset : {-2, 0, 1, 3})
      for (const Placement &from : placements)
        for (const Placement &to : placements) {
          Window window{{{7, rows, offset}, {3, 4, -1}}, from, to};
          if (findFault(mesh, window))
            continue;
          ASSERT_EQ(lackingElements(mesh, window), count(mesh, window))
              << from.str(mesh) << " -> " << to.str(mesh) << " " << rows
              << " rows at " << offset;
        }
}

TEST(Window, Blocks) {
  Mesh mesh = makeMesh("tp=4");
  for (const Placement &from : allPlacements(mesh, 1, false))
    for (const Placement &to : allPlacements(mesh, 1, false))
      for (int64_t offset : {-1, 0}) {
        // Four blocks of 4, every 2: halos of one or two elements.
        Window window{{{8, 16, offset, 4, 2}}, from, to};
        ASSERT_EQ(findFault(mesh, window), std::nullopt);
        ASSERT_EQ(lackingElements(mesh, window), count(mesh, window));
      }
}

TEST(Window, RowsOfAMatrixAsAVector) {
  // 6 rows of 256 over 4 ranks are 2, 2, 2, 0; the vector's chunks have 384.
  Mesh mesh = makeMesh("r=4");
  Placement shard({Placement::Entry::shard(0, 0)});
  Window window{{{1536, 1536, 0, 0, 0, 256, 1}}, shard, shard};
  EXPECT_EQ(lackingElements(mesh, window),
            (std::vector<int64_t>{0, 128, 256, 384}));
  EXPECT_EQ(windowPeers(mesh, window), 1);
}

TEST(Window, AShiftByOneRow) {
  Mesh mesh = makeMesh("r=8");
  Placement shard({Placement::Entry::shard(0, 0)});
  Window window{{{16, 15, 1}, {4, 4, 0}}, shard, shard};
  EXPECT_EQ(lackingElements(mesh, window),
            (std::vector<int64_t>{4, 4, 4, 4, 4, 4, 4, 0}));
  EXPECT_EQ(windowPeers(mesh, window), 1);
  EXPECT_EQ(windowAxes(window), (llvm::SmallVector<unsigned, 4>{0}));
}

TEST(Window, ATermOfASumLacksNothing) {
  Mesh mesh = makeMesh("dp=2,tp=2");
  Placement from({Placement::Entry::shard(1, 0)});
  Placement to({Placement::Entry::partial(1, Reduction::Sum)});
  Window window{{{8, 3, 4}}, from, to};
  EXPECT_EQ(findFault(mesh, window), std::nullopt);
  EXPECT_EQ(lackingElements(mesh, window), (std::vector<int64_t>(4, 0)));
  EXPECT_EQ(windowPeers(mesh, window), 0);
}

TEST(Window, Faults) {
  Mesh mesh = makeMesh("dp=2,tp=2");
  Placement none, shard({Placement::Entry::shard(1, 0)}),
      sum({Placement::Entry::partial(1, Reduction::Sum)}),
      most({Placement::Entry::partial(1, Reduction::Max)});
  EXPECT_EQ(*findFault(mesh, {{{4, 2, 5}}, none, none}),
            "dim 0: expected an offset from -2 to 4, got 5");
  EXPECT_EQ(*findFault(mesh, {{{4, 2, 0, 3, 1}}, none, none}),
            "dim 0: expected blocks that divide the 2 elements, got blocks of "
            "3 at steps of 1");
  EXPECT_EQ(*findFault(mesh, {{{4, 2, 0}}, none, sum}),
            "axis \"tp\": expected a shard or a sum to become partial, and a "
            "partial to stay, got [] and [tp: P(sum)]");
  EXPECT_TRUE(findFault(mesh, {{{4, 2, 0}}, shard, most}));
  EXPECT_TRUE(findFault(mesh, {{{4, 2, 0}}, sum, shard}));
  EXPECT_FALSE(findFault(mesh, {{{4, 2, 0}}, most, most}));
  Placement both(
      {Placement::Entry::shard(0, 0), Placement::Entry::shard(1, 0)});
  EXPECT_EQ(*findFault(mesh, {{{4, 2, 0}}, both, sum}),
            "dim 0: expected every axis that shards it to be partial in the "
            "result where one is, got [dp: S(0), tp: S(0)] and [tp: P(sum)]");
}

} // namespace
