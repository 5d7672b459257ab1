// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest sequence of steps from one placement to another.
//
// Shortest path over placements with the steps of Transition.h, by the cost of
// CostModel.h. One grouped send_recv joins any two placements without partials
// at the lower bound of bytes, so no plan exceeds the bound for want of a
// better sequence of plain collectives; of equals the plain ones win.
//
// Refused: to borrow an axis that is replicated before and after. An all-reduce
// over dp of a value replicated over tp could be cut into slices over tp,
// reduced, and gathered again with fewer bytes; it would be two collectives
// where the program says one, on an axis the value has nothing to do with.
#ifndef TPC_SUPPORT_REDISTRIBUTION_H
#define TPC_SUPPORT_REDISTRIBUTION_H

#include "tpc/Support/CostModel.h"
#include <memory>

namespace tpc {

/// How one value gets from one placement to another. No steps when they are
/// the same.
struct RedistributionPlan {
  llvm::SmallVector<Step, 2> steps;
  Cost cost;
  /// Sums of StepBytes over the steps.
  int64_t bytes = 0;
  int64_t wireBytes = 0;
  int64_t lowerBoundBytes = 0;
  /// Steps in which ranks exchange data.
  unsigned collectives = 0;
};

/// Plans redistributions on one mesh and remembers them. Not thread-safe.
class Redistributor {
public:
  Redistributor(Mesh mesh, MachineDescription machine, Objective objective);
  ~Redistributor();
  Redistributor(const Redistributor &) = delete;
  Redistributor &operator=(const Redistributor &) = delete;

  /// The cheapest plan; of several the same on every machine and whatever was
  /// asked before. Null only when `from` or `to` mixes reductions. Lives as
  /// long as the redistributor.
  const RedistributionPlan *plan(llvm::ArrayRef<int64_t> shape,
                                 int64_t elementBytes, const Placement &from,
                                 const Placement &to);

  /// Infinite when there is no plan.
  Cost cost(llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
            const Placement &from, const Placement &to);

  const Mesh &mesh() const { return meshValue; }
  const MachineDescription &machine() const { return machineValue; }
  Objective objective() const { return objectiveValue; }

private:
  struct Cache;
  Mesh meshValue;
  MachineDescription machineValue;
  Objective objectiveValue;
  std::unique_ptr<Cache> cache;
};

} // namespace tpc

#endif // TPC_SUPPORT_REDISTRIBUTION_H
