// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits long reductions with few results into two, so that threads can share
// the first. The number of parts follows from the shape alone: the same program
// gives the same bits on any number of threads.
#include "Contraction.h"
#include "EmitPoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

/// Shorter reductions are not worth a second kernel.
constexpr int64_t kMinPoints = 1 << 16;

/// What a split is worth depends on who shares the work.
struct Limits {
  /// Enough independent parts of the result, where rows or columns are summed.
  int64_t enoughRows, enoughColumns;
  int64_t maxParts;
  /// Columns summed by one unit.
  int64_t columns;
  /// No part is of less elements.
  int64_t minPart;
};

/// The threads of a rank (see KernelSchedule.cpp), and the blocks of a GPU (see
/// DeviceSchedule.cpp), where rows that a group of kernels may share stay
/// whole.
constexpr Limits kThreads = {8, 8, 32, 256, 1};
constexpr Limits kBlocks = {32, 128, 256, 32, 64};

struct Split {
  unsigned dim;
  int64_t parts;
  Operation *combiner;
  TypedAttr neutral;
};

int64_t largestDivisor(int64_t number, int64_t limit) {
  for (int64_t divisor = std::min(number, limit); divisor > 1; --divisor)
    if (number % divisor == 0)
      return divisor;
  return 1;
}

std::optional<Split> chooseSplit(linalg::GenericOp op, const Limits &limits) {
  if (op.getNumReductionLoops() == 0 || op->getNumResults() != 1 ||
      op.getNumDpsInputs() == 0 || op->hasAttr(kEpilogue) ||
      lower::matchContraction(op))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  if (points < kMinPoints)
    return std::nullopt;

  // The largest input says whether rows or columns are summed.
  AffineMap widest = maps[0];
  for (AffineMap map : ArrayRef(maps).drop_back())
    if (map.getNumResults() > widest.getNumResults())
      widest = map;
  int64_t units = 1, enough = limits.enoughRows;
  for (unsigned result = 0; result < widest.getNumResults(); ++result) {
    unsigned dim = widest.getDimPosition(result);
    if (!maps.back().isFunctionOfDim(dim))
      continue;
    bool isLast = result + 1 == widest.getNumResults();
    units *=
        isLast ? llvm::divideCeil(extents[dim], limits.columns) : extents[dim];
    if (isLast)
      enough = limits.enoughColumns;
  }
  if (units >= enough)
    return std::nullopt;

  Block *body = op.getBody();
  Operation *combiner = lower::findJoin(body->getArguments().back(),
                                        body->getTerminator()->getOperand(0));
  if (!combiner || combiner->getNumOperands() != 2)
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (!neutral)
    return std::nullopt;
  // The outermost reduction in memory that divides well.
  for (unsigned dim : llvm::map_range(widest.getResults(), [](AffineExpr expr) {
         return cast<AffineDimExpr>(expr).getPosition();
       })) {
    if (maps.back().isFunctionOfDim(dim))
      continue;
    int64_t parts = largestDivisor(
        extents[dim], std::min(limits.maxParts, extents[dim] / limits.minPart));
    if (parts >= 4)
      return Split{dim, parts, combiner, *neutral};
  }
  return std::nullopt;
}

/// `value` with its dim `dim` cut in `parts`.
Value expandDim(OpBuilder &builder, Location loc, Value value, int64_t dim,
                int64_t parts) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (int64_t index = 0; index < type.getRank(); ++index) {
    ReassociationIndices group = {int64_t(shape.size())};
    int64_t size = type.getDimSize(index);
    if (index == dim) {
      shape.push_back(parts);
      group.push_back(shape.size());
      size /= parts;
    }
    shape.push_back(size);
    groups.push_back(group);
  }
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups);
}

void applySplit(linalg::GenericOp op, const Split &split,
                IRRewriter &rewriter) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  rewriter.setInsertionPoint(op);
  unsigned numDims = op.getNumLoops();
  AffineExpr part = getAffineDimExpr(numDims, context);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (auto [input, map] :
       llvm::zip(op.getInputs(), op.getIndexingMapsArray())) {
    SmallVector<AffineExpr> results;
    Value operand = input;
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      if (expr == getAffineDimExpr(split.dim, context)) {
        operand = expandDim(rewriter, loc, input, position, split.parts);
        results.push_back(part);
      }
      results.push_back(expr);
    }
    inputs.push_back(operand);
    maps.push_back(AffineMap::get(numDims + 1, 0, results, context));
  }
  Value init = op.getOutputs()[0];
  auto resultType = cast<RankedTensorType>(init.getType());
  SmallVector<AffineExpr> results = {part};
  llvm::append_range(results, op.getIndexingMapsArray().back().getResults());
  maps.push_back(AffineMap::get(numDims + 1, 0, results, context));
  SmallVector<int64_t> shape = {split.parts};
  llvm::append_range(shape, resultType.getShape());

  Value neutral = arith::ConstantOp::create(rewriter, loc, split.neutral);
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape,
                                        resultType.getElementType());
  Value start =
      linalg::FillOp::create(rewriter, loc, neutral, empty).getResult(0);
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  loops.push_back(utils::IteratorType::parallel);
  auto first = linalg::GenericOp::create(rewriter, loc, start.getType(), inputs,
                                         start, maps, loops);
  first.getRegion().takeBody(op.getRegion());
  // Indices of the split dim count from the start of the whole.
  SmallVector<linalg::IndexOp> indices = llvm::filter_to_vector(
      first.getBody()->getOps<linalg::IndexOp>(),
      [&](linalg::IndexOp index) { return index.getDim() == split.dim; });
  int64_t partSize = first.getStaticLoopRanges()[split.dim];
  for (linalg::IndexOp index : indices) {
    rewriter.setInsertionPointAfter(index);
    Value number = linalg::IndexOp::create(rewriter, loc, numDims);
    Value size = arith::ConstantIndexOp::create(rewriter, loc, partSize);
    Value offset = arith::MulIOp::create(rewriter, loc, number, size);
    Value whole = arith::AddIOp::create(rewriter, loc, offset, index);
    rewriter.replaceAllUsesExcept(index.getResult(), whole,
                                  whole.getDefiningOp());
  }

  rewriter.setInsertionPointAfter(first);
  unsigned rank = resultType.getRank();
  SmallVector<AffineExpr> kept;
  for (unsigned dim = 0; dim < rank; ++dim)
    kept.push_back(getAffineDimExpr(dim + 1, context));
  SmallVector<utils::IteratorType> joinLoops = {utils::IteratorType::reduction};
  joinLoops.append(rank, utils::IteratorType::parallel);
  auto second = linalg::GenericOp::create(
      rewriter, loc, resultType, first.getResult(0), init,
      ArrayRef<AffineMap>{AffineMap::getMultiDimIdentityMap(rank + 1, context),
                          AffineMap::get(rank + 1, 0, kept, context)},
      joinLoops, [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        Operation *join = builder.clone(*split.combiner);
        join->setOperands({args[1], args[0]});
        linalg::YieldOp::create(builder, bodyLoc, join->getResults());
      });
  rewriter.replaceOp(op, second.getResults());
}

class SplitReductions : public impl::SplitReductionsPassBase<SplitReductions> {
public:
  using SplitReductionsPassBase::SplitReductionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    const Limits &limits = target == "cuda" ? kBlocks : kThreads;
    SmallVector<linalg::GenericOp> generics;
    getOperation()->walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      if (std::optional<Split> split = chooseSplit(op, limits))
        applySplit(op, *split, rewriter);
  }
};

} // namespace
} // namespace tpc
