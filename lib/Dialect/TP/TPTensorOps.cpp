// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which gathers, scatters and scans are well formed.

#include "tpc/Dialect/TP/TP.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

//===- Gather and scatter -------------------------------------------------===//

namespace {
/// Checks that the dims that are loops agree, tensor by tensor.
class LoopVerifier {
public:
  LoopVerifier(Operation *op, RankedTensorType elements)
      : op(op), loops(elements.getShape()), used(loops.size()) {}

  /// The results of `map` are distinct loops, or symbols where it has them, of
  /// the size of the dim of `tensor` they stand for. `what` names the tensor.
  LogicalResult visit(AffineMap map, Type tensor, const Twine &what) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor).getShape();
    if (map.getNumDims() != loops.size()) // [I1]
      return op->emitOpError("expected a map of ")
             << loops.size() << " loops for " << what << ", got "
             << AffineMapAttr::get(map);
    if (map.getNumResults() != shape.size()) // [I1]
      return op->emitOpError("expected a map to the ")
             << shape.size() << " dims of " << what << ", got "
             << AffineMapAttr::get(map);
    llvm::SmallBitVector seen(map.getNumInputs());
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      auto symbol = dyn_cast<AffineSymbolExpr>(expr);
      unsigned input = loop     ? loop.getPosition()
                       : symbol ? map.getNumDims() + symbol.getPosition()
                                : 0;
      if ((!loop && !symbol) || seen.test(input)) // [I2], [I3]
        return op->emitOpError("expected distinct loops ")
               << (map.getNumSymbols() ? "and indices " : "")
               << "as the dims of " << what << ", got "
               << AffineMapAttr::get(map);
      seen.set(input);
      if (!loop)
        continue;
      used.set(loop.getPosition());
      if (shape[dim] != loops[loop.getPosition()]) // [I5]
        return op->emitOpError("expected dim ")
               << dim << " of " << what << " to have the "
               << loops[loop.getPosition()] << " elements of loop "
               << loop.getPosition() << ", got " << shape[dim];
    }
    for (unsigned s = 0, e = map.getNumSymbols(); s < e; ++s)
      if (!seen.test(map.getNumDims() + s)) // [I2]
        return op->emitOpError("expected index ")
               << s << " to be a dim of " << what << ", got "
               << AffineMapAttr::get(map);
    return success();
  }

  /// [I4]
  LogicalResult finish() {
    int unused = used.find_first_unset();
    if (unused < 0)
      return success();
    return op->emitOpError("expected every loop in some map, got none with "
                           "loop ")
           << unused;
  }

private:
  Operation *op;
  ArrayRef<int64_t> loops;
  llvm::SmallBitVector used;
};
} // namespace

LogicalResult tpc::tp::detail::verifyIndexed(Operation *raw) {
  auto op = cast<IndexedOpInterface>(raw);
  size_t numIndices = op.getIndices().size();
  if (numIndices == 0) // [I6]
    return op->emitOpError("expected an index, got none");
  if (op.getMaps().size() != numIndices + 1) // [I1]
    return op->emitOpError("expected ")
           << numIndices + 1 << " maps, one more than indices, got "
           << op.getMaps().size();
  auto indexed = cast<RankedTensorType>(op.getIndexed().getType());
  auto elements = cast<RankedTensorType>(op.getElements().getType());
  if (indexed.getElementType() != elements.getElementType()) // [I7]
    return op->emitOpError("expected one element type, got ")
           << indexed.getElementType() << " and " << elements.getElementType();
  LoopVerifier loops(op, elements);
  AffineMap map = op.getIndexedMap();
  if (map.getNumSymbols() != numIndices) // [I1]
    return op->emitOpError("expected a first map with a symbol for each of ")
           << numIndices << " indices, got " << AffineMapAttr::get(map);
  if (failed(loops.visit(map, indexed, "the indexed tensor")))
    return failure();
  for (auto [number, index] : llvm::enumerate(op.getIndices())) {
    AffineMap indexMap = op.getIndexMap(number);
    if (indexMap.getNumSymbols() != 0) // [I1]
      return op->emitOpError("expected a map without symbols for index ")
             << number << ", got " << AffineMapAttr::get(indexMap);
    if (failed(
            loops.visit(indexMap, index.getType(), "index " + Twine(number))))
      return failure();
  }
  return loops.finish();
}

Value GatherOp::getIndexed() { return getSource(); }
Value GatherOp::getElements() { return getResult(); }

Value ScatterOp::getIndexed() { return getInit(); }
Value ScatterOp::getElements() { return getUpdates(); }

LogicalResult ScatterOp::verify() {
  RankedTensorType init = withPlacement(getInit().getType(), {});
  RankedTensorType result = withPlacement(getType(), {});
  if (init == result)
    return success();
  return emitOpError("expected an init of the type of the result, got ") // [I8]
         << init << " and " << result;
}

//===- Scans and maxima ---------------------------------------------------===//

/// [A1]
static LogicalResult verifyDim(Operation *op, RankedTensorType type,
                               int64_t dim) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return op->emitOpError("expected a dim of ")
         << withPlacement(type, {}) << ", got " << dim;
}

LogicalResult CumsumOp::verify() {
  return verifyDim(*this, getInput().getType(), getDim());
}

LogicalResult ArgmaxOp::verify() {
  RankedTensorType input = getInput().getType();
  int64_t dim = getDim();
  if (failed(verifyDim(*this, input, dim)))
    return failure();
  if (input.getDimSize(dim) == 0) // [A2]
    return emitOpError("expected elements along dim ") << dim << ", got none";
  SmallVector<int64_t> shape(input.getShape());
  shape.erase(shape.begin() + dim);
  auto expected = RankedTensorType::get(shape, input.getElementType());
  RankedTensorType values = withPlacement(getValues().getType(), {});
  RankedTensorType indices = withPlacement(getIndices().getType(), {});
  if (values != expected || indices.getShape() != ArrayRef(shape)) // [A3]
    return emitOpError("expected values of type ")
           << expected << " and indices of their shape, got " << values
           << " and " << indices;
  return success();
}
