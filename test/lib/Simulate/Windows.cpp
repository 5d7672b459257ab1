// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes every element of a window from where the operation says it lies.

#include "Windows.h"
#include "Placements.h"

using namespace mlir;

namespace tpc::simulate {

using Index = SmallVector<int64_t, 4>;

/// Where the element at `index` of the result lies in the operand; nothing
/// outside of it.
static std::optional<Index> sourceOf(tp::WindowOp op, unsigned number,
                                     ArrayRef<int64_t> index,
                                     ArrayRef<int64_t> from,
                                     ArrayRef<int64_t> to) {
  if (from.size() != to.size()) {
    // One sequence of elements, row-major.
    int64_t position = 0;
    for (auto [i, length] : llvm::zip_equal(index, to))
      position = position * length + i;
    Index source(from.size());
    for (size_t dim = from.size(); dim-- > 0; position /= from[dim])
      source[dim] = position % from[dim];
    return source;
  }
  Index source(index);
  auto offsets = cast<DenseI64ArrayAttr>(op.getOffsets()[number]);
  for (auto [dim, at] : llvm::enumerate(source)) {
    if (op.getBlocks()) {
      ArrayRef<int64_t> blocks =
          cast<DenseI64ArrayAttr>((*op.getBlocks())[number]);
      if (int64_t block = blocks[2 * dim])
        at = at / block * blocks[2 * dim + 1] + at % block;
    }
    at += offsets[dim];
    if (at < 0 || at >= from[dim])
      return std::nullopt;
  }
  return source;
}

void moveWindow(tp::WindowOp op, unsigned index, const Mesh &mesh,
                const Held &operand, Held &result) {
  result.exact = operand.exact;
  result.global = Piece(wholeBox(result.shape()));
  auto source = [&](ArrayRef<int64_t> at) {
    return sourceOf(op, index, at, operand.shape(), result.shape());
  };
  forEachIndex(result.global.box, [&](ArrayRef<int64_t> at) {
    if (std::optional<Index> from = source(at))
      *result.global.find(at) = operand.global.read(*from);
  });
  // A rank reads of those that it shares its coordinates with on all axes but
  // those of the window; on an axis that becomes partial only of itself.
  bool keepsOwn = false;
  SmallVector<unsigned> axes;
  for (StringRef name : op.getAxes().getAsValueRange<StringAttr>()) {
    unsigned axis = *mesh.find(name);
    bool becomesPartial =
        result.placement.isPartial(axis) && !operand.placement.isPartial(axis);
    keepsOwn |= becomesPartial;
    if (!becomesPartial)
      axes.push_back(axis);
  }
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    Piece piece(boxOf(mesh, result.placement, result.shape(), rank));
    forEachIndex(piece.box, [&](ArrayRef<int64_t> at) {
      std::optional<Index> from = source(at);
      Scalar &element = *piece.find(at);
      if (keepsOwn)
        element = neutral(Reduction::Sum, result.elementType());
      if (!from)
        return;
      for (int64_t other : mesh.group(rank, axes))
        if (const Scalar *found = operand.ranks[other].find(*from)) {
          element = *found;
          return;
        }
    });
    result.ranks.push_back(std::move(piece));
  }
}

} // namespace tpc::simulate
