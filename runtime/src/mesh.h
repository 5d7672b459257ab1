// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of ranks, and which box of a tensor each rank holds: the rules of
// the compiler's placement algebra, as far as a running program needs them.
#ifndef TPC_RT_SRC_MESH_H
#define TPC_RT_SRC_MESH_H

#include "dtype.h"
#include <string>
#include <vector>

namespace tpc::rt {

using Shape = std::vector<int64_t>;

enum class Reduction : uint8_t { Sum, Max, Min, Prod, And, Or };

const char *reductionName(Reduction reduction);
std::optional<Reduction> parseReduction(const std::string &name);

struct Axis {
  std::string name;
  int64_t size;
};

/// Ranks are row-major over the axes in the order given.
struct Mesh {
  std::vector<Axis> axes;

  int32_t numRanks() const;
  /// The number of the axis called `name`, or -1.
  int32_t find(const std::string &name) const;
  std::vector<int64_t> coordinates(int32_t rank) const;
  int32_t rankOf(const std::vector<int64_t> &coordinates) const;
  /// The ranks that share all coordinates of `rank` but those on `axes`, in
  /// ascending order.
  std::vector<int32_t> group(int32_t rank,
                             const std::vector<int32_t> &axes) const;
  /// `dp=2,tp=4`
  std::string str() const;
};

/// What one mesh axis does to a tensor, in nesting order. Axes without an
/// entry are replicated.
struct PlacementEntry {
  int32_t axis;
  bool isPartial;
  int32_t dim = 0;
  Reduction reduction = Reduction::Sum;
};

struct Placement {
  std::vector<PlacementEntry> entries;

  const PlacementEntry *find(int32_t axis) const;
  bool isReplicated(int32_t axis) const { return !find(axis); }
  bool isShard(int32_t axis) const;
  bool isPartial(int32_t axis) const;
  /// `[tp: S(0), dp: P(sum)]`
  std::string str(const Mesh &mesh) const;
};

/// A rectangle of a tensor, in global elements.
struct Box {
  Shape offset;
  Shape extent;

  int64_t volume() const;
};

/// Product of `shape`; 1 for a scalar.
int64_t volumeOf(const Shape &shape);
/// The number of elements of `shape` times `elementSize`, if an int64_t holds
/// it and no extent is negative.
std::optional<int64_t> checkedBytes(const Shape &shape, int64_t elementSize);

/// The box that the rank at `coordinates` holds. Of two axes on one dim the
/// one listed first is the outer split; each splits into chunks of
/// ceil(length / parts), the last ones shorter or empty.
Box boxOf(const Mesh &mesh, const Placement &placement, const Shape &shape,
          const std::vector<int64_t> &coordinates);
/// The padded shape of every rank's buffer.
Shape localShape(const Mesh &mesh, const Placement &placement,
                 const Shape &shape);
Box intersect(const Box &a, const Box &b);
/// Elements from one index to the next, per dim, of a row-major `shape`.
Shape rowMajorStrides(const Shape &shape);

} // namespace tpc::rt

#endif // TPC_RT_SRC_MESH_H
