// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up what the iterations of a convolution give to each input element.
//
// The input was read at o * s + k * d. Its cotangent per (o, k) is written in
// slices along k, each moved to where its first element was read, and added.
// With d = 1, s taps at once are s consecutive elements: (o, s taps) is
// reshaped to one dim, so that a stride needs no strided writes, and a
// convolution whose taps do not overlap (s = taps) nothing but the reshape.
// Every move is by a constant along one dim, which may be sharded.

#include "LinalgAdjointWindow.h"
#include "LinalgHalo.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tpc/Interfaces/Adjoint.h"

using namespace mlir;

namespace tpc {

std::optional<TapSum> planTapSum(AffineMap map, RankedTensorType type,
                                 ArrayRef<int64_t> sizes) {
  TapSum sum;
  SmallVector<AffineExpr> loops;
  MLIRContext *context = map.getContext();
  for (auto [number, expr] : llvm::enumerate(map.getResults())) {
    if (auto zero = dyn_cast<AffineConstantExpr>(expr);
        zero && zero.getValue() == 0)
      continue;
    if (isa<AffineDimExpr>(expr)) {
      loops.push_back(expr);
      continue;
    }
    auto terms = getCoefficients(expr, map.getNumDims());
    if (!terms)
      return std::nullopt;
    SmallVector<unsigned> used;
    for (auto [loop, coefficient] : llvm::enumerate(terms->first)) {
      if (coefficient < 0)
        return std::nullopt;
      if (coefficient > 0)
        used.push_back(loop);
    }
    if (used.empty() || used.size() > 2 || terms->second < 0)
      return std::nullopt;
    // The shorter loop is that over the taps.
    if (used.size() == 2 && sizes[used[0]] < sizes[used[1]])
      std::swap(used[0], used[1]);
    TapSum::Dim &dim = sum.dims.emplace_back();
    dim.position = loops.size();
    dim.hasTaps = used.size() == 2;
    dim.stride = terms->first[used[0]];
    dim.dilation = dim.hasTaps ? terms->first[used[1]] : 1;
    dim.offset = terms->second;
    dim.length = type.getDimSize(number);
    for (unsigned loop : used)
      loops.push_back(getAffineDimExpr(loop, context));
  }
  sum.target = AffineMap::get(map.getNumDims(), 0, loops, context);
  if (sum.dims.empty() || !sum.target.isProjectedPermutation())
    return std::nullopt;
  return sum;
}

static RankedTensorType withDim(Value value, unsigned dim, int64_t length) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = length;
  return RankedTensorType::get(shape, type.getElementType());
}

static int64_t lengthOf(Value value, unsigned dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

/// `length` elements along `dim` from `offset`.
static Value cut(OpBuilder &builder, Location loc, Value value, unsigned dim,
                 int64_t offset, int64_t length) {
  RankedTensorType type = withDim(value, dim, length);
  if (type == value.getType())
    return value;
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1));
  offsets[dim] = builder.getIndexAttr(offset);
  return tensor::ExtractSliceOp::create(
      builder, loc, type, value, offsets,
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()), strides);
}

/// `value` among zeros, along `dim` of `length` from `offset`.
static Value spread(OpBuilder &builder, Location loc, Value value, unsigned dim,
                    int64_t length, int64_t offset, int64_t stride) {
  RankedTensorType type = withDim(value, dim, length);
  if (type == value.getType() && stride == 1)
    return value;
  Value zeros = createSplat(builder, loc, type, 0);
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1));
  offsets[dim] = builder.getIndexAttr(offset);
  strides[dim] = builder.getIndexAttr(stride);
  return tensor::InsertSliceOp::create(
      builder, loc, value, zeros, offsets,
      getAsIndexOpFoldResult(
          builder.getContext(),
          cast<RankedTensorType>(value.getType()).getShape()),
      strides);
}

/// Joins dims `dim` and `dim` + 1.
static Value join(OpBuilder &builder, Location loc, Value value, unsigned dim) {
  SmallVector<ReassociationIndices> groups;
  for (unsigned d = 0, e = cast<RankedTensorType>(value.getType()).getRank();
       d < e; ++d)
    if (d == dim + 1)
      groups.back().push_back(d);
    else
      groups.push_back({int64_t(d)});
  return tensor::CollapseShapeOp::create(builder, loc, value, groups);
}

static Value sumDim(OpBuilder &builder, Location loc, Value taps,
                    const TapSum::Dim &dim) {
  unsigned at = dim.position;
  if (!dim.hasTaps)
    return spread(builder, loc, taps, at, dim.length, dim.offset, dim.stride);
  int64_t outer = lengthOf(taps, at), count = lengthOf(taps, at + 1);
  // Consecutive taps that one move takes along.
  int64_t together = dim.dilation == 1 ? dim.stride : 1;
  int64_t stride = dim.dilation == 1 ? 1 : dim.stride;
  int64_t moves = (count + together - 1) / together;
  int64_t reach = dim.dilation == 1
                      ? dim.offset + (outer + moves - 1) * together
                      : dim.length;
  int64_t length = std::max(dim.length, reach);
  taps = spread(builder, loc, taps, at + 1, moves * together, 0, 1);
  Value sum;
  for (int64_t move = 0; move < moves; ++move) {
    Value piece = cut(builder, loc, taps, at + 1, move * together, together);
    piece = spread(builder, loc, join(builder, loc, piece, at), at, length,
                   dim.offset + move * together * dim.dilation, stride);
    sum = sum ? createSum(builder, loc, sum, piece) : piece;
  }
  return cut(builder, loc, sum, at, 0, dim.length);
}

Value buildTapSum(OpBuilder &builder, Location loc, Value taps,
                  const TapSum &sum) {
  // From the last: what lies before keeps its place.
  for (const TapSum::Dim &dim : llvm::reverse(sum.dims))
    taps = sumDim(builder, loc, taps, dim);
  return taps;
}

} // namespace tpc
