// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes gathers, scatters and cumulative sums on pieces of tensors.
//
// Along a dim at an index what is not held counts as zero, and what would be
// added to it is dropped: that is how a chunk of the dim takes part in a sum.

#include "Indexed.h"
#include "tpc/Dialect/TP/TP.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tpc::simulate {

using Index = SmallVector<int64_t, 4>;

namespace {
/// Where an indexed operation reads or writes at a point of its loops.
struct Place {
  Index index;
  /// An index is not held.
  bool isUndefined = false;
  /// An index is below zero or beyond its dim.
  bool isOutside = false;
};
} // namespace

static Index applyLoops(AffineMap map, ArrayRef<int64_t> loops) {
  Index index;
  for (AffineExpr expr : map.getResults())
    index.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
  return index;
}

static Place placeOf(tp::IndexedOpInterface op, ArrayRef<int64_t> loops,
                     Lookup lookup) {
  Place place;
  auto type = cast<RankedTensorType>(op.getIndexed().getType());
  for (auto [dim, expr] : llvm::enumerate(op.getIndexedMap().getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      place.index.push_back(loops[loop.getPosition()]);
      continue;
    }
    unsigned number = cast<AffineSymbolExpr>(expr).getPosition();
    Scalar index = lookup(op.getIndices()[number])
                       .read(applyLoops(op.getIndexMap(number), loops));
    place.isUndefined |= !index.defined;
    place.isOutside |=
        index.integer < 0 || index.integer >= type.getDimSize(dim);
    place.index.push_back(index.integer);
  }
  return place;
}

/// The chunk of each loop along which `piece` is read by `map`.
static void restrict(Box &loops, AffineMap map, const Piece &piece) {
  for (auto [chunk, expr] : llvm::zip_equal(piece.box, map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      Chunk &own = loops[loop.getPosition()];
      own = intersect(own, chunk);
    }
}

static Scalar zeroOf(Type type) {
  return neutral(Reduction::Sum, getElementTypeOrSelf(type));
}

static void gather(tp::GatherOp gather, Lookup lookup, Piece &result) {
  auto op = cast<tp::IndexedOpInterface>(gather.getOperation());
  const Piece &source = lookup(gather.getSource());
  Box loops = result.box;
  restrict(loops, op.getIndexedMap(), source);
  forEachIndex(loops, [&](ArrayRef<int64_t> point) {
    Place place = placeOf(op, point, lookup);
    if (place.isUndefined)
      return;
    const Scalar *own = place.isOutside ? nullptr : source.find(place.index);
    *result.find(point) = own ? *own : zeroOf(gather.getType());
  });
}

static void scatter(tp::ScatterOp scatter, Lookup lookup, Piece &result) {
  auto op = cast<tp::IndexedOpInterface>(scatter.getOperation());
  Type element = scatter.getType().getElementType();
  const Piece &updates = lookup(scatter.getUpdates());
  const Piece &init = lookup(scatter.getInit());
  Box loops = updates.box;
  restrict(loops, op.getIndexedMap(), result);
  // What no update could reach is not this rank's to tell.
  Box reached = result.box;
  for (auto [chunk, expr] :
       llvm::zip_equal(reached, op.getIndexedMap().getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      chunk = intersect(chunk, loops[loop.getPosition()]);
  forEachIndex(reached, [&](ArrayRef<int64_t> index) {
    *result.find(index) = init.read(index);
  });
  bool isUndefined = false;
  forEachIndex(loops, [&](ArrayRef<int64_t> point) {
    Place place = placeOf(op, point, lookup);
    isUndefined |= place.isUndefined;
    if (place.isUndefined || place.isOutside)
      return;
    if (Scalar *target = result.find(place.index))
      *target = combine(Reduction::Sum, *target, updates.read(point), element);
  });
  // An update at an unknown place may be an update of any element.
  if (isUndefined)
    result = Piece(result.box);
}

static void cumulate(tp::CumsumOp op, Lookup lookup, Piece &result) {
  const Piece &input = lookup(op.getInput());
  unsigned dim = op.getDim();
  int64_t length = op.getType().getDimSize(dim);
  Type element = op.getType().getElementType();
  forEachIndex(result.box, [&](ArrayRef<int64_t> index) {
    Scalar sum = zeroOf(element);
    Index source(index);
    int64_t begin = op.getReverse() ? index[dim] + op.getExclusive() : 0;
    int64_t end = op.getReverse() ? length : index[dim] + !op.getExclusive();
    for (source[dim] = begin; source[dim] < end; ++source[dim])
      sum = combine(Reduction::Sum, sum, input.read(source), element);
    *result.find(index) = sum;
  });
}

bool isIndexed(Operation *op) {
  return isa<tp::GatherOp, tp::ScatterOp, tp::CumsumOp>(op);
}

void computeIndexed(Operation *operation, Lookup lookup, Piece &result) {
  TypeSwitch<Operation *>(operation)
      .Case([&](tp::GatherOp op) { gather(op, lookup, result); })
      .Case([&](tp::ScatterOp op) { scatter(op, lookup, result); })
      .Case([&](tp::CumsumOp op) { cumulate(op, lookup, result); });
}

} // namespace tpc::simulate
