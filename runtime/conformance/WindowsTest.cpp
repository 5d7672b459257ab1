// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows: every element of every rank's part is the element of the source that
// the offset says, over enumerated lengths, offsets and placements.

#include "Harness.h"

namespace tpc::rt::conformance {

namespace {

class Windows : public testing::TestWithParam<Backend> {};
TPC_RT_CONFORMANCE(Windows);

/// The value of a source element; never zero.
int64_t valueOf(int64_t element) { return element % 100 + 1; }

Shape indexOf(const Shape &shape, int64_t element) {
  Shape index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; element /= shape[dim])
    index[dim] = element % shape[dim];
  return index;
}

/// The element of the source that an element of the result is, or -1.
int64_t sourceOf(const PartSpec &part, int64_t element) {
  const WindowSpec &window = *part.window;
  Shape index = indexOf(window.shape, element);
  int64_t source = 0;
  for (size_t dim = 0; dim < index.size(); ++dim) {
    int64_t at = index[dim];
    if (!window.block.empty() && window.block[dim])
      at = at / window.block[dim] * window.step[dim] + at % window.block[dim];
    at += window.offset[dim];
    if (at < 0 || at >= part.shape[dim])
      return -1;
    source = source * part.shape[dim] + at;
  }
  return source;
}

/// A vector in units, as the matrix of one unit per row.
Shape inUnits(const Shape &shape, const Shape &unit) {
  return unit.empty() ? shape : Shape{shape[0] / unit[0], unit[0]};
}

void check(const Backend &backend, const Mesh &mesh,
           std::vector<PartSpec> parts, int threads = 1) {
  Program program;
  program.mesh = mesh;
  CollectiveSpec spec{"send_recv", {}, std::move(parts)};
  for (size_t axis = 0; axis < mesh.size(); ++axis)
    spec.axes.push_back(static_cast<int>(axis));
  int64_t ranks = ranksOf(mesh);
  // By rank, by part.
  std::vector<std::vector<std::vector<char>>> inputs(ranks), outputs(ranks);
  for (const PartSpec &part : spec.parts) {
    const WindowSpec &window = *part.window;
    Shape before = inUnits(part.shape, window.sourceUnit);
    Shape after = inUnits(window.shape, window.unit);
    int64_t size = tpc_rt_dtype_size(part.dtype);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      inputs[rank].emplace_back(localVolume(mesh, part.from, before) * size,
                                0x5a);
      outputs[rank].emplace_back(localVolume(mesh, part.to, after) * size,
                                 0x33);
      for (int64_t element = 0; element < volume(part.shape); ++element) {
        Location location = locate(mesh, part.from, before, element);
        if (location.isOn(coordinatesOf(mesh, rank)))
          store(part.dtype, inputs[rank].back().data(), location.offset,
                valueOf(element));
      }
    }
  }
  program.collectives = {spec};
  program.body = [&](tpc_rt_rank_t *rank, int64_t number, const void *const *,
                     void *const *) {
    std::vector<const void *> in;
    std::vector<void *> out;
    for (auto &bytes : inputs[number])
      in.push_back(bytes.data());
    for (auto &bytes : outputs[number])
      out.push_back(bytes.data());
    return collective(backend, program, rank, 0, in, out);
  };
  Running running;
  Outcome outcome = running.start(backend, program, patience, threads);
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  outcome = running.run();
  ASSERT_TRUE(outcome.ok()) << outcome.message;

  for (size_t p = 0; p < spec.parts.size(); ++p) {
    const PartSpec &part = spec.parts[p];
    const WindowSpec &window = *part.window;
    Shape after = inUnits(window.shape, window.unit);
    bool isPartial = false;
    for (const Entry &entry : part.to.entries)
      isPartial |= entry.dim < 0;
    for (int64_t element = 0; element < volume(window.shape); ++element) {
      int64_t source = sourceOf(part, element);
      if (source < 0 && !isPartial)
        continue;
      Location location = locate(mesh, part.to, after, element);
      // The terms of a partial, once for all replicas.
      int64_t sum = 0, holders = 0;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<int64_t> coordinates = coordinatesOf(mesh, rank);
        bool isReplica = false;
        for (size_t axis = 0; axis < mesh.size(); ++axis)
          isReplica |= coordinates[axis] > 0 && isPartial &&
                       !part.to.isPartial(static_cast<int>(axis)) &&
                       !part.to.isShard(static_cast<int>(axis));
        if (isReplica || !location.isOn(coordinates))
          continue;
        int64_t value =
            load(part.dtype, outputs[rank][p].data(), location.offset);
        ++holders;
        sum += value;
        if (!isPartial)
          ASSERT_EQ(value, valueOf(source))
              << "element " << element << " of "
              << testing::PrintToString(window.shape) << " at "
              << testing::PrintToString(window.offset) << " in "
              << testing::PrintToString(part.shape) << ", "
              << part.from.str(mesh) << " -> " << part.to.str(mesh)
              << " on rank " << rank;
      }
      ASSERT_GT(holders, 0);
      if (isPartial)
        ASSERT_EQ(sum, source < 0 ? 0 : valueOf(source));
    }
  }
}

} // namespace

