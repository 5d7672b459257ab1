// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index arithmetic of gathers and scatters that are rewritten.
#include "Lookups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tpc::lower {

/// An element of an index tensor as a number of any size.
Value asIndex(OpBuilder &builder, Location loc, Value element) {
  if (element.getType().isIndex())
    return element;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    element);
}

/// True where the index lies within its dim.
Value isWithin(OpBuilder &builder, Location loc, Value element, int64_t size) {
  Value index = asIndex(builder, loc, element);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = arith::ConstantIndexOp::create(builder, loc, size);
  Value above = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                      index, zero);
  Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      index, end);
  return arith::AndIOp::create(builder, loc, above, below);
}

std::optional<SplitLoops>
SplitLoops::match(tp::IndexedOpInterface op,
                  ArrayRef<ReassociationIndices> groups,
                  RankedTensorType wide) {
  auto elements = cast<RankedTensorType>(op.getElements().getType());
  SmallVector<SmallVector<int64_t>> ofLoop;
  for (int64_t size : elements.getShape())
    ofLoop.push_back({size});
  for (auto [expr, group] :
       llvm::zip_equal(op.getIndexedMap().getResults(), groups)) {
    if (group.size() == 1)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return std::nullopt;
    ofLoop[loop.getPosition()].clear();
    for (int64_t dim : group)
      ofLoop[loop.getPosition()].push_back(wide.getDimSize(dim));
  }
  SplitLoops loops;
  for (ArrayRef<int64_t> list : ofLoop) {
    loops.parts.emplace_back();
    for (int64_t size : list) {
      loops.parts.back().push_back(loops.sizes.size());
      loops.sizes.push_back(size);
    }
  }
  return loops;
}

AffineMap SplitLoops::split(AffineMap map) const {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      results.push_back(expr);
    else
      for (int64_t part : parts[loop.getPosition()])
        results.push_back(getAffineDimExpr(part, map.getContext()));
  }
  return AffineMap::get(sizes.size(), map.getNumSymbols(), results,
                        map.getContext());
}

Value SplitLoops::split(Value tensor, AffineMap map, OpBuilder &builder) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (AffineExpr expr : map.getResults()) {
    groups.emplace_back();
    for (int64_t part : parts[cast<AffineDimExpr>(expr).getPosition()]) {
      groups.back().push_back(shape.size());
      shape.push_back(sizes[part]);
    }
  }
  if (shape.size() == size_t(type.getRank()))
    return tensor;
  return tensor::ExpandShapeOp::create(builder, tensor.getLoc(),
                                       type.clone(shape), tensor, groups);
}

SmallVector<Value> SplitLoops::splitIndices(tp::IndexedOpInterface op,
                                            SmallVectorImpl<AffineMap> &maps,
                                            OpBuilder &builder) const {
  maps.assign(1, split(op.getIndexedMap()));
  SmallVector<Value> indices;
  for (auto [number, index] : llvm::enumerate(op.getIndices())) {
    AffineMap map = op.getIndexMap(number);
    maps.push_back(split(map));
    indices.push_back(split(index, map, builder));
  }
  return indices;
}

} // namespace tpc::lower
