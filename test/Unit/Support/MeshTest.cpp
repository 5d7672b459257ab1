// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rank numbering, groups, and what a user may get wrong in a mesh.

#include "tpc/Support/Mesh.h"
#include "gtest/gtest.h"

using namespace tpc;

static std::string problem(llvm::StringRef text) {
  llvm::Expected<Mesh> mesh = Mesh::parse(text);
  return mesh ? "" : llvm::toString(mesh.takeError());
}

TEST(Mesh, RanksAreRowMajorOverTheAxes) {
  Mesh mesh = llvm::cantFail(Mesh::parse("dp=2,tp=4"));
  EXPECT_EQ(mesh.numRanks(), 8);
  EXPECT_EQ(mesh.coordinates(5), (llvm::SmallVector<int64_t>{1, 1}));
  for (int64_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(mesh.rank(mesh.coordinates(rank)), rank);
}

TEST(Mesh, AMeshWithoutAxesHasOneRank) {
  Mesh mesh = llvm::cantFail(Mesh::get({}));
  EXPECT_EQ(mesh.numRanks(), 1);
  EXPECT_EQ(mesh.rank({}), 0);
  EXPECT_EQ(mesh.group(0, {}), (llvm::SmallVector<int64_t>{0}));
}

TEST(Mesh, GroupsFollowTheOrderOfTheirAxes) {
  Mesh mesh = llvm::cantFail(Mesh::parse("dp=2,tp=2,pp=2"));
  EXPECT_EQ(mesh.group(5, {1}), (llvm::SmallVector<int64_t>{5, 7}));
  EXPECT_EQ(mesh.group(0, {0, 2}), (llvm::SmallVector<int64_t>{0, 1, 4, 5}));
  EXPECT_EQ(mesh.group(0, {2, 0}), (llvm::SmallVector<int64_t>{0, 4, 1, 5}));
  EXPECT_EQ(mesh.groupSize({0, 2}), 4);
  EXPECT_EQ(mesh.groupSize({}), 1);
}

TEST(Mesh, GroupsPartitionTheRanks) {
  Mesh mesh = llvm::cantFail(Mesh::parse("a=2,b=3,c=2"));
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::vector<int> seen(mesh.numRanks(), 0);
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
      for (int64_t member : mesh.group(rank, {axis}))
        ++seen[member];
    for (int count : seen)
      EXPECT_EQ(count, mesh.size(axis));
  }
}

TEST(Mesh, PrintsWhatItParses) {
  for (llvm::StringRef text : {"tp=4", "dp=2,tp=4", "a_1=1,b=3,c=2"})
    EXPECT_EQ(llvm::cantFail(Mesh::parse(text)).str(), text);
  EXPECT_EQ(llvm::cantFail(Mesh::parse(" dp = 2 , tp=4 ")).str(), "dp=2,tp=4");
}

TEST(Mesh, SaysWhatIsWrong) {
  EXPECT_EQ(problem("dp=2,tp"),
            "expected mesh axes as NAME=SIZE,NAME=SIZE, got \"dp=2,tp\"");
  EXPECT_EQ(problem(""), "expected mesh axes as NAME=SIZE,NAME=SIZE, got \"\"");
  EXPECT_EQ(problem("2d=4"), "expected a mesh axis name of letters, digits and "
                             "'_', got \"2d\"");
  EXPECT_EQ(problem("dp=2,dp=4"),
            "expected different mesh axes, got axis \"dp\" twice");
  EXPECT_EQ(problem("dp=0"),
            "expected a size of at least 1 for mesh axis \"dp\", got 0");
  EXPECT_EQ(problem("a=65536,b=65536"),
            "expected fewer than 2^31 ranks in the mesh");
  llvm::Expected<Mesh> unnamed = Mesh::get({{"", 2}});
  EXPECT_EQ(llvm::toString(unnamed.takeError()),
            "expected a name for every mesh axis, got an empty one");
  llvm::SmallVector<Mesh::Axis> many;
  for (int i = 0; i < 33; ++i)
    many.push_back({"a" + std::to_string(i), 1});
  llvm::Expected<Mesh> large = Mesh::get(many);
  EXPECT_EQ(llvm::toString(large.takeError()),
            "unsupported: a mesh of more than 32 axes, got 33");
}
