// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding rules of operations that cut and join tensors. A dim that is really
// cut carries no factor: along it the operation has moves, and fetches itself
// what a rank lacks (Windows.h). A dim cut with a stride or at a place that is
// not known is never sharded.

#include "LinalgBody.h"
#include "LinalgHalo.h"
#include "StaticSharding.h"
#include "Windows.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

/// Concatenations of more operands are not offered every choice of operands to
/// be sharded.
static constexpr size_t kMaxOperandChoices = 3;

/// Sharded dims have two elements or more.
static constexpr int64_t kLeastSharded = 2;

/// The dims of a big and a small tensor where the small one is the part of the
/// big one at `offsets`, possibly of lower rank. Dims that are not cut share a
/// factor.
static LogicalResult
addSliceDims(Operation *op, ShardingRule &rule, ArrayRef<int64_t> shape,
             ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
             ArrayRef<OpFoldResult> strides,
             const llvm::SmallBitVector &dropped, ShardingRule::Tensor &big,
             ShardingRule::Tensor &small) {
  for (auto [d, extent] : llvm::enumerate(shape)) {
    std::optional<int64_t> size = getConstantIntValue(sizes[d]);
    std::optional<int64_t> stride = getConstantIntValue(strides[d]);
    if (!size || !stride)
      return op->emitOpError("unsupported: size or stride of dim ")
             << d << " is not a constant";
    bool whole = isConstantIntValue(offsets[d], 0) && *size == extent &&
                 *stride == 1 && !dropped.test(d);
    ShardingRule::Dim dim;
    if (whole)
      dim.push_back(addFactor(rule, extent));
    big.push_back(dim);
    if (!dropped.test(d))
      small.push_back(dim);
  }
  return success();
}

/// A move that shards nothing yet.
static ShardingRule::Move startMove(Operation *op, int64_t size) {
  ShardingRule::Move move;
  move.operands.assign(op->getNumOperands(), -1);
  move.results.assign(1, -1);
  move.size = size;
  return move;
}

static bool shardsUnitDim(const Window &window) {
  for (auto [number, dim] : llvm::enumerate(window.dims))
    if (std::max(dim.source, dim.result) == 1 &&
        !(window.from.shardAxes(number).empty() &&
          window.to.shardAxes(number).empty()))
      return true;
  return false;
}

/// The bytes of `windows`. Where a tensor lacks dims, none of one element may
/// be sharded: no reshape says which of them it was.
static void setOwnSteps(ShardingRule &rule,
                        SmallVector<OperandWindow, 2> windows) {
  rule.ownSteps = [windows = std::move(windows)](const Mesh &mesh,
                                                 ArrayRef<Placement> operands,
                                                 ArrayRef<Placement> results)
      -> std::optional<ShardingRule::OwnSteps> {
    SmallVector<std::pair<Window, int64_t>, 0> placed;
    for (const OperandWindow &operand : windows) {
      Window window = operand.place(operands[operand.operand], results[0]);
      if (!isNeeded(window))
        continue;
      if (operand.lacksDims() && shardsUnitDim(window))
        return std::nullopt;
      if (!operand.isZero)
        placed.emplace_back(std::move(window), operand.elementBytes);
    }
    return getOwnSteps(mesh, placed);
  };
}

