// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arranges the loops of a kernel so that the innermost one vectorises and the
// outermost ones give the threads enough to share.
//
// The units of the launch range do not depend on the number of threads, and no
// sum crosses them: results have the same bits however the range is split.
#include "KernelSchedule.h"
#include "NestLoops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tpc::lower {

namespace {

/// Elements of a block of the innermost loop: a few KiB, within the first-level
/// cache for a handful of operands.
constexpr int64_t kBlock = 1024;
/// Sums in memory are read and written at every step: a smaller block.
constexpr int64_t kSumBlock = 256;
/// Columns of a tile: so many cache lines of a transposed operand are in use at
/// a time.
constexpr int64_t kTile = 64;
/// Launch units that are enough for any number of threads of one rank.
constexpr int64_t kEnoughUnits = 256;

/// How badly the innermost loop `dim` vectorises: each access that is neither
/// contiguous nor constant is a gather, or worse, a scatter.
int64_t strideCost(const NestLoops::Dim &dim, const Nest &nest) {
  int64_t cost = 0;
  SmallVector<bool> written(dim.strides.size(), false);
  for (const Nest::Output &output : nest.outputs)
    written[output.access] = true;
  for (auto [access, stride] : llvm::enumerate(dim.strides))
    if (stride != 0 && stride != 1)
      cost += written[access] ? 4 : 2;
  return cost;
}

/// Rough scalar operations of one point.
int64_t pointCost(const Nest &nest) {
  int64_t cost = nest.accesses.size();
  if (nest.body)
    for (Operation &op : nest.body->getOps())
      cost += isa<math::MathDialect>(op.getDialect()) ? 12 : 1;
  return cost;
}

/// The dim in which an operand is contiguous that is strided in `inner`: the
/// loop over it runs next to the innermost one, so that what a cache line
/// brings is used while it is there.
std::optional<unsigned> findTransposedDim(const NestLoops &loops,
                                          unsigned inner) {
  for (auto [access, stride] : llvm::enumerate(loops.dims[inner].strides)) {
    if (stride == 0 || stride == 1)
      continue;
    for (auto [position, dim] : llvm::enumerate(loops.dims))
      if (!dim.reduction && dim.strides[access] == 1)
        return position;
  }
  return std::nullopt;
}

/// Writes the launch range: outermost loops until there are enough units, and
/// blocks of the innermost one when they do not suffice.
void chooseLaunch(KernelSchedule &schedule, ArrayRef<unsigned> outerDims,
                  int64_t block) {
  int64_t units = 1;
  for (unsigned dim : outerDims) {
    if (units < kEnoughUnits) {
      schedule.launch.push_back(dim);
      units *= schedule.extents[dim];
    } else {
      schedule.outer.push_back(dim);
    }
  }
  if (schedule.inner && units < kEnoughUnits && !schedule.block &&
      schedule.extents[*schedule.inner] > block)
    schedule.block = block;
  schedule.extent = units * schedule.numBlocks();
}

} // namespace

KernelSchedule scheduleKernel(const Nest &nest, std::optional<int64_t> units) {
  ArrangedLoops arranged = arrangeLoops(nest, units);
  const NestLoops &loops = arranged.loops;
  unsigned prefix = arranged.prefix;

  KernelSchedule schedule;
  for (const NestLoops::Dim &dim : loops.dims)
    schedule.extents.push_back(dim.extent);
  schedule.originalDims = std::move(arranged.originalDims);
  schedule.addresses = std::move(arranged.addresses);

  // The innermost loop: the cheapest, a reduction only when it is cheaper than
  // every parallel one; of equals the last, which moves least.
  bool accumulates = llvm::any_of(nest.outputs, [](const Nest::Output &output) {
    return output.accumulated || output.adds;
  });
  bool scans = llvm::any_of(nest.outputs, [](const Nest::Output &output) {
    return output.scan != Nest::Output::Scan::None;
  });
  std::optional<unsigned> best;
  int64_t bestCost = 0;
  SmallVector<unsigned> parallel;
  for (unsigned position = prefix; position < loops.dims.size(); ++position) {
    const NestLoops::Dim &dim = loops.dims[position];
    int64_t cost = 2 * strideCost(dim, nest) + dim.reduction;
    (dim.reduction ? schedule.reductions : parallel).push_back(position);
    if (!best || cost <= bestCost) {
      best = position;
      bestCost = cost;
    }
  }
  if (best && loops.dims[*best].reduction) {
    llvm::erase(schedule.reductions, *best);
    schedule.reductions.push_back(*best);
  } else if (best && !scans) {
    schedule.inner = *best;
    llvm::erase(parallel, *best);
  }
  if (units) {
    for (unsigned position = 0; position < prefix; ++position)
      schedule.launch.push_back(position);
    schedule.outer = parallel;
    schedule.extent = *units;
  } else {
    std::optional<unsigned> transposed;
    if (schedule.inner && !accumulates)
      transposed = findTransposedDim(loops, *schedule.inner);
    if (transposed) {
      llvm::erase(parallel, *transposed);
      if (schedule.extents[*schedule.inner] > kTile)
        schedule.block = kTile;
    }
    chooseLaunch(schedule, parallel, accumulates ? kSumBlock : kBlock);
    if (transposed)
      schedule.outer.push_back(*transposed);
  }
  // A reduction over nothing still writes what it starts from.
  for (auto [extent, reduction] : llvm::zip_equal(nest.extents, nest.reduction))
    if (extent == 0 && !reduction)
      schedule.extent = 0;
  schedule.cost =
      std::max<int64_t>(1, pointCost(nest) * nest.points() /
                               std::max<int64_t>(1, schedule.extent));
  return schedule;
}

} // namespace tpc::lower
