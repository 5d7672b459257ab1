// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes numbers up, by hashing where they go.

#include "Arguments.h"
#include "Placements.h"

using namespace mlir;

namespace tpc::simulate {

/// splitmix64.
static uint64_t mix(uint64_t state, uint64_t next) {
  uint64_t z = state + (next + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static Scalar makeNumber(uint64_t hash, Type type, int64_t largest,
                         const ArgumentOptions &options) {
  if (type.isInteger(1))
    return Scalar::ofInteger(hash % 2 ? -1 : 0);
  if (!isa<FloatType>(type))
    return Scalar::ofInteger(int64_t(hash % uint64_t(largest + 1)));
  if (options.integers)
    return Scalar::ofReal(double(hash % 7) - 3);
  return Scalar::ofReal(double(hash >> 11) * 0x1p-53 * 6 - 3);
}

Held makeArgument(Type type, const Placement &placement, const Mesh &mesh,
                  unsigned number, int64_t largest,
                  const ArgumentOptions &options) {
  Held held;
  held.type = type;
  held.placement = placement;
  held.exact = options.integers || !isa<FloatType>(held.elementType());
  uint64_t seed = mix(options.seed, number);
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    SmallVector<int64_t> coordinates = mesh.coordinates(rank);
    uint64_t contribution = seed;
    for (unsigned axis : placement.partialAxes())
      contribution = mix(contribution, coordinates[axis]);
    Piece piece(boxOf(mesh, placement, held.shape(), rank));
    forEachIndex(piece.box, [&](ArrayRef<int64_t> index) {
      uint64_t hash = contribution;
      for (int64_t i : index)
        hash = mix(hash, i);
      *piece.find(index) =
          makeNumber(hash, held.elementType(), largest, options);
    });
    held.ranks.push_back(std::move(piece));
  }
  std::string difference = assemble(held, mesh);
  assert(difference.empty() && "copies are made of the same hash");
  (void)difference;
  return held;
}

} // namespace tpc::simulate
