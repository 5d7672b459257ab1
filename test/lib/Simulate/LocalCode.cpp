// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one operation on all ranks before the next, so that collectives find
// what they move.

#include "LocalCode.h"
#include "Operations.h"
#include "Placements.h"
#include "tpc/Dialect/TP/TP.h"

using namespace mlir;

namespace tpc::simulate {

/// The elements at the beginning of every dim of `from`, as the box `to`.
static Piece moved(const Piece &from, const Box &to) {
  Piece piece(to);
  SmallVector<int64_t, 4> source;
  forEachIndex(to, [&](ArrayRef<int64_t> index) {
    source.clear();
    for (auto [i, target, own] : llvm::zip_equal(index, to, from.box))
      source.push_back(i - target.offset + own.offset);
    *piece.find(index) = from.read(source);
  });
  return piece;
}

void LocalCode::setBuffers(Value value, const std::vector<Piece> &pieces) {
  Box whole = wholeBox(cast<RankedTensorType>(value.getType()).getShape());
  std::vector<Piece> &own = buffers[value];
  own.clear();
  for (const Piece &piece : pieces)
    own.push_back(moved(piece, whole));
}

Piece LocalCode::takeBuffer(Value value, int64_t rank, const Box &box) const {
  return moved(buffers.find(value)->second[rank], box);
}

LogicalResult LocalCode::run(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult LocalCode::visit(Operation *op) {
  if (isa<tp::CollectiveOpInterface>(op))
    return runCollective(op);
  return compute(op);
}

std::optional<int64_t> LocalCode::askRank(Operation *op, int64_t rank) const {
  if (auto coordinate = dyn_cast<tp::CoordinateOp>(op))
    return mesh.coordinates(rank)[*mesh.find(coordinate.getAxis())];
  // The other dims of the tensor make no difference.
  auto chunkOf = [&](auto chunk) {
    SmallVector<int64_t> shape(chunk.getDim() + 1, 1);
    shape.back() = chunk.getLength();
    Placement placement = chunk.getPlacement().resolve(mesh);
    SmallVector<Placement::Entry> entries;
    for (const Placement::Entry &entry : placement.entries())
      if (entry.isShard() && entry.dim == chunk.getDim())
        entries.push_back(entry);
    return boxOf(mesh, Placement(entries), shape, rank).back();
  };
  if (auto size = dyn_cast<tp::ChunkSizeOp>(op))
    return chunkOf(size).size;
  if (auto offset = dyn_cast<tp::ChunkOffsetOp>(op))
    return chunkOf(offset).offset;
  return std::nullopt;
}

LogicalResult LocalCode::compute(Operation *op) {
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
    if (std::optional<int64_t> answer = askRank(op, rank))
      buffers[op->getResult(0)].push_back(
          Piece::ofScalar(Scalar::ofInteger(*answer)));
  if (op->getNumResults() == 1 && buffers.count(op->getResult(0)))
    return success();
  OperationEvaluator evaluator(op);
  if (failed(evaluator.prepare()))
    return failure();
  SmallVector<std::vector<Piece>> results(op->getNumResults());
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    SmallVector<Piece> pieces;
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      pieces.emplace_back(tensor ? wholeBox(tensor.getShape()) : Box());
    }
    auto lookup = [&](Value value) -> const Piece & {
      return buffers.find(value)->second[rank];
    };
    if (failed(evaluator.evaluate(lookup, pieces)))
      return failure();
    for (auto [result, piece] : llvm::zip_equal(results, pieces))
      result.push_back(std::move(piece));
  }
  exact &= evaluator.isExact();
  for (auto [result, pieces] : llvm::zip_equal(op->getResults(), results))
    buffers[result] = std::move(pieces);
  return success();
}

LogicalResult LocalCode::runCollective(Operation *op) {
  auto collective = cast<tp::CollectiveOpInterface>(op);
  SmallVector<unsigned> axes;
  for (StringRef name : collective.getAxes().getAsValueRange<StringAttr>())
    axes.push_back(*mesh.find(name));
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    tp::PartAttr part = collective.getPart(i);
    if (!part)
      return op->emitError("expected the parts of a collective on local "
                           "tensors");
    Placement from = part.getFrom().resolve(mesh);
    Placement to = part.getTo().resolve(mesh);
    std::vector<Piece> pieces;
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
      pieces.push_back(
          takeBuffer(op->getOperand(i), rank,
                     boxOf(mesh, from, part.getType().getShape(), rank)));
    setBuffers(op->getResult(i),
               move(mesh, part.getType(), pieces, from, to, axes));
  }
  return success();
}

} // namespace tpc::simulate
