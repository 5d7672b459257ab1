// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how many bytes a step moves, and how many any steps must move.

#include "TransitionGeometry.h"
#include "tpc/Support/Transition.h"

using namespace llvm;

namespace tpc {

static int64_t largestBox(const Mesh &mesh, ArrayRef<int64_t> shape,
                          const Placement &placement) {
  return largestBox(mesh, shape, nestsOf(placement, shape.size()));
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t allReduceBytes(int64_t members, int64_t bytes) {
  return ceilDiv(2 * (members - 1) * bytes, members);
}

int64_t lackingElements(const Mesh &mesh, ArrayRef<int64_t> shape,
                        const Placement &from, const Placement &to) {
  Nests before = nestsOf(from, shape.size()), after = nestsOf(to, shape.size());
  return BoxChange(mesh, shape, before, after).lacking();
}

StepBytes stepBytes(const Mesh &mesh, ArrayRef<int64_t> shape,
                    int64_t elementBytes, const Step &step) {
  int64_t before = largestBox(mesh, shape, step.from) * elementBytes;
  int64_t after = largestBox(mesh, shape, step.to) * elementBytes;
  int64_t members = mesh.groupSize(step.axes);
  auto received = [&] {
    return lackingElements(mesh, shape, step.from, step.to) * elementBytes;
  };
  switch (step.kind) {
  case StepKind::Slice:
  case StepKind::ToPartial:
    return {};
  case StepKind::AllReduce:
    return {before, allReduceBytes(members, before)};
  case StepKind::ReduceScatter:
    // The others' contributions to the largest piece.
    return {before, (members - 1) * after};
  case StepKind::AllGather:
    return {after, received()};
  case StepKind::AllToAll:
    return {before, received()};
  case StepKind::Permute:
  case StepKind::SendRecv: {
    int64_t bytes = received();
    return {bytes, bytes};
  }
  }
  llvm_unreachable("covered switch");
}

int64_t stepStarts(const Mesh &mesh, ArrayRef<int64_t> shape,
                   const Step &step) {
  if (step.kind != StepKind::SendRecv)
    return 1;
  Nests before = nestsOf(step.from, shape.size()),
        after = nestsOf(step.to, shape.size());
  return BoxChange(mesh, shape, before, after).peers();
}

int64_t stepMemoryBytes(const Mesh &mesh, ArrayRef<int64_t> shape,
                        int64_t elementBytes, const Step &step) {
  int64_t after = largestBox(mesh, shape, step.to);
  // A slice reads only what it keeps.
  int64_t before =
      step.kind == StepKind::Slice ? after : largestBox(mesh, shape, step.from);
  return (before + after) * elementBytes;
}

int64_t reductionBoundBytes(int64_t contributions, int64_t copies,
                            int64_t ranks, int64_t bytes) {
  return ceilDiv((contributions + copies - 2) * bytes, ranks);
}

int64_t lowerBoundBytes(const Mesh &mesh, ArrayRef<int64_t> shape,
                        int64_t elementBytes, const Placement &from,
                        const Placement &to) {
  int64_t contributions = 1, ranks = 1, copies = 1;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    const Placement::Entry *before = from.find(axis), *after = to.find(axis);
    bool staysPartial =
        before && after && before->isPartial() && *before == *after;
    bool wantsWhole = !after || (after->isPartial() && !staysPartial);
    if (staysPartial || (!before && wantsWhole))
      continue;
    ranks *= mesh.size(axis);
    if (before && before->isPartial())
      contributions *= mesh.size(axis);
    if (wantsWhole)
      copies *= mesh.size(axis);
  }
  int64_t lacking = lackingElements(mesh, shape, from, to) * elementBytes;
  if (contributions == 1)
    return lacking;
  int64_t bytes = elementBytes;
  for (int64_t length : shape)
    bytes *= length;
  return std::max(lacking,
                  reductionBoundBytes(contributions, copies, ranks, bytes));
}

} // namespace tpc
