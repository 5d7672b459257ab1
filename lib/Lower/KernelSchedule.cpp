// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arranges the loops of a kernel so that the innermost one vectorises and the
// outermost ones give the threads enough to share.
//
// The units of the launch range do not depend on the number of threads, and no
// sum crosses them: results have the same bits however the range is split.
#include "KernelSchedule.h"

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

/// The strides of an address that is a sum of multiples of dims.
struct Linear {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
};

std::optional<Linear> toLinear(AffineExpr expr, unsigned numDims) {
  Linear linear{SmallVector<int64_t>(numDims, 0)};
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    linear.offset = constant.getValue();
    return linear;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    linear.strides[dim.getPosition()] = 1;
    return linear;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Linear> lhs = toLinear(binary.getLHS(), numDims);
  std::optional<Linear> rhs = toLinear(binary.getRHS(), numDims);
  if (!lhs || !rhs)
    return std::nullopt;
  auto combine = [&](int64_t left, int64_t right) {
    for (unsigned dim = 0; dim < numDims; ++dim)
      linear.strides[dim] = lhs->strides[dim] * left + rhs->strides[dim] * right;
    linear.offset = lhs->offset * left + rhs->offset * right;
  };
  if (expr.getKind() == AffineExprKind::Add) {
    combine(1, 1);
    return linear;
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && factor) {
    combine(factor.getValue(), 0);
    return linear;
  }
  return std::nullopt;
}

/// The nest's loops and strides while they are rearranged.
struct Loops {
  struct Dim {
    int64_t extent;
    bool reduction;
    /// The dims of the nest merged into this one, outer first.
    SmallVector<unsigned> parts;
    /// Per access; the address grows by it with this dim.
    SmallVector<int64_t> strides;
  };
  SmallVector<Dim> dims;
  SmallVector<int64_t> offsets;
};

bool usesIndex(const Nest &nest) {
  return nest.body && !nest.body->getOps<linalg::IndexOp>().empty();
}

/// Merges `inner` into `outer` when all accesses see them as one dim.
bool tryMerge(Loops::Dim &outer, const Loops::Dim &inner) {
  if (outer.reduction != inner.reduction)
    return false;
  for (auto [outerStride, innerStride] :
       llvm::zip_equal(outer.strides, inner.strides))
    if (outerStride != innerStride * inner.extent)
      return false;
  outer.extent *= inner.extent;
  outer.strides = inner.strides;
  outer.parts.append(inner.parts);
  return true;
}

/// Sorts dims of one kind by what decides their order in memory, and merges
/// neighbours.
void sortAndMerge(Loops &loops, const Nest &nest, bool mayMerge) {
  // Reductions follow the first operand they move in, parallel dims the
  // result.
  auto sortKey = [&](const Loops::Dim &dim) {
    int64_t target = dim.strides[nest.outputs[0].access];
    if (target)
      return target;
    for (int64_t stride : dim.strides)
      if (stride)
        return stride;
    return int64_t(0);
  };
  llvm::sort(loops.dims, [&](const Loops::Dim &x, const Loops::Dim &y) {
    if (x.reduction != y.reduction)
      return !x.reduction;
    int64_t xKey = sortKey(x), yKey = sortKey(y);
    return xKey != yKey ? xKey > yKey : x.parts[0] < y.parts[0];
  });
  if (!mayMerge)
    return;
  SmallVector<Loops::Dim> merged;
  for (const Loops::Dim &dim : loops.dims)
    if (merged.empty() || !tryMerge(merged.back(), dim))
      merged.push_back(dim);
  loops.dims = std::move(merged);
}

/// How badly the innermost loop `dim` vectorises: each access that is neither
/// contiguous nor constant is a gather, or worse, a scatter.
int64_t strideCost(const Loops::Dim &dim, const Nest &nest) {
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
std::optional<unsigned> findTransposedDim(const Loops &loops, unsigned inner) {
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

KernelSchedule scheduleKernel(const Nest &nest) {
  MLIRContext *context = nest.accesses[0].address.getContext();
  unsigned numDims = nest.extents.size();
  Loops loops;
  bool isLinear = true;
  SmallVector<Linear> linear;
  for (const Access &access : nest.accesses) {
    std::optional<Linear> address = toLinear(access.address, numDims);
    isLinear &= address.has_value();
    // What is not linear counts as a gather in all dims it moves in.
    if (!address) {
      address = Linear{SmallVector<int64_t>(numDims, 0)};
      for (unsigned dim = 0; dim < numDims; ++dim)
        if (access.address.isFunctionOfDim(dim))
          address->strides[dim] = 2;
    }
    linear.push_back(*address);
  }
  for (auto [dim, extent] : llvm::enumerate(nest.extents)) {
    if (extent == 1)
      continue;
    Loops::Dim loop{extent, nest.reduction[dim], {unsigned(dim)}, {}};
    for (const Linear &address : linear)
      loop.strides.push_back(address.strides[dim]);
    loops.dims.push_back(loop);
  }
  sortAndMerge(loops, nest, isLinear && !usesIndex(nest));

  KernelSchedule schedule;
  schedule.originalDims.assign(numDims, getAffineConstantExpr(0, context));
  for (auto [position, dim] : llvm::enumerate(loops.dims)) {
    schedule.extents.push_back(dim.extent);
    AffineExpr whole = getAffineDimExpr(position, context);
    if (dim.parts.size() == 1)
      schedule.originalDims[dim.parts[0]] = whole;
  }
  for (auto [number, access] : llvm::enumerate(nest.accesses)) {
    if (!isLinear) {
      schedule.addresses.push_back(
          access.address.replaceDims(schedule.originalDims));
      continue;
    }
    AffineExpr address =
        getAffineConstantExpr(linear[number].offset, context);
    for (auto [position, dim] : llvm::enumerate(loops.dims))
      address = address + getAffineDimExpr(position, context) *
                              dim.strides[number];
    schedule.addresses.push_back(address);
  }

  // The innermost loop: the cheapest, a reduction only when it is cheaper than
  // every parallel one; of equals the last, which moves least.
  bool accumulates = llvm::any_of(
      nest.outputs, [](const Nest::Output &output) { return output.accumulated; });
  std::optional<unsigned> best;
  int64_t bestCost = 0;
  SmallVector<unsigned> parallel;
  for (auto [position, dim] : llvm::enumerate(loops.dims)) {
    int64_t cost = 2 * strideCost(dim, nest) + dim.reduction;
    if (!dim.reduction)
      parallel.push_back(position);
    else
      schedule.reductions.push_back(position);
    if (!best || cost <= bestCost) {
      best = position;
      bestCost = cost;
    }
  }
  if (best && loops.dims[*best].reduction) {
    llvm::erase(schedule.reductions, *best);
    schedule.reductions.push_back(*best);
  } else if (best) {
    schedule.inner = *best;
    llvm::erase(parallel, *best);
  }
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
  schedule.cost = std::max<int64_t>(
      1, pointCost(nest) * nest.points() / std::max<int64_t>(1, schedule.extent));
  return schedule;
}

} // namespace tpc::lower
