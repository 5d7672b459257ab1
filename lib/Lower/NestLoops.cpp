// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads strides off address expressions and sorts loops by them.
#include "NestLoops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace tpc::lower {

namespace {

/// The strides of an address that is a sum of multiples of dims and indices,
/// which are counted behind the dims.
struct Linear {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
};

std::optional<Linear> toLinear(AffineExpr expr, unsigned numDims,
                               unsigned numIndices) {
  Linear linear{SmallVector<int64_t>(numDims + numIndices, 0)};
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    linear.offset = constant.getValue();
    return linear;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    linear.strides[dim.getPosition()] = 1;
    return linear;
  }
  if (auto index = dyn_cast<AffineSymbolExpr>(expr)) {
    linear.strides[numDims + index.getPosition()] = 1;
    return linear;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Linear> lhs = toLinear(binary.getLHS(), numDims, numIndices);
  std::optional<Linear> rhs = toLinear(binary.getRHS(), numDims, numIndices);
  if (!lhs || !rhs)
    return std::nullopt;
  auto combine = [&](int64_t left, int64_t right) {
    for (size_t dim = 0; dim < linear.strides.size(); ++dim)
      linear.strides[dim] =
          lhs->strides[dim] * left + rhs->strides[dim] * right;
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

/// Merges `inner` into `outer` when all accesses see them as one dim.
bool tryMerge(NestLoops::Dim &outer, const NestLoops::Dim &inner) {
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

} // namespace

NestLoops::NestLoops(const Nest &nest) {
  unsigned numDims = nest.extents.size(), numIndices = nest.indices.size();
  SmallVector<Linear> linear;
  for (const Access &access : nest.accesses) {
    std::optional<Linear> address =
        toLinear(access.address, numDims, numIndices);
    if (!address) {
      isLinear = false;
      address = Linear{SmallVector<int64_t>(numDims + numIndices, 0)};
      for (unsigned dim = 0; dim < numDims; ++dim)
        if (access.address.isFunctionOfDim(dim))
          address->strides[dim] = 2;
    }
    offsets.push_back(address->offset);
    indexStrides.emplace_back(ArrayRef(address->strides).take_back(numIndices));
    linear.push_back(*address);
  }
  usesIndex = nest.body && !nest.body->getOps<linalg::IndexOp>().empty();

  for (auto [number, extent] : llvm::enumerate(nest.extents)) {
    if (extent == 1)
      continue;
    Dim dim{extent, nest.reduction[number], {unsigned(number)}, {}};
    for (const Linear &address : linear)
      dim.strides.push_back(address.strides[number]);
    dims.push_back(dim);
  }
  // Parallel dims follow the result, reductions the first operand they move in.
  auto sortKey = [&](const Dim &dim) {
    if (int64_t target = dim.strides[nest.outputs[0].access])
      return target;
    for (int64_t stride : dim.strides)
      if (stride)
        return stride;
    return int64_t(0);
  };
  llvm::sort(dims, [&](const Dim &x, const Dim &y) {
    if (x.reduction != y.reduction)
      return !x.reduction;
    int64_t xKey = sortKey(x), yKey = sortKey(y);
    return xKey != yKey ? xKey > yKey : x.parts[0] < y.parts[0];
  });
}

void NestLoops::merge(unsigned begin, unsigned end) {
  if (!isLinear || usesIndex)
    return;
  SmallVector<Dim> merged(dims.begin(), dims.begin() + begin);
  for (unsigned dim = begin; dim < end; ++dim)
    if (dim == begin || !tryMerge(merged.back(), dims[dim]))
      merged.push_back(dims[dim]);
  merged.append(dims.begin() + end, dims.end());
  dims = std::move(merged);
}

std::optional<unsigned> NestLoops::findPrefix(int64_t units) const {
  int64_t points = 1;
  for (auto [position, dim] : llvm::enumerate(dims)) {
    if (points >= units || dim.reduction)
      return points == units ? std::optional<unsigned>(position) : std::nullopt;
    points *= dim.extent;
  }
  return points == units ? std::optional<unsigned>(dims.size()) : std::nullopt;
}

SmallVector<int64_t> NestLoops::prefixUnits() const {
  SmallVector<int64_t> units = {1};
  for (const Dim &dim : dims) {
    if (dim.reduction)
      break;
    units.push_back(units.back() * dim.extent);
  }
  return units;
}

std::optional<int64_t> NestLoops::unitStride(unsigned access,
                                             int64_t units) const {
  std::optional<unsigned> prefix = findPrefix(units);
  bool isIndirect = llvm::any_of(indexStrides[access],
                                 [](int64_t stride) { return stride != 0; });
  if (!prefix || !isLinear || isIndirect)
    return std::nullopt;
  if (*prefix == 0)
    return 0;
  int64_t stride = dims[*prefix - 1].strides[access];
  int64_t whole = stride;
  for (unsigned dim = *prefix; dim-- > 0;) {
    if (dims[dim].strides[access] != whole)
      return std::nullopt;
    whole *= dims[dim].extent;
  }
  int64_t last = offsets[access];
  for (unsigned dim = *prefix; dim < dims.size(); ++dim) {
    if (dims[dim].strides[access] < 0)
      return std::nullopt;
    last += (dims[dim].extent - 1) * dims[dim].strides[access];
  }
  if (offsets[access] < 0 || last >= stride)
    return std::nullopt;
  return stride;
}

ArrangedLoops arrangeLoops(const Nest &nest, std::optional<int64_t> units) {
  MLIRContext *context = nest.accesses[0].address.getContext();
  ArrangedLoops arranged;
  NestLoops &loops = arranged.loops;
  loops = NestLoops(nest);
  unsigned &prefix = arranged.prefix;
  if (units) {
    prefix = *loops.findPrefix(*units);
    unsigned before = loops.dims.size();
    loops.merge(0, prefix);
    prefix -= before - loops.dims.size();
  }
  loops.merge(prefix, loops.dims.size());

  arranged.originalDims.assign(nest.extents.size(),
                               getAffineConstantExpr(0, context));
  for (auto [position, dim] : llvm::enumerate(loops.dims))
    if (dim.parts.size() == 1)
      arranged.originalDims[dim.parts[0]] = getAffineDimExpr(position, context);
  for (auto [number, access] : llvm::enumerate(nest.accesses)) {
    if (!loops.isLinear) {
      arranged.addresses.push_back(
          access.address.replaceDims(arranged.originalDims));
      continue;
    }
    AffineExpr address = getAffineConstantExpr(loops.offsets[number], context);
    for (auto [position, dim] : llvm::enumerate(loops.dims))
      address =
          address + getAffineDimExpr(position, context) * dim.strides[number];
    for (auto [index, stride] : llvm::enumerate(loops.indexStrides[number]))
      address = address + getAffineSymbolExpr(index, context) * stride;
    arranged.addresses.push_back(address);
  }
  return arranged;
}

} // namespace tpc::lower
