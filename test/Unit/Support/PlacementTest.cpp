// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The placement algebra: equality, text, and which chunk each rank holds.

#include "Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"

using namespace tpc;
using namespace tpc::test;
using Entry = Placement::Entry;

static Mesh mesh(llvm::StringRef text) {
  return llvm::cantFail(Mesh::parse(text));
}
static Placement place(llvm::StringRef text, const Mesh &mesh) {
  return llvm::cantFail(Placement::parse(text, mesh));
}

static std::vector<std::pair<int64_t, int64_t>>
rows(llvm::StringRef text, const Mesh &m, unsigned dim, int64_t length) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (int64_t rank = 0; rank < m.numRanks(); ++rank) {
    Chunk chunk = place(text, m).chunk(m, dim, length, rank);
    result.push_back({chunk.offset, chunk.size});
  }
  return result;
}
using Rows = std::vector<std::pair<int64_t, int64_t>>;

TEST(Placement, WorkedExampleOfTheHeader) {
  Mesh m = mesh("dp=2,tp=2");
  EXPECT_EQ(rows("", m, 0, 8), (Rows{{0, 8}, {0, 8}, {0, 8}, {0, 8}}));
  EXPECT_EQ(rows("dp:S(0)", m, 0, 8), (Rows{{0, 4}, {0, 4}, {4, 4}, {4, 4}}));
  EXPECT_EQ(rows("dp:S(0),tp:S(0)", m, 0, 8),
            (Rows{{0, 2}, {2, 2}, {4, 2}, {6, 2}}));
  EXPECT_EQ(rows("tp:S(0),dp:S(0)", m, 0, 8),
            (Rows{{0, 2}, {4, 2}, {2, 2}, {6, 2}}));
  EXPECT_EQ(rows("dp:S(0),tp:S(1)", m, 1, 4),
            (Rows{{0, 2}, {2, 2}, {0, 2}, {2, 2}}));
  // Five rows: tp makes 3 and 2, dp makes 2 and 1, 1 and 1.
  EXPECT_EQ(rows("tp:S(0),dp:S(0)", m, 0, 5),
            (Rows{{0, 2}, {3, 1}, {2, 1}, {4, 1}}));
  EXPECT_EQ(place("tp:S(0),dp:S(0)", m).localShape(m, {5, 4}),
            (llvm::SmallVector<int64_t>{2, 4}));
}

TEST(Placement, ChunksAreCeilSizedAndTheLastOnesShorterOrEmpty) {
  for (int64_t length = 0; length <= 9; ++length)
    for (int64_t parts : {2, 3, 4}) {
      int64_t next = 0;
      int64_t full = (length + parts - 1) / parts;
      for (int64_t index = 0; index < parts; ++index) {
        Chunk chunk = chunkOf(length, parts, index);
        EXPECT_EQ(chunk.offset, next);
        EXPECT_EQ(chunk.size, std::min(full, length - next));
        next += chunk.size;
      }
      EXPECT_EQ(next, length);
    }
}

// Along the axes of a nest every element is held by exactly one rank, whatever
// the sizes; and by the rank that following the element into its chunks finds.
TEST(Placement, ChunksTileTheDimExactly) {
  for (llvm::StringRef text :
       {"a=2", "a=3", "a=4", "a=2,b=2", "a=2,b=3", "a=3,b=4", "a=2,b=3,c=2"}) {
    Mesh m = mesh(text);
    for (const Placement &placement : allPlacements(m, 1, false))
      for (int64_t length = 0; length <= 9; ++length) {
        std::vector<int64_t> holders(length, 0);
        int64_t largest = 0;
        for (int64_t rank = 0; rank < m.numRanks(); ++rank) {
          Chunk chunk = placement.chunk(m, 0, length, rank);
          largest = std::max(largest, chunk.size);
          for (int64_t element = 0; element < length; ++element) {
            bool inside =
                element >= chunk.offset && element < chunk.offset + chunk.size;
            holders[element] += inside;
            EXPECT_EQ(inside, holds(m, {length}, placement, rank, element));
          }
        }
        int64_t copies = m.numRanks();
        for (unsigned axis : placement.shardAxes(0))
          copies /= m.size(axis);
        for (int64_t count : holders)
          EXPECT_EQ(count, copies) << placement.str(m) << " of " << length;
        EXPECT_EQ(placement.localShape(m, {length})[0], largest);
        bool even =
            llvm::all_of(llvm::seq<int64_t>(m.numRanks()), [&](int64_t r) {
              return placement.chunk(m, 0, length, r).size == largest;
            });
        EXPECT_EQ(placement.isEven(m, {length}), even)
            << placement.str(m) << " of " << length;
      }
  }
}

TEST(Placement, EqualMeaningIsEqualWhateverTheOrder) {
  Mesh m = mesh("a=2,b=2,c=2");
  EXPECT_EQ(place("a:S(0),b:S(1)", m), place("b:S(1),a:S(0)", m));
  EXPECT_EQ(place("c:P(sum),a:S(0),b:S(0)", m),
            place("a:S(0),b:S(0),c:P(sum)", m));
  EXPECT_EQ(place("c:S(0),b:S(1),a:S(0)", m), place("b:S(1),c:S(0),a:S(0)", m));
  EXPECT_NE(place("a:S(0),b:S(0)", m), place("b:S(0),a:S(0)", m));
  EXPECT_EQ(place("a:R", m), Placement());
  EXPECT_EQ(hash_value(place("a:S(0),b:S(1)", m)),
            hash_value(place("b:S(1),a:S(0)", m)));
}