TEST_P(Windows, AllLengthsAndOffsetsOfOneDim) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks) {
    Mesh mesh{{"tp", ranks}};
    std::vector<PartSpec> parts;
    for (int64_t source = 0; source <= 7; ++source)
      for (int64_t result = 0; result <= 7; ++result)
        for (int64_t offset = -result; offset <= source; ++offset)
          for (const Placement &from : allPlacements(mesh, 1, false))
            for (const Placement &to : allPlacements(mesh, 1, false))
              parts.push_back({static_cast<int32_t>(parts.size() % 9 == 4
                                                        ? TPC_RT_F32
                                                        : parts.size() % 9),
                               {source},
                               from,
                               to,
                               "sum",
                               WindowSpec{{result}, {offset}}});
    check(GetParam(), mesh, std::move(parts));
  }
}

TEST_P(Windows, TwoDimsOnTwoAxesInEveryNesting) {
  for (auto sizes : {std::pair<int64_t, int64_t>{2, 2}, {2, 3}}) {
    Mesh mesh{{"dp", sizes.first}, {"tp", sizes.second}};
    std::vector<PartSpec> parts;
    std::vector<Placement> placements = allPlacements(mesh, 2, false);
    for (const Shape &offset : {Shape{1, 0}, Shape{-2, 3}, Shape{0, -1}})
      for (const Placement &from : placements)
        for (const Placement &to : placements)
          parts.push_back({TPC_RT_F32,
                           {7, 5},
                           from,
                           to,
                           "sum",
                           WindowSpec{{6, 4}, offset}});
    check(GetParam(), mesh, std::move(parts));
  }
}

TEST_P(Windows, BlocksThatOverlap) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks) {
    Mesh mesh{{"tp", ranks}};
    std::vector<PartSpec> parts;
    for (int64_t block = 1; block <= 4; ++block)
      for (int64_t step = 0; step <= 4; ++step)
        for (int64_t offset : {-1, 0, 2})
          for (const Placement &from : allPlacements(mesh, 2, false))
            for (const Placement &to : allPlacements(mesh, 2, false))
              parts.push_back(
                  {TPC_RT_I32,
                   {3, 9},
                   from,
                   to,
                   "sum",
                   WindowSpec{
                       {3, 3 * block}, {0, offset}, {0, block}, {0, step}}});
    check(GetParam(), mesh, std::move(parts));
  }
}

// Rows of a matrix as intervals of a vector, and back.
TEST_P(Windows, ChunksOfWholeUnits) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks) {
    Mesh mesh{{"tp", ranks}};
    std::vector<PartSpec> parts;
    for (int64_t rows = 0; rows <= 9; ++rows)
      for (int64_t unit : {1, 2, 5}) {
        Placement shard{{{0, 0}}};
        int64_t length = rows * unit;
        parts.push_back({TPC_RT_F32,
                         {length},
                         shard,
                         shard,
                         "sum",
                         WindowSpec{{length}, {0}, {}, {}, {unit}, {1}}});
        parts.push_back({TPC_RT_F64,
                         {length},
                         shard,
                         shard,
                         "sum",
                         WindowSpec{{length}, {0}, {}, {}, {1}, {unit}}});
      }
    check(GetParam(), mesh, std::move(parts), 2);
  }
}

// Every rank keeps what it holds, and zero elsewhere.
TEST_P(Windows, ShardsBecomeTermsOfASum) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks) {
    Mesh mesh{{"dp", 2}, {"tp", ranks}};
    std::vector<PartSpec> parts;
    for (int64_t offset = -3; offset <= 5; ++offset)
      for (int dp : {-1, 1}) {
        Placement from{{{1, 0}}}, to{{{1, -1}}};
        if (dp >= 0) {
          from.entries.push_back({0, dp});
          to.entries.push_back({0, dp});
        }
        parts.push_back({TPC_RT_F32,
                         {5, 3},
                         from,
                         to,
                         "sum",
                         WindowSpec{{4, 5}, {offset, -1}}});
      }
    check(GetParam(), mesh, std::move(parts));
  }
}

} // namespace tpc::rt::conformance
