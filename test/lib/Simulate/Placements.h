// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What placements and changes of them mean, told from the definition.
//
// A second opinion: of the compiler only the mesh and the entries of a
// placement are used, no chunk arithmetic and no transition.
#ifndef TPC_TEST_LIB_SIMULATE_PLACEMENTS_H
#define TPC_TEST_LIB_SIMULATE_PLACEMENTS_H

#include "Values.h"

namespace tpc::simulate {

/// The part of a tensor of `shape` that `rank` holds.
Box boxOf(const Mesh &mesh, const Placement &placement,
          llvm::ArrayRef<int64_t> shape, int64_t rank);

/// What is wrong with the ranks' pieces of `held` as pieces of its global
/// tensor, placed as it says; "" when they agree. Copies must be bit-equal.
/// Joined values must equal the global ones where `held` is exact, and
/// otherwise differ by no more than 1e-9 of the largest number of the tensor or
/// of one: that is far from the rounding of sums in double precision and far
/// from any wrong number.
std::string findDifference(const Held &held, const Mesh &mesh);

/// Sets the global tensor to what the ranks' pieces mean. Says what is wrong
/// where copies differ, or "".
std::string assemble(Held &held, const Mesh &mesh);

/// A change of placement within the groups over `axes`: every rank makes its
/// piece under `to` of what the ranks of its group hold under `from`. Partials
/// over `axes` are joined; a new partial keeps the value at coordinate 0 and
/// has neutral elements elsewhere. Elements that nobody of the group holds
/// become undefined.
std::vector<Piece> move(const Mesh &mesh, mlir::RankedTensorType type,
                        const std::vector<Piece> &pieces, const Placement &from,
                        const Placement &to, llvm::ArrayRef<unsigned> axes);

/// Fills what `rank` gets of `held` from the ranks of its group over `axes`,
/// `missing` where none of them holds an element.
void gather(const Mesh &mesh, const Held &held, int64_t rank,
            llvm::ArrayRef<unsigned> axes, Scalar missing, Piece &piece);

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_PLACEMENTS_H