// Placements are equal exactly when all ranks hold the same: the orders that
// allPlacements keeps apart differ somewhere for some length.
TEST(Placement, DifferentPlacementsHoldDifferentChunks) {
  Mesh m = mesh("a=2,b=3");
  std::vector<Placement> all = allPlacements(m, 2, false);
  for (const Placement &p : all)
    for (const Placement &q : all) {
      bool same = true;
      for (int64_t rank = 0; rank < m.numRanks(); ++rank)
        for (unsigned dim = 0; dim < 2; ++dim)
          same &= p.chunk(m, dim, 12, rank) == q.chunk(m, dim, 12, rank);
      EXPECT_EQ(p == q, same) << p.str(m) << " and " << q.str(m);
      EXPECT_EQ(p == q, !(p < q) && !(q < p));
    }
}

TEST(Placement, TextRoundTrip) {
  Mesh m = mesh("a=2,b=3,c=2");
  for (Reduction reduction : {Reduction::Sum, Reduction::Max, Reduction::Min,
                              Reduction::Prod, Reduction::And, Reduction::Or}) {
    EXPECT_EQ(parseReduction(stringify(reduction)), reduction);
    for (const Placement &p : allPlacements(m, 2, true, reduction)) {
      std::string text = p.str(m);
      EXPECT_EQ(place(llvm::StringRef(text).drop_front().drop_back(), m), p);
    }
  }
  EXPECT_FALSE(parseReduction("mean"));
  EXPECT_EQ(place(" a : S(1) , b:P(max)", m).str(m), "[a: S(1), b: P(max)]");
  EXPECT_EQ(place("b:S(0),a:S(0)", m).str(m), "[b: S(0), a: S(0)]");
  EXPECT_EQ(place("R", m).str(m), "[]");
}

TEST(Placement, WithMakesTheNewShardTheInnerSplit) {
  Mesh m = mesh("a=2,b=2");
  EXPECT_EQ(place("b:S(0)", m).with(Entry::shard(0, 0)),
            place("b:S(0),a:S(0)", m));
  EXPECT_EQ(place("a:S(0),b:S(0)", m).with(Entry::shard(0, 0)),
            place("b:S(0),a:S(0)", m));
  EXPECT_EQ(place("a:S(0),b:S(0)", m).withReplicated(0), place("b:S(0)", m));
  EXPECT_EQ(place("a:S(0)", m).with(Entry::partial(0, Reduction::Max)),
            place("a:P(max)", m));
}

TEST(Placement, AnswersAboutAxes) {
  Mesh m = mesh("a=2,b=2,c=2");
  Placement p = place("c:S(1),a:S(1),b:P(sum)", m);
  EXPECT_EQ(p.shardAxes(1), (llvm::SmallVector<unsigned>{2, 0}));
  EXPECT_TRUE(p.shardAxes(0).empty());
  EXPECT_EQ(p.partialAxes(), (llvm::SmallVector<unsigned>{1}));
  EXPECT_TRUE(p.hasPartial());
  EXPECT_TRUE(p.isPartial(1));
  EXPECT_FALSE(p.isReplicated());
  EXPECT_TRUE(place("a:S(0)", m).isReplicated(1));
}

TEST(Placement, SaysWhatIsWrong) {
  Mesh m = mesh("dp=2,tp=4");
  auto parseProblem = [&](llvm::StringRef text) {
    llvm::Expected<Placement> p = Placement::parse(text, m);
    return p ? std::string() : llvm::toString(p.takeError());
  };
  EXPECT_EQ(parseProblem("pp:S(0)"),
            "expected an axis of the mesh dp=2,tp=4, got axis \"pp\"");
  EXPECT_EQ(parseProblem("tp:S(0),tp:S(1)"),
            "expected every axis once, got axis \"tp\" twice");
  EXPECT_EQ(parseProblem("tp:S(x)"),
            "expected S(dim), P(sum|max|min|prod|and|or) or R for axis \"tp\", "
            "got \"S(x)\"");
  EXPECT_EQ(parseProblem("tp:P(mean)"),
            "expected S(dim), P(sum|max|min|prod|and|or) or R for axis \"tp\", "
            "got \"P(mean)\"");

  auto verifyProblem = [&](std::vector<Entry> entries) {
    return llvm::toString(Placement::verify(entries, m, 2));
  };
  EXPECT_EQ(verifyProblem({Entry::shard(0, 1), Entry::shard(1, 0)}), "");
  EXPECT_EQ(verifyProblem({Entry::shard(2, 0)}),
            "expected an axis number below 2, got 2");
  EXPECT_EQ(verifyProblem({Entry::shard(0, 0), Entry::shard(0, 1)}),
            "expected every axis once, got axis \"dp\" twice");
  EXPECT_EQ(verifyProblem({Entry::shard(1, 2)}),
            "expected a shard dim below 2 for axis \"tp\", got 2");
  EXPECT_EQ(verifyProblem({Entry::partial(0, Reduction::Sum),
                           Entry::partial(1, Reduction::Max)}),
            "expected one kind of partial, got sum and max");
}
