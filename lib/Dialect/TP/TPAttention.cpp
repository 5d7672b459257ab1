// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which attention operations are well formed.

#include "tpc/Dialect/TP/TP.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

namespace {

/// Collects the extents of an attention from its tensors, which must agree.
class AttentionVerifier {
public:
  AttentionVerifier(Operation *op, ArrayAttr maps) : op(op), maps(maps) {}

  LogicalResult verifyCount(unsigned expected) {
    if (maps.size() == expected) // [A1]
      return success();
    return op->emitOpError("expected ")
           << expected << " maps, got " << maps.size();
  }

  /// `rows`: which rows the tensor has, queries or keys.
  LogicalResult visit(unsigned number, Value tensor, int64_t &rows) {
    AffineMap map = cast<AffineMapAttr>(maps[number]).getValue();
    auto type = cast<RankedTensorType>(tensor.getType());
    if (map.getNumDims() != 4 || map.getNumSymbols() != 0 ||
        map.getNumResults() != unsigned(type.getRank()) ||
        !map.isProjectedPermutation(/*allowZeroInResults=*/true)) // [A1]
      return op->emitOpError("expected a map of batch, head, row and feature "
                             "to the dims of ")
             << type << ", got " << AffineMapAttr::get(map);
    int64_t found[4] = {1, 1, 1, 1};
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      int64_t size = type.getDimSize(dim);
      if (auto axis = dyn_cast<AffineDimExpr>(expr))
        found[axis.getPosition()] = size;
      else if (size != 1) // [A1]
        return op->emitOpError("expected a map of all dims of ")
               << type << ", got " << AffineMapAttr::get(map);
    }
    for (auto [axis, extent] : {std::pair(0, &batch), std::pair(1, &heads),
                                std::pair(2, &rows), std::pair(3, &features)}) {
      if (*extent == 0)
        *extent = found[axis];
      if (*extent != found[axis]) // [A2]
        return op->emitOpError("expected ")
               << *extent << " along "
               << ArrayRef<StringRef>{"batch", "head", "row", "feature"}[axis]
               << " of " << type << ", got " << found[axis];
    }
    return success();
  }

  LogicalResult visitStatistics(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.getShape() == ArrayRef<int64_t>{batch, heads, queries}) // [A2]
      return success();
    return op->emitOpError("expected statistics of ")
           << batch << "x" << heads << "x" << queries << ", got " << type;
  }

  int64_t queries = 0, keys = 0;

private:
  Operation *op;
  ArrayAttr maps;
  int64_t batch = 0, heads = 0, features = 0;
};

} // namespace

LogicalResult AttentionOp::verify() {
  AttentionVerifier verifier(*this, getMaps());
  return success(succeeded(verifier.verifyCount(4)) &&
                 succeeded(verifier.visit(0, getQ(), verifier.queries)) &&
                 succeeded(verifier.visit(1, getK(), verifier.keys)) &&
                 succeeded(verifier.visit(2, getV(), verifier.keys)) &&
                 succeeded(verifier.visit(3, getOutput(), verifier.queries)) &&
                 succeeded(verifier.visitStatistics(getStatistics())));
}

LogicalResult AttentionGradOp::verify() {
  AttentionVerifier verifier(*this, getMaps());
  return success(succeeded(verifier.verifyCount(8)) &&
                 succeeded(verifier.visit(0, getQ(), verifier.queries)) &&
                 succeeded(verifier.visit(1, getK(), verifier.keys)) &&
                 succeeded(verifier.visit(2, getV(), verifier.keys)) &&
                 succeeded(verifier.visit(3, getOutput(), verifier.queries)) &&
                 succeeded(verifier.visitStatistics(getStatistics())) &&
                 succeeded(verifier.visit(4, getDoutput(), verifier.queries)) &&
                 succeeded(verifier.visit(5, getDq(), verifier.queries)) &&
                 succeeded(verifier.visit(6, getDk(), verifier.keys)) &&
                 succeeded(verifier.visit(7, getDv(), verifier.keys)));
}
