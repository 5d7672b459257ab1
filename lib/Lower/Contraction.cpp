// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises contractions in linalg.generic and maps them to matmul calls.
//
// Every dim of a contraction is in two or all three of A, B and C. The dims of
// one kind (m: A and C, n: B and C, k: A and B, batch: all) are sorted by
// stride and neighbours merged when they are one dim to all operands. What is
// left over of m and n, is batch to the call (with stride 0 in the operand that
// lacks it); more than one k is more than a call can do.
#include "Contraction.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tpc::lower {

Value stripExtension(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    return extension.getIn();
  return value;
}

bool startsFromZero(linalg::GenericOp generic) {
  auto fill = generic.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_AnyZeroFloat());
}

namespace {

enum Side { A, B, C };

/// One dim to the call, maybe of several merged ones.
struct Group {
  unsigned dim;
  int64_t extent;
  std::array<int64_t, 3> strides;
};

/// True for `yield(acc + a * b)`, in any order of operands.
bool isMultiplyAdd(linalg::GenericOp generic) {
  Block *body = generic.getBody();
  Value yielded = body->getTerminator()->getOperand(0);
  if (auto rounding = yielded.getDefiningOp<arith::TruncFOp>())
    yielded = rounding.getIn();
  Operation *add = yielded.getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Value accumulator = body->getArgument(2);
  Value product = stripExtension(add->getOperand(1));
  if (stripExtension(add->getOperand(0)) != accumulator) {
    if (product != accumulator)
      return false;
    product = stripExtension(add->getOperand(0));
  }
  Operation *multiply = product.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply))
    return false;
  Value left = stripExtension(multiply->getOperand(0));
  Value right = stripExtension(multiply->getOperand(1));
  Value a = body->getArgument(0), b = body->getArgument(1);
  return (left == a && right == b) || (left == b && right == a);
}

/// The stride of every loop dim in the operand that `map` gives.
SmallVector<int64_t> loopStrides(AffineMap map, ArrayRef<int64_t> extents) {
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t result = map.getNumResults() - 1; result >= 0; --result) {
    unsigned dim = map.getDimPosition(result);
    strides[dim] = stride;
    stride *= extents[dim];
  }
  return strides;
}

std::optional<int32_t> matmulType(Type type) {
  if (type.isF32())
    return 0;
  if (type.isF64())
    return 1;
  if (type.isF16())
    return 2;
  if (type.isBF16())
    return 3;
  return std::nullopt;
}

/// The dims of one kind, merged where `sides` see neighbours as one dim. Outer
/// first in the order of `sides.back()`.
SmallVector<Group> mergeDims(ArrayRef<unsigned> dims, ArrayRef<int64_t> extents,
                             const std::array<SmallVector<int64_t>, 3> &strides,
                             ArrayRef<Side> sides) {
  SmallVector<Group> groups;
  for (unsigned dim : dims)
    groups.push_back({dim,
                      extents[dim],
                      {strides[A][dim], strides[B][dim], strides[C][dim]}});
  llvm::sort(groups, [&](const Group &x, const Group &y) {
    int64_t xStride = x.strides[sides.back()];
    int64_t yStride = y.strides[sides.back()];
    return xStride != yStride ? xStride > yStride : x.dim < y.dim;
  });
  SmallVector<Group> merged;
  for (const Group &group : groups) {
    bool fits = !merged.empty() && llvm::all_of(sides, [&](Side side) {
      return merged.back().strides[side] == group.strides[side] * group.extent;
    });
    if (fits)
      merged.back() = {group.dim, merged.back().extent * group.extent,
                       group.strides};
    else
      merged.push_back(group);
  }
  return merged;
}

/// Takes the dim of `groups` that is to be the matrix dim out of it: the one
/// that C has contiguous, else the longest.
std::optional<Group> takeMatrixDim(SmallVector<Group> &groups) {
  if (groups.empty())
    return std::nullopt;
  auto chosen = llvm::find_if(
      groups, [](const Group &group) { return group.strides[C] == 1; });
  if (chosen == groups.end())
    chosen = std::max_element(
        groups.begin(), groups.end(),
        [](const Group &x, const Group &y) { return x.extent < y.extent; });
  Group group = *chosen;
  groups.erase(chosen);
  return group;
}

/// The stride of a matrix dim of extent 1, given the other dim's: what makes
/// the matrix dense.
int64_t denseStride(int64_t otherStride, int64_t otherExtent) {
  return otherStride == 1 ? otherExtent : 1;
}

} // namespace

