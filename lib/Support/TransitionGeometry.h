// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The boxes of all ranks before and after a change of shards, compared.
#ifndef TPC_LIB_SUPPORT_TRANSITIONGEOMETRY_H
#define TPC_LIB_SUPPORT_TRANSITIONGEOMETRY_H

#include "tpc/Support/Placement.h"
#include <memory>
#include <optional>
#include <vector>

namespace tpc {

/// The axes that split each dim of a tensor, outer first.
using Nest = llvm::SmallVector<uint8_t, 4>;
using Nests = llvm::SmallVector<Nest, 4>;

Nests nestsOf(const Placement &placement, size_t numDims);

/// Elements of the largest box of a tensor of `shape` split by `nests`; the
/// rank at coordinate 0 of all axes has it.
int64_t largestBox(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                   const Nests &nests);

/// Compares what ranks hold under two placements, partial axes taken as
/// replicated. Axes of one rank split nothing and do not count. Ranks are not
/// tried one after the other where an argument about a dim or about sizes will
/// do:
///
/// - Where the nests of a dim part into two different axes, ranks can be named
///   whose old and new chunks of it are disjoint. One that has a largest new
///   box lacks all of it, and nobody lacks more.
/// - Where each dim is only split further or only joined, chunks lie in each
///   other and their sizes say all. Along an axis they take few values.
///
/// What is left are lengths near the number of ranks.
class BoxChange {
public:
  /// Refers to all of these.
  BoxChange(const Mesh &mesh, llvm::ArrayRef<int64_t> shape, const Nests &from,
            const Nests &to);

  /// The axes along which ranks exchange data, in mesh order.
  llvm::SmallVector<unsigned, 4> groupAxes() const;
  /// True when no dim loses a split, and all keep the outer ones they had.
  bool onlySplits() const { return onlySplitsFurther; }
  /// True when no dim gains a split, and all keep the outer ones.
  bool onlyJoins() const { return onlyJoinsInner; }
  /// True when inner splits leave some dims for the inside of others.
  bool movesInnerSplits() const { return movesSplits; }

  /// Elements of its new box that a rank does not hold, of the worst rank.
  int64_t lacking() const;
  /// No more than `lacking`, and equal to it in even nests, from sizes alone.
  int64_t leastLacking() const;
  /// True when a dim swaps its splits at some level for others, of which the
  /// first is one of `axes`, one bit each.
  bool swapsFor(uint64_t axes) const;
  /// Elements of the largest box that lies in dims that swap splits at the
  /// splits they keep, and in the others in the new box.
  int64_t boxBetween() const;
  /// Ranks that a rank needs elements of, of the worst rank. Every box counts
  /// once, whoever holds copies.
  int64_t peers() const;
  /// No more than `peers`, from sizes alone.
  int64_t fewestPeers() const;
  /// True when the ranks' new boxes are the old ones, dealt out anew.
  bool isPermutation() const;

private:
  /// A dim whose nest changes, without axes of one rank.
  struct Dim {
    int64_t length;
    llvm::ArrayRef<uint8_t> from, to;
    /// How many outer splits stay.
    unsigned common = 0;
    /// Chunks of each nest.
    int64_t fromParts = 1, toParts = 1;

    bool loses() const { return common < from.size(); }
    bool gains() const { return common < to.size(); }
    /// The nest that splits further, where one does.
    llvm::ArrayRef<uint8_t> longer() const { return loses() ? from : to; }
    bool isEven() const {
      return length % fromParts == 0 && length % toParts == 0;
    }
  };
  using Sizes = llvm::SmallVector<int64_t, 4>;
  /// The coordinates to try along each of some axes.
  using Choices =
      llvm::SmallVector<std::pair<unsigned, llvm::SmallVector<int64_t, 8>>, 4>;

  /// `nest` without axes of one rank.
  llvm::ArrayRef<uint8_t> withoutTrivial(const Nest &nest);
  Chunk chunkAt(llvm::ArrayRef<uint8_t> nest, int64_t length,
                llvm::ArrayRef<int64_t> coordinates) const;
  /// All chunks of a nest, the outermost axis slowest.
  std::vector<Chunk> chunksOf(llvm::ArrayRef<uint8_t> nest,
                              int64_t length) const;
  /// True when a rank with a largest new box holds nothing of it.
  bool someRankLacksAll() const;
  bool findRankThatLacksAll() const;
  bool lacksAllAt(unsigned axis, int64_t coordinate) const;
  /// `lacking` where no dim swaps splits.
  int64_t lackingNested() const;
  /// The sizes that chunks of `lengths` elements have along `nest`, those along
  /// `fixed` axes at `coordinates`.
  Sizes sizesAlong(llvm::ArrayRef<uint8_t> nest, Sizes lengths, uint64_t fixed,
                   llvm::ArrayRef<int64_t> coordinates) const;
  /// All coordinates of the axes that split, or for some of them those at which
  /// sizes change.
  Choices allChoices() const;
  Choices sizeChoices(uint64_t axes) const;
  /// Calls `visit(coordinates)` for all combinations until it returns false.
  template <typename Visitor>
  void forEachRank(const Choices &choices, Visitor visit) const;

  const Mesh &mesh;
  llvm::SmallVector<Dim, 4> dims;
  /// Nests that had axes of one rank.
  std::vector<std::unique_ptr<Nest>> shortened;
  /// One bit per axis.
  uint64_t group = 0;
  /// Elements of the largest box in the dims that do not change, and in those
  /// that do.
  int64_t unchangedElements = 1, changedElements = 1;
  mutable std::optional<bool> lacksAll;
  bool onlySplitsFurther = true, onlyJoinsInner = true, movesSplits = true;
};

} // namespace tpc

#endif // TPC_LIB_SUPPORT_TRANSITIONGEOMETRY_H
