// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of a nest as extents and strides, in the order of memory.
#ifndef TPC_LOWER_NESTLOOPS_H
#define TPC_LOWER_NESTLOOPS_H

#include "Program.h"

namespace tpc::lower {

/// The loops of one nest without those of extent 1: parallel ones first, each
/// kind by falling stride.
struct NestLoops {
  struct Dim {
    int64_t extent;
    bool reduction;
    /// The dims of the nest merged into this one, outer first.
    llvm::SmallVector<unsigned> parts;
    /// Per access: the address grows by it with this dim.
    llvm::SmallVector<int64_t> strides;
  };
  llvm::SmallVector<Dim> dims;
  /// Per access.
  llvm::SmallVector<int64_t> offsets;
  /// Per access: the address grows by it with each index of the nest.
  llvm::SmallVector<llvm::SmallVector<int64_t, 1>> indexStrides;
  /// False when some address is not a sum of multiples of dims; its strides are
  /// then 2 in all dims it moves in.
  bool isLinear = true;
  /// True when the body uses the loop indices, so that no dims may be merged.
  bool usesIndex = false;

  NestLoops() = default;
  explicit NestLoops(const Nest &nest);

  /// Merges neighbours from dim `begin` on that all accesses see as one.
  void merge(unsigned begin, unsigned end);

  /// The number of outermost dims that together have `units` points, all
  /// parallel, if there is one.
  std::optional<unsigned> findPrefix(int64_t units) const;
  /// All numbers `findPrefix` succeeds on.
  llvm::SmallVector<int64_t> prefixUnits() const;

  /// When the outermost dims with `units` points are numbered through, the
  /// stride of `access` per number, if its elements of one number lie within
  /// one stride: then different numbers touch different elements.
  std::optional<int64_t> unitStride(unsigned access, int64_t units) const;
};

/// The loops of a nest with neighbours merged, and what its parts are in terms
/// of them.
struct ArrangedLoops {
  NestLoops loops;
  /// So many of the outermost dims are the launch range.
  unsigned prefix = 0;
  /// Per access of the nest: its address from the new dims.
  llvm::SmallVector<mlir::AffineExpr> addresses;
  /// Per dim of the nest, from the new dims: for linalg.index.
  llvm::SmallVector<mlir::AffineExpr> originalDims;
};

/// Merges what can be merged. With `units`, the launch range is that many
/// points of the outermost parallel loops and is not merged with others.
ArrangedLoops arrangeLoops(const Nest &nest, std::optional<int64_t> units);

} // namespace tpc::lower

#endif // TPC_LOWER_NESTLOOPS_H