std::optional<ContractionDims> matchContraction(linalg::GenericOp generic) {
  if (generic.getNumDpsInputs() != 2 || generic.getNumDpsInits() != 1 ||
      !isMultiplyAdd(generic))
    return std::nullopt;
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  SmallVector<int64_t> extents = generic.getStaticLoopRanges();
  ContractionDims dims;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    if (extent == 1)
      continue;
    bool a = maps[0].isFunctionOfDim(dim), b = maps[1].isFunctionOfDim(dim);
    bool c = maps[2].isFunctionOfDim(dim);
    if (a && b)
      (c ? dims.batch : dims.k).push_back(dim);
    else if ((a || b) && c)
      (a ? dims.m : dims.n).push_back(dim);
    else
      return std::nullopt;
  }
  if (dims.k.empty() || (dims.m.empty() && dims.n.empty()))
    return std::nullopt;
  return dims;
}

int64_t Contraction::points() const {
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  return points;
}

std::optional<Contraction> getContraction(linalg::GenericOp generic) {
  std::optional<ContractionDims> dims = matchContraction(generic);
  if (!dims)
    return std::nullopt;
  Contraction contraction{*dims, generic.getStaticLoopRanges(), {}, {}};
  llvm::append_range(contraction.maps, generic.getIndexingMapsArray());
  for (Value operand : generic->getOperands())
    contraction.elementTypes.push_back(getElementTypeOrSelf(operand.getType()));
  return contraction;
}

bool isMixed(const Contraction &contraction) {
  Type a = contraction.elementTypes[A];
  return (a.isF16() || a.isBF16()) && a == contraction.elementTypes[B] &&
         contraction.elementTypes[C].isF32();
}

SmallVector<int64_t> operandStrides(const Contraction &contraction,
                                    unsigned side) {
  return loopStrides(contraction.maps[side], contraction.extents);
}

std::optional<Matmul> matchMatmul(const Contraction &contraction, bool mixed) {
  const ContractionDims *dims = &contraction.dims;
  ArrayRef<int64_t> extents = contraction.extents;
  std::array<SmallVector<int64_t>, 3> strides;
  for (Side side : {A, B, C})
    strides[side] = loopStrides(contraction.maps[side], extents);
  std::optional<int32_t> dtype = matmulType(contraction.elementTypes[A]);
  if (!dtype || !(llvm::all_equal(contraction.elementTypes) ||
                  (mixed && isMixed(contraction))))
    return std::nullopt;

  SmallVector<Group> k = mergeDims(dims->k, extents, strides, {B, A});
  if (k.size() != 1)
    return std::nullopt;
  SmallVector<Group> m = mergeDims(dims->m, extents, strides, {A, C});
  SmallVector<Group> n = mergeDims(dims->n, extents, strides, {B, C});
  SmallVector<Group> batch =
      mergeDims(dims->batch, extents, strides, {A, B, C});
  std::optional<Group> mDim = takeMatrixDim(m), nDim = takeMatrixDim(n);
  batch.append(m);
  batch.append(n);
  if (batch.size() > Matmul::kMaxBatch)
    return std::nullopt;

  Matmul matmul;
  matmul.dtype = *dtype;
  matmul.resultType = *matmulType(contraction.elementTypes[C]);
  matmul.k = k[0].extent;
  matmul.aCol = k[0].strides[A];
  matmul.bRow = k[0].strides[B];
  matmul.m = mDim ? mDim->extent : 1;
  matmul.n = nDim ? nDim->extent : 1;
  matmul.aRow = mDim ? mDim->strides[A] : denseStride(matmul.aCol, matmul.k);
  matmul.bCol = nDim ? nDim->strides[B] : denseStride(matmul.bRow, matmul.k);
  if (mDim)
    matmul.cRow = mDim->strides[C];
  if (nDim)
    matmul.cCol = nDim->strides[C];
  if (!mDim)
    matmul.cRow = denseStride(matmul.cCol, matmul.n);
  if (!nDim)
    matmul.cCol = denseStride(matmul.cRow, matmul.m);
  auto isMatrix = [](int64_t row, int64_t column) {
    return row == 1 || column == 1;
  };
  if (!isMatrix(matmul.aRow, matmul.aCol) ||
      !isMatrix(matmul.bRow, matmul.bCol) ||
      !isMatrix(matmul.cRow, matmul.cCol))
    return std::nullopt;
  for (const Group &group : batch)
    matmul.batch.push_back(
        {group.extent, group.strides[A], group.strides[B], group.strides[C]});
  return matmul;
}

SmallVector<linalg::GenericOp>
generalize(func::FuncOp function, RewriterBase &rewriter,
           function_ref<bool(linalg::LinalgOp)> wanted) {
  SmallVector<linalg::LinalgOp> named;
  function.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op.getOperation()) && wanted(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
  SmallVector<linalg::GenericOp> generics;
  function.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  return generics;
}

} // namespace tpc::lower
