// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The boxes of all ranks before and after a change of shards, compared.
#ifndef TPC_LIB_SUPPORT_TRANSITIONGEOMETRY_H
#define TPC_LIB_SUPPORT_TRANSITIONGEOMETRY_H

#include "tpc/Support/Placement.h"
#include <vector>

namespace tpc {

/// Compares what ranks hold under two placements, partial axes taken as
/// replicated. Only dims whose nest of splits changes are looked at, and only
/// ranks that can differ: splits that stay outermost, or (in even nests) stay
/// innermost, select a part of the tensor in which the same thing happens.
class BoxChange {
public:
  BoxChange(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
            const Placement &from, const Placement &to);

  /// The axes along which ranks exchange data, in mesh order.
  llvm::ArrayRef<unsigned> groupAxes() const { return group; }
  /// True when no dim loses a split, and all keep the outer ones they had.
  bool onlySplits() const { return onlySplitsFurther; }
  /// True when no dim gains a split, and all keep the outer ones.
  bool onlyJoins() const { return onlyJoinsInner; }
  /// True when inner splits leave some dims for the inside of others.
  bool movesInnerSplits() const { return movesSplits; }

  /// Elements of its new box that a rank does not hold, of the worst rank.
  int64_t lacking() const;
  /// Ranks that a rank needs elements of, of the worst rank. Every box counts
  /// once, whoever holds copies.
  int64_t peers() const;
  /// True when the ranks' new boxes are the old ones, dealt out anew.
  bool isPermutation() const;

private:
  /// The chunks of one dim under one nest, by the coordinates of a rank.
  struct Chunks {
    /// An even nest has chunks of `size` at steps of `size`; of any other they
    /// are listed.
    int64_t size;
    std::vector<Chunk> listed;
    /// What a coordinate of each axis adds to the number of the chunk.
    llvm::SmallVector<std::pair<unsigned, int64_t>, 4> strides;

    Chunks(const Mesh &mesh, llvm::ArrayRef<unsigned> nest, int64_t length,
           bool even);
    Chunk at(llvm::ArrayRef<int64_t> coordinates) const {
      int64_t number = 0;
      for (auto [axis, stride] : strides)
        number += coordinates[axis] * stride;
      return listed.empty() ? Chunk{number * size, size} : listed[number];
    }
  };

  /// A dim whose nest changes.
  struct Dim {
    int64_t length;
    llvm::SmallVector<unsigned, 4> from, to;
    bool even;
  };

  /// Calls `visit(before, after)` with one chunk per changed dim for all ranks
  /// that can differ, until it returns false.
  template <typename Visitor> void forEachRank(Visitor visit) const;

  const Mesh &mesh;
  llvm::SmallVector<Dim, 2> dims;
  llvm::SmallVector<unsigned, 4> group, varied;
  /// Elements of the largest box in the dims that do not change.
  int64_t unchangedElements = 1;
  bool even = true;
  bool onlySplitsFurther = true, onlyJoinsInner = true, movesSplits = true;
};

} // namespace tpc

#endif // TPC_LIB_SUPPORT_TRANSITIONGEOMETRY_H
