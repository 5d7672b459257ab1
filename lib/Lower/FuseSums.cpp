// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes sums of a matrix's rows, which are gradients of biases above all, part
// of a matmul call that reads or writes the matrix anyway.
#include "Epilogue.h"
#include "FuseActivations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Lower/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpc::lower {

namespace {

/// The tensor behind reshapes and copies that only widen.
Value behindWidening(Value value) {
  while (true) {
    value = behindReshapes(value);
    auto generic = value.getDefiningOp<linalg::GenericOp>();
    if (!generic || generic.getNumDpsInputs() != 1 ||
        generic->getNumResults() != 1 ||
        !llvm::all_of(generic.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }))
      return value;
    auto extension = generic.getBody()
                         ->getTerminator()
                         ->getOperand(0)
                         .getDefiningOp<arith::ExtFOp>();
    if (!extension || extension.getIn() != generic.getBody()->getArgument(0))
      return value;
    value = generic.getInputs()[0];
  }
}

/// The length of the rows of `generic`'s input, when it adds those up and
/// nothing else.
std::optional<int64_t> matchRowSum(linalg::GenericOp generic) {
  if (generic.getNumDpsInputs() != 1 || generic->getNumResults() != 1 ||
      generic.getNumReductionLoops() == 0 || generic->hasAttr(kEpilogue))
    return std::nullopt;
  Block *body = generic.getBody();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value in = body->getArgument(0), out = body->getArgument(1);
  if (!sum || !((sum.getLhs() == out && stripExtension(sum.getRhs()) == in) ||
                (sum.getRhs() == out && stripExtension(sum.getLhs()) == in)))
    return std::nullopt;
  if (!startsFromZero(generic))
    return std::nullopt;
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  if (!maps[0].isPermutation() || !maps[1].isProjectedPermutation())
    return std::nullopt;
  // Parallel loops run along the rows in the order of the result.
  SmallVector<int64_t> extents = generic.getStaticLoopRanges();
  auto stridesOf = [&](AffineMap map) {
    SmallVector<int64_t> strides(extents.size(), 0);
    int64_t stride = 1;
    for (unsigned dim = map.getNumResults(); dim-- > 0;) {
      strides[map.getDimPosition(dim)] = stride;
      stride *= extents[map.getDimPosition(dim)];
    }
    return strides;
  };
  SmallVector<int64_t> inStrides = stridesOf(maps[0]);
  SmallVector<int64_t> outStrides = stridesOf(maps[1]);
  int64_t length = 1;
  for (auto [extent, stride] : llvm::zip_equal(extents, outStrides))
    length *= stride ? extent : 1;
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (extent == 1)
      continue;
    bool isKept = maps[1].isFunctionOfDim(loop);
    if (isKept ? inStrides[loop] != outStrides[loop] : inStrides[loop] < length)
      return std::nullopt;
  }
  return length;
}

/// The only user of `value`, when that rounds it to `type`.
linalg::GenericOp roundedBy(Value value, Type type) {
  if (!value.hasOneUse())
    return {};
  auto generic = dyn_cast<linalg::GenericOp>(*value.user_begin());
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic->getNumResults() != 1 ||
      getElementTypeOrSelf(generic.getResult(0)) != type ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  auto rounding = generic.getBody()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::TruncFOp>();
  return rounding && rounding.getIn() == generic.getBody()->getArgument(0)
             ? generic
             : linalg::GenericOp();
}