/// The same for an operation with one window, whose bytes are its share of what
/// it exchanges together with its siblings.
static void setOwnSteps(ShardingRule &rule, Siblings siblings) {
  rule.ownSteps = [siblings = std::move(siblings)](const Mesh &mesh,
                                                   ArrayRef<Placement> operands,
                                                   ArrayRef<Placement> results)
      -> std::optional<ShardingRule::OwnSteps> {
    const OperandWindow &own = siblings.windows[siblings.own];
    auto place = [&](const OperandWindow &window) {
      return window.place(operands[window.operand], results[0]);
    };
    Window window = place(own);
    if (!isNeeded(window) || own.isZero)
      return ShardingRule::OwnSteps();
    if (own.lacksDims() && shardsUnitDim(window))
      return std::nullopt;
    std::optional<ShardingRule::OwnSteps> steps =
        getOwnSteps(mesh, {{window, own.elementBytes}});
    if (!steps || steps->empty() || siblings.windows.size() == 1)
      return steps;
    std::vector<int64_t> received(mesh.numRanks(), 0);
    int64_t before = 0, behind = 0, all = 0;
    for (auto [number, sibling] : llvm::enumerate(siblings.windows)) {
      if (number == siblings.own)
        before = all;
      Window other = place(sibling);
      if (!findFault(mesh, other))
        for (auto [sum, lacking] :
             llvm::zip_equal(received, lackingElements(mesh, other))) {
          sum += lacking * sibling.elementBytes;
          all += lacking * sibling.elementBytes;
        }
      if (number == siblings.own)
        behind = all;
    }
    // Shares that add up to the whole.
    double most = *llvm::max_element(received);
    int64_t share = int64_t(most * behind / all) - int64_t(most * before / all);
    steps->front().bytes = {share, share};
    return steps;
  };
}

/// False for elements that are not added up.
static bool hasSums(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() && !element.isInteger(1);
}

