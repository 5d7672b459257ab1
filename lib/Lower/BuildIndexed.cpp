// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers, scatters and cumulative sums as loop nests.
//
// A scatter adds in memory, on top of a copy of its init. Its loops over dims
// of the result are parallel, since no two of their points touch one element;
// the others run one after the other, so that the order of the additions does
// not depend on the number of threads.
#include "ProgramBuilder.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tpc::lower {

/// True when a dim that is read through an index is empty: every index is out
/// of range.
static bool hasEmptyTarget(tp::IndexedOpInterface op) {
  auto type = cast<RankedTensorType>(op.getIndexed().getType());
  return llvm::any_of(llvm::enumerate(op.getIndexedMap().getResults()),
                      [&](auto dim) {
                        return isa<AffineSymbolExpr>(dim.value()) &&
                               type.getDimSize(dim.index()) == 0;
                      });
}

Action ProgramBuilder::startIndexed(tp::IndexedOpInterface op) {
  Action action(Action::Kind::Loops, op.getLoc());
  Nest &nest = action.nest;
  auto elements = cast<RankedTensorType>(op.getElements().getType());
  nest.extents = llvm::to_vector(elements.getShape());
  AffineMap map = op.getIndexedMap();
  auto indexed = cast<RankedTensorType>(op.getIndexed().getType());
  nest.indices.resize(op.getIndices().size());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto index = dyn_cast<AffineSymbolExpr>(expr))
      nest.indices[index.getPosition()].bound = indexed.getDimSize(dim);
  for (auto [number, index] : llvm::enumerate(op.getIndices())) {
    auto type = cast<RankedTensorType>(index.getType());
    nest.indices[number].access = nest.accesses.size();
    BufferId buffer = use(index);
    action.reads.push_back(buffer);
    nest.accesses.push_back({buffer, type.getElementType(),
                             linearAddress(op.getIndexMap(number).getResults(),
                                           type.getShape(), context)});
  }
  return action;
}

LogicalResult ProgramBuilder::addGather(tp::GatherOp op) {
  RankedTensorType type = op.getType();
  if (hasEmptyTarget(op)) {
    append(makeFill(define(op.getResult()), type,
                    Builder(context).getZeroAttr(type.getElementType()),
                    op.getLoc()));
    return success();
  }
  Action action = startIndexed(op);
  Nest &nest = action.nest;
  nest.reduction.assign(nest.extents.size(), false);
  BufferId source = use(op.getSource());
  BufferId result = define(op.getResult());
  action.reads.push_back(source);
  action.writes = {result};
  AffineMap loops = AffineMap::getMultiDimIdentityMap(type.getRank(), context);
  nest.inputs = {{Nest::Source::Kind::Access, unsigned(nest.accesses.size())}};
  nest.accesses.push_back(
      {source, type.getElementType(),
       linearAddress(op.getIndexedMap().getResults(),
                     op.getSource().getType().getShape(), context)});
  nest.outputs.resize(1);
  nest.outputs[0].access = nest.accesses.size();
  nest.accesses.push_back(
      {result, type.getElementType(),
       linearAddress(loops.getResults(), type.getShape(), context)});
  append(std::move(action));
  return success();
}

LogicalResult ProgramBuilder::addScatter(tp::ScatterOp op) {
  RankedTensorType type = op.getType();
  BufferId updates = use(op.getUpdates());
  Action action = startIndexed(op);
  BufferId result = startFrom(op.getInit(), op.getResult(), op.getLoc());
  if (hasEmptyTarget(op))
    return success();
  Nest &nest = action.nest;
  AffineMap map = op.getIndexedMap();
  for (unsigned loop = 0; loop < nest.extents.size(); ++loop)
    nest.reduction.push_back(!map.isFunctionOfDim(loop));
  action.reads.append({updates, result});
  action.writes = {result};
  AffineMap loops =
      AffineMap::getMultiDimIdentityMap(nest.extents.size(), context);
  nest.inputs = {{Nest::Source::Kind::Access, unsigned(nest.accesses.size())}};
  nest.accesses.push_back(
      {updates, type.getElementType(),
       linearAddress(loops.getResults(), op.getUpdates().getType().getShape(),
                     context)});
  nest.outputs.resize(1);
  nest.outputs[0].access = nest.accesses.size();
  nest.outputs[0].adds = true;
  nest.accesses.push_back(
      {result, type.getElementType(),
       linearAddress(map.getResults(), type.getShape(), context)});
  append(std::move(action));
  return success();
}

LogicalResult ProgramBuilder::addCumsum(tp::CumsumOp op) {
  RankedTensorType type = op.getType();
  Type elementType = type.getElementType();
  BufferId input = use(op.getInput());
  BufferId output = define(op.getOutput());
  Action action(Action::Kind::Loops, op.getLoc());
  action.reads = {input};
  action.writes = {output};
  // Every element is read before it is written.
  action.reuse = {{output, input}};
  Nest &nest = action.nest;
  nest.extents = llvm::to_vector(type.getShape());
  nest.reduction.assign(type.getRank(), false);
  nest.reduction[op.getDim()] = true;
  SmallVector<AffineExpr> place;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    place.push_back(getAffineDimExpr(dim, context));
  if (op.getReverse())
    place[op.getDim()] = type.getDimSize(op.getDim()) - 1 - place[op.getDim()];
  AffineExpr address = linearAddress(place, type.getShape(), context);
  nest.accesses = {{input, elementType, address},
                   {output, elementType, address}};
  nest.inputs = {{Nest::Source::Kind::Access, 0}};
  // 16-bit floats are summed in 32 bits.
  bool narrow =
      isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32;
  Builder builder(context);
  nest.scalars = {
      builder.getZeroAttr(narrow ? builder.getF32Type() : elementType)};
  nest.outputs.resize(1);
  nest.outputs[0].access = 1;
  nest.outputs[0].accumulated = true;
  nest.outputs[0].scan = op.getExclusive() ? Nest::Output::Scan::Exclusive
                                           : Nest::Output::Scan::Inclusive;
  nest.outputs[0].init = {Nest::Source::Kind::Scalar, 0};
  append(std::move(action));
  return success();
}

} // namespace tpc::lower
