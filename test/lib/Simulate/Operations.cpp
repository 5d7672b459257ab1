// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes operations on pieces of tensors.

#include "Operations.h"
#include "DataMovement.h"
#include "Indexed.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tpc::simulate {

static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> point) {
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return point[loop.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluate(binary.getLHS(), point);
  int64_t b = evaluate(binary.getRHS(), point);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return llvm::mod(a, b);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  default:
    return llvm::divideCeilSigned(a, b);
  }
}

/// The elements of a constant tensor, whatever holds them.
static DenseElementsAttr elementsOf(Attribute attr) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    return DenseElementsAttr::getFromRawBuffer(
        resource.getType(), resource.getRawHandle().getBlob()->getData());
  return dyn_cast<DenseElementsAttr>(attr);
}

static void readConstant(DenseElementsAttr constant, Piece &result) {
  ArrayRef<int64_t> shape = constant.getType().getShape();
  auto values = constant.getValues<Attribute>();
  forEachIndex(result.box, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [i, length] : llvm::zip_equal(index, shape))
      position = position * length + i;
    *result.find(index) = toScalar(values[position]);
  });
}

LogicalResult OperationEvaluator::prepare() {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return program.build(*structured.getBlock());
  bool onScalars =
      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>) &&
      llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (isDataMovement(op) || isIndexed(op) ||
      (constant && elementsOf(constant.getValue())))
    return success();
  if (onScalars && !op->getNumRegions())
    return program.build(op);
  return op->emitError("unsupported: simulation of '") << op->getName() << "'";
}

LogicalResult OperationEvaluator::checkProgram() {
  if (Operation *failing = program.failingOperation())
    return failing->emitError("unsupported: simulation of '")
           << failing->getName() << "', it has no folder";
  return success();
}

LogicalResult OperationEvaluator::evaluate(Lookup lookup,
                                           MutableArrayRef<Piece> results) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluateStructured(structured, lookup, results);
  if (isDataMovement(op)) {
    forEachIndex(results[0].box, [&](ArrayRef<int64_t> index) {
      *results[0].find(index) = readMoved(op, index, lookup);
    });
    return success();
  }
  if (isIndexed(op)) {
    computeIndexed(op, lookup, results[0]);
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (DenseElementsAttr elements = elementsOf(constant.getValue())) {
      readConstant(elements, results[0]);
      return success();
    }
  SmallVector<Scalar> arguments, values(op->getNumResults());
  for (Value operand : op->getOperands())
    arguments.push_back(lookup(operand).read({}));
  program.run(arguments, {}, values);
  for (auto [result, value] : llvm::zip_equal(results, values))
    result = Piece::ofScalar(value);
  return checkProgram();
}

/// The iterations of which all tensors are held that are read or written
/// through plain loop indices.
static Box iterationsOf(linalg::LinalgOp op, ArrayRef<const Piece *> tensors) {
  Box iterations = wholeBox(op.getStaticLoopRanges());
  for (auto [tensor, map] : llvm::zip_equal(tensors, op.getIndexingMapsArray()))
    for (auto [chunk, expr] : llvm::zip_equal(tensor->box, map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        Chunk &own = iterations[loop.getPosition()];
        own = intersect(own, chunk);
      }
  return iterations;
}

/// Leaves of `box`, read or written through `map`, what `iterations` reach.
static void restrict(Box &box, AffineMap map, const Box &iterations) {
  for (auto [chunk, expr] : llvm::zip_equal(box, map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      chunk = intersect(chunk, iterations[loop.getPosition()]);
}

LogicalResult
OperationEvaluator::evaluateStructured(linalg::LinalgOp structured,
                                       Lookup lookup,
                                       MutableArrayRef<Piece> results) {
  for (auto [index, capture] : llvm::enumerate(program.captures()))
    program.bind(index, lookup(capture).read({}));
  SmallVector<const Piece *> tensors;
  for (OpOperand &operand : structured->getOpOperands())
    tensors.push_back(
        structured.isDpsInit(&operand)
            ? &results[structured.getTiedOpResult(&operand).getResultNumber()]
            : &lookup(operand.get()));
  Box iterations = iterationsOf(structured, tensors);
  // Results accumulate into what is held of their initial values, where some
  // iteration could reach them.
  for (OpOperand &init : structured.getDpsInitsMutable()) {
    if (!structured.payloadUsesValueFromOperand(&init))
      continue;
    Piece &result =
        results[structured.getTiedOpResult(&init).getResultNumber()];
    const Piece &initial = lookup(init.get());
    Box reached = result.box;
    restrict(reached, structured.getMatchingIndexingMap(&init), iterations);
    forEachIndex(reached, [&](ArrayRef<int64_t> index) {
      *result.find(index) = initial.read(index);
    });
  }
  SmallVector<AffineMap> maps = structured.getIndexingMapsArray();
  unsigned numInputs = structured.getNumDpsInputs();
  SmallVector<Scalar> arguments(tensors.size()), values(results.size());
  SmallVector<int64_t, 4> index;
  auto indexOf = [&](unsigned tensor, ArrayRef<int64_t> point) {
    index.clear();
    for (AffineExpr expr : maps[tensor].getResults())
      index.push_back(simulate::evaluate(expr, point));
    return ArrayRef<int64_t>(index);
  };
  forEachIndex(iterations, [&](ArrayRef<int64_t> point) {
    for (unsigned i = 0; i < tensors.size(); ++i)
      arguments[i] = tensors[i]->read(indexOf(i, point));
    program.run(arguments, point, values);
    for (auto [i, value] : llvm::enumerate(values))
      if (Scalar *target = results[i].find(indexOf(numInputs + i, point)))
        *target = value;
  });
  return checkProgram();
}

} // namespace tpc::simulate
