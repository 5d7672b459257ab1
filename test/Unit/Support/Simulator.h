// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ranks of a small mesh with their data, and steps applied to them.
//
// The simulator shares with the code under test only Mesh and the entries of a
// Placement: boxes are found by its own element-by-element rule, data moves
// between ranks element by element, and what arrives is counted.
#ifndef TPC_TEST_UNIT_SUPPORT_SIMULATOR_H
#define TPC_TEST_UNIT_SUPPORT_SIMULATOR_H

#include "tpc/Support/Transition.h"
#include <map>
#include <string>
#include <vector>

namespace tpc::test {

/// Every placement of a tensor of `rank` dims on `mesh` with partials of one
/// kind, in all nesting orders.
std::vector<Placement> allPlacements(const Mesh &mesh, unsigned rank,
                                     bool withPartials,
                                     Reduction reduction = Reduction::Sum);

/// True when the rank's box under `placement` has the element with the
/// row-major number `element`.
bool holds(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
           const Placement &placement, int64_t rank, int64_t element);

/// Elements of its box under `to` that the worst rank does not have under
/// `from`.
int64_t worstLack(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                  const Placement &from, const Placement &to);

class Simulator {
public:
  /// Ranks hold made-up contributions under `placement`; the global tensor is
  /// what they reduce to.
  Simulator(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
            const Placement &placement);

  /// Applies a step. Returns what is wrong with it, or "".
  std::string apply(const Step &step);
  /// What is wrong with the data as data under the current placement, or "".
  std::string check() const;

  /// Of the last step: elements received and ranks heard from, of the rank for
  /// which it is most.
  int64_t mostReceived = 0;
  int64_t mostPeers = 0;

private:
  using Data = std::map<int64_t, int64_t>; // element -> value

  std::string exchange(const Step &step, std::vector<Data> &next);
  std::string checkPermutation(const Step &step) const;
  std::string reduce(const Step &step, std::vector<Data> &next);

  Mesh mesh;
  llvm::SmallVector<int64_t> shape;
  int64_t elements = 1;
  Placement placement;
  std::vector<Data> ranks;
  std::vector<int64_t> global;
};

} // namespace tpc::test

#endif // TPC_TEST_UNIT_SUPPORT_SIMULATOR_H
