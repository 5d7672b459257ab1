// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meshes, shapes and changes of placement drawn from a seed.
#ifndef TPC_TEST_UNIT_SUPPORT_RANDOMCHANGES_H
#define TPC_TEST_UNIT_SUPPORT_RANDOMCHANGES_H

#include "tpc/Support/Redistribution.h"
#include <random>
#include <string>

namespace tpc::test {

class RandomChanges {
public:
  struct Change {
    llvm::SmallVector<int64_t> shape;
    Placement from, to;
    /// `dp=2,tp=4: 64x64 [dp: S(0)] -> [tp: S(0)]`.
    std::string str(const Mesh &mesh) const;
  };

  /// Axes of a mesh have up to `mostRanks` coordinates, dims of a tensor up to
  /// `longestDim` elements.
  explicit RandomChanges(unsigned seed, unsigned mostAxes = 4,
                         int64_t mostRanks = 8, int64_t longestDim = 4096)
      : random(seed), mostAxes(mostAxes), mostRanks(mostRanks),
        longestDim(longestDim) {}

  /// One to `mostAxes` axes.
  Mesh mesh();
  /// A tensor of one to four dims, even and uneven, sometimes shorter than the
  /// mesh; every state of every axis, every nesting, one kind of partial.
  Change change(const Mesh &mesh);

private:
  // Not std::uniform_int_distribution, whose numbers differ between libraries.
  int64_t below(int64_t end) { return int64_t(random() % uint64_t(end)); }
  int64_t length();
  Placement placement(const Mesh &mesh, unsigned rank, Reduction reduction);

  std::mt19937_64 random;
  unsigned mostAxes;
  int64_t mostRanks, longestDim;
};

} // namespace tpc::test

#endif // TPC_TEST_UNIT_SUPPORT_RANDOMCHANGES_H