/// All contractions that read `matrix`, or whose consumer it is the result of.
SmallVector<linalg::GenericOp> callsOf(Value matrix) {
  llvm::SetVector<Value> names;
  names.insert(matrix);
  llvm::SetVector<Operation *> calls;
  if (auto maker = matrix.getDefiningOp<linalg::GenericOp>())
    if (maker->hasAttr(kEpilogue))
      for (Value input : maker.getInputs())
        if (auto product = input.getDefiningOp<linalg::GenericOp>();
            product && fusedConsumer(product) == maker)
          calls.insert(product);
  for (unsigned next = 0; next < names.size(); ++next)
    for (Operation *user : names[next].getUsers()) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        names.insert(user->getResult(0));
      else if (auto generic = dyn_cast<linalg::GenericOp>(user);
               generic && matchContraction(generic))
        calls.insert(generic);
    }
  return llvm::map_to_vector(
      calls, [](Operation *op) { return cast<linalg::GenericOp>(op); });
}

/// A marked sum over the rows of [count, length].
Value makeSum(IRRewriter &rewriter, Location loc, Value matrix, int64_t length,
              Type type, int32_t flag, Attribute phase) {
  int64_t count =
      cast<RankedTensorType>(matrix.getType()).getNumElements() / length;
  Value rows = reshape(rewriter, matrix, {count, length});
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getFloatAttr(type, 0));
  Value empty = tensor::EmptyOp::create(rewriter, loc, {length}, type);
  Value init = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  MLIRContext *context = rewriter.getContext();
  AffineMap maps[] = {AffineMap::getMultiDimMapWithTargets(2, {1, 0}, context),
                      AffineMap::getMultiDimMapWithTargets(2, {0}, context)};
  utils::IteratorType loops[] = {utils::IteratorType::parallel,
                                 utils::IteratorType::reduction};
  auto sum = linalg::GenericOp::create(
      rewriter, loc, init.getType(), rows, init, maps, loops,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        Type wide = builder.getF32Type();
        SmallVector<Value> terms = {args[1], args[0]};
        for (Value &term : terms)
          if (term.getType() != wide)
            term = arith::ExtFOp::create(builder, bodyLoc, wide, term);
        Value value =
            arith::AddFOp::create(builder, bodyLoc, terms[0], terms[1]);
        if (type != wide)
          value = arith::TruncFOp::create(builder, bodyLoc, type, value);
        linalg::YieldOp::create(builder, bodyLoc, value);
      });
  sum->setAttr(kEpilogue, rewriter.getI32IntegerAttr(flag));
  if (phase)
    sum->setAttr("tp.phase", phase);
  return sum.getResult(0);
}

} // namespace

void fuseSum(linalg::GenericOp sum, IRRewriter &rewriter) {
  std::optional<int64_t> length = matchRowSum(sum);
  if (!length)
    return;
  Value matrix = behindWidening(sum.getInputs()[0]);
  for (linalg::GenericOp product : callsOf(matrix)) {
    if (product->getBlock() != sum->getBlock())
      continue;
    std::optional<FusedMatmul> call = matchCall(product);
    if (!call)
      continue;
    int32_t flag = matchSum(product, *call, matrix, *length);
    linalg::GenericOp consumer = fusedConsumer(product);
    linalg::GenericOp last = consumer ? consumer : product;
    if (!flag || findSum(product, *call))
      continue;
    // The call is as late as its consumer, and the sums are there behind it.
    Type type = getElementTypeOrSelf(last.getResult(0));
    linalg::GenericOp end = sum;
    if (getElementTypeOrSelf(sum.getResult(0)) != type)
      end = roundedBy(sum.getResult(0), type);
    if (!end || !llvm::all_of(end->getUsers(), [&](Operation *user) {
          Operation *ancestor = sum->getBlock()->findAncestorOpInBlock(*user);
          return ancestor && last->isBeforeInBlock(ancestor);
        }))
      continue;
    rewriter.setInsertionPointAfter(last);
    Value made = makeSum(rewriter, sum.getLoc(), matrix, *length, type, flag,
                         sum->getAttr("tp.phase"));
    rewriter.replaceOp(
        end,
        reshape(rewriter, made,
                cast<RankedTensorType>(end.getResult(0).getType()).getShape()));
    if (end != sum)
      rewriter.eraseOp(sum);
    return;
  }
}

} // namespace tpc::lower