namespace {

struct ExtractSliceSharding
    : StaticSharding<ExtractSliceSharding, tensor::ExtractSliceOp> {
  static LogicalResult build(tensor::ExtractSliceOp op, ShardingRule &rule) {
    rule.linear.push_back({0});
    if (failed(addSliceDims(op, rule, shapeOf(op.getSource()),
                            op.getMixedOffsets(), op.getMixedSizes(),
                            op.getMixedStrides(), op.getDroppedDims(),
                            rule.operands[0], rule.results.emplace_back())))
      return failure();
    SmallVector<OperandWindow, 2> windows = getWindows(op);
    for (auto [d, dim] : llvm::enumerate(windows[0].dims)) {
      if (!windows[0].moves(d) || dim.source < kLeastSharded)
        continue;
      // To the rank whose chunk it is; to all; or every rank keeps its part.
      if (windows[0].resultDims[d] >= 0 && dim.result >= kLeastSharded) {
        rule.moves.push_back(startMove(op, dim.result));
        rule.moves.back().operands[0] = d;
        rule.moves.back().results[0] = windows[0].resultDims[d];
      }
      rule.moves.push_back(startMove(op, dim.source));
      rule.moves.back().operands[0] = d;
      if (hasSums(op.getType())) {
        rule.moves.push_back(rule.moves.back());
        rule.moves.back().partial = true;
      }
    }
    setOwnSteps(rule, getSiblings(op));
    return success();
  }
};

struct InsertSliceSharding
    : StaticSharding<InsertSliceSharding, tensor::InsertSliceOp> {
  static LogicalResult build(tensor::InsertSliceOp op, ShardingRule &rule) {
    if (failed(addSliceDims(op, rule, shapeOf(op.getDest()),
                            op.getMixedOffsets(), op.getMixedSizes(),
                            op.getMixedStrides(), op.getDroppedDims(),
                            rule.operands[1], rule.operands[0])))
      return failure();
    rule.results.push_back(rule.operands[1]);
    // Zeros are a sum of zeros too, and may be replicated.
    if (isKnownZero(op.getDest()))
      rule.linear.push_back({0});
    else if (isKnownZero(op.getSource()))
      rule.linear.push_back({1});
    rule.linear.push_back({0, 1});
    SmallVector<OperandWindow, 2> windows = getWindows(op);
    for (const OperandWindow &window : windows)
      for (auto [d, dim] : llvm::enumerate(window.dims)) {
        if (!window.moves(d) || dim.result < kLeastSharded)
          continue;
        // What is inserted is sharded too, or every rank has all of it.
        rule.moves.push_back(startMove(op, dim.result));
        rule.moves.back().operands[1] = d;
        rule.moves.back().results[0] = d;
        if (window.operandDims[d] < 0 || dim.source < kLeastSharded)
          continue;
        rule.moves.push_back(rule.moves.back());
        rule.moves.back().operands[0] = window.operandDims[d];
      }
    setOwnSteps(rule, getSiblings(op));
    return success();
  }
};

struct PadSharding : StaticSharding<PadSharding, tensor::PadOp> {
  static LogicalResult build(tensor::PadOp op, ShardingRule &rule) {
    Value value = op.getConstantPaddingValue();
    if (!value)
      return op->emitOpError("unsupported: padding that is not one value");
    rule.results.emplace_back();
    for (auto [d, extent] : llvm::enumerate(shapeOf(op.getSource()))) {
      ShardingRule::Dim dim;
      if (isConstantIntValue(op.getMixedLowPad()[d], 0) &&
          isConstantIntValue(op.getMixedHighPad()[d], 0))
        dim.push_back(addFactor(rule, extent));
      rule.operands[0].push_back(dim);
      rule.results[0].push_back(dim);
    }
    if (isKnownZero(value))
      rule.linear.push_back({0});
    SmallVector<OperandWindow, 2> windows = getWindows(op);
    for (const OperandWindow &window : windows)
      for (auto [d, dim] : llvm::enumerate(window.dims)) {
        if (!window.moves(d) || dim.result < kLeastSharded)
          continue;
        rule.moves.push_back(startMove(op, dim.result));
        rule.moves.back().results[0] = d;
        if (dim.source < kLeastSharded)
          continue;
        rule.moves.push_back(rule.moves.back());
        rule.moves.back().operands[0] = d;
      }
    setOwnSteps(rule, std::move(windows));
    // In front of a convolution alone it is part of what that fetches.
    if (isReadInBlocks(op.getResult()))
      rule.ownSteps = [fetched = std::move(rule.ownSteps)](
                          const Mesh &mesh, ArrayRef<Placement> operands,
                          ArrayRef<Placement> results)
          -> std::optional<ShardingRule::OwnSteps> {
        if (!fetched(mesh, operands, results))
          return std::nullopt;
        return ShardingRule::OwnSteps();
      };
    return success();
  }
};

struct ConcatSharding : StaticSharding<ConcatSharding, tensor::ConcatOp> {
  static LogicalResult build(tensor::ConcatOp op, ShardingRule &rule) {
    ShardingRule::Tensor dims;
    unsigned joined = op.getDim();
    for (auto [d, extent] : llvm::enumerate(shapeOf(op.getResult()))) {
      ShardingRule::Dim &dim = dims.emplace_back();
      if (d != joined)
        dim.push_back(addFactor(rule, extent));
    }
    SmallVector<unsigned, 2> all;
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
      rule.operands[i] = dims;
      if (!isKnownZero(op->getOperand(i)))
        all.push_back(i);
    }
    rule.results.push_back(dims);
    if (!all.empty())
      rule.linear.push_back(std::move(all));
    addMoves(op, rule);
    setOwnSteps(rule, getWindows(op));
    return success();
  }

  /// The result sharded along the joined dim, and any of the operands: of many,
  /// all that can be, or none.
  static void addMoves(tensor::ConcatOp op, ShardingRule &rule) {
    int64_t size = op.getResultType().getDimSize(op.getDim());
    if (size < kLeastSharded)
      return;
    SmallVector<unsigned> shardable;
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i)
      if (shapeOf(op->getOperand(i))[op.getDim()] >= kLeastSharded)
        shardable.push_back(i);
    bool every = shardable.size() <= kMaxOperandChoices;
    unsigned choices = every ? 1u << shardable.size() : 2;
    for (unsigned choice = 0; choice < choices; ++choice) {
      ShardingRule::Move &move = rule.moves.emplace_back(startMove(op, size));
      move.results[0] = op.getDim();
      for (auto [bit, operand] : llvm::enumerate(shardable))
        if (every ? choice >> bit & 1 : choice)
          move.operands[operand] = op.getDim();
    }
  }
};

} // namespace

void registerTensorSliceShardingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<ExtractSliceSharding>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceSharding>(*context);
    tensor::PadOp::attachInterface<PadSharding>(*context);
    tensor::ConcatOp::attachInterface<ConcatSharding>(*context);
  });
}

} // namespace tpc
