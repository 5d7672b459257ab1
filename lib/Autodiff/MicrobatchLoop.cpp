// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the loop over microbatches that Microbatches.h decides on.
//
// A microbatch is read from and written to a view of the batch as
// (rows / count) x count at a place of the second dim: rows that are sharded
// are sharded in the view along its first dim, and nothing moves.

#include "Microbatches.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Adjoint.h"

using namespace mlir;

namespace tpc::autodiff {

using Kind = BatchState::Kind;

namespace {

/// A batch as rows x count x elements per row, where that is more than one,
/// and the dims around it; a microbatch of it lacks the `count`.
struct BatchView {
  RankedTensorType type;
  SmallVector<ReassociationIndices> groups;

  BatchView(RankedTensorType tensor, BatchState state, int64_t count,
            bool microbatch = false);
  /// The place of microbatch `number`.
  void getBox(Value number, unsigned dim,
              SmallVectorImpl<OpFoldResult> &offsets,
              SmallVectorImpl<OpFoldResult> &sizes,
              SmallVectorImpl<OpFoldResult> &strides) const;
};

/// Writes the loop of one function.
class LoopWriter {
public:
  LoopWriter(func::FuncOp func, const Microbatches &batches)
      : func(func), batches(batches), count(batches.getCount()),
        front(func.getContext()), body(func.getContext()) {}

  void write();

private:
  /// A value that leaves the loop: its uses behind the loop.
  struct Leaving {
    Value value;
    BatchState state;
    SmallVector<OpOperand *> uses;
  };
  void collectLeaving();
  Value makeInit(const Leaving &leaving);
  void writeStep(const MicrobatchStep &step);
  Value makeYielded(const Leaving &leaving, Value carried);
  Value finish(const Leaving &leaving, Value result);

  Value getSlice(Value value, BatchState state, Operation *user);
  Value makeSmall(Operation *producer, BatchState state);
  Value makeEmpty(RankedTensorType type);
  void mark(Value made, Operation *like);

  func::FuncOp func;
  const Microbatches &batches;
  int64_t count;
  OpBuilder front, body;
  Value induction;
  IRMapping mapping;
  SmallVector<Leaving> leaving;
  DenseMap<std::tuple<Value, unsigned, int64_t>, Value> slices;
};

} // namespace

BatchView::BatchView(RankedTensorType tensor, BatchState state, int64_t count,
                     bool microbatch) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(tensor.getShape())) {
    ReassociationIndices &group = groups.emplace_back();
    auto add = [&](int64_t extent) {
      group.push_back(shape.size());
      shape.push_back(extent);
    };
    if (dim != state.dim) {
      add(size);
      continue;
    }
    add(size / (count * state.perRow));
    if (!microbatch)
      add(count);
    if (state.perRow != 1)
      add(state.perRow);
  }
  type = RankedTensorType::get(shape, tensor.getElementType());
}

void BatchView::getBox(Value number, unsigned dim,
                       SmallVectorImpl<OpFoldResult> &offsets,
                       SmallVectorImpl<OpFoldResult> &sizes,
                       SmallVectorImpl<OpFoldResult> &strides) const {
  Builder builder(number.getContext());
  offsets.assign(type.getRank(), builder.getIndexAttr(0));
  strides.assign(type.getRank(), builder.getIndexAttr(1));
  llvm::append_range(
      sizes, getAsIndexOpFoldResult(builder.getContext(), type.getShape()));
  offsets[dim + 1] = number;
  sizes[dim + 1] = builder.getIndexAttr(1);
}

/// Operations made for the backward pass belong to it.
void LoopWriter::mark(Value made, Operation *like) {
  Operation *op = made.getDefiningOp();
  if (Attribute phase = like ? like->getAttr(tp::TPDialect::kPhase) : nullptr)
    op->setAttr(tp::TPDialect::kPhase, phase);
}

Value LoopWriter::makeEmpty(RankedTensorType type) {
  return tensor::EmptyOp::create(body, func.getLoc(), type.getShape(),
                                 type.getElementType());
}

/// True where the only result of `op` is the same all along `dim`, whatever the
/// batch: a broadcast.
static bool repeatsAlong(linalg::LinalgOp op, unsigned dim) {
  OpOperand *init = op.getDpsInitOperand(0);
  auto loop =
      dyn_cast<AffineDimExpr>(op.getMatchingIndexingMap(init).getResult(dim));
  if (!loop || op.getNumReductionLoops() ||
      op.payloadUsesValueFromOperand(init))
    return false;
  unsigned position = loop.getPosition();
  bool readsPosition = llvm::any_of(op.getDpsInputOperands(), [&](auto *input) {
    return op.getMatchingIndexingMap(input).isFunctionOfDim(position);
  });
  op->walk([&](linalg::IndexOp index) {
    readsPosition |= index.getDim() == position;
  });
  return !readsPosition;
}

/// What has no data of its own is made anew at the size of a microbatch.
Value LoopWriter::makeSmall(Operation *producer, BatchState state) {
  if (!producer || producer->getNumResults() != 1)
    return nullptr;
  RankedTensorType type =
      batches.microType(producer->getResult(0).getType(), state);
  if (isa<tensor::EmptyOp>(producer))
    return makeEmpty(type);
  if (auto fill = dyn_cast<linalg::FillOp>(producer))
    return linalg::FillOp::create(body, fill.getLoc(), fill.getInputs().front(),
                                  makeEmpty(type))
        .getResult(0);
  auto structured = dyn_cast<linalg::LinalgOp>(producer);
  if (structured && repeatsAlong(structured, state.dim)) {
    Value empty = makeEmpty(type);
    Operation *small = body.clone(*producer);
    cast<linalg::LinalgOp>(small).setDpsInitOperand(0, empty);
    small->getResult(0).setType(type);
    return small->getResult(0);
  }
  SplatElementsAttr splat;
  if (matchPattern(producer, m_Constant(&splat)))
    return arith::ConstantOp::create(body, producer->getLoc(),
                                     splat.resizeSplat(type));
  return nullptr;
}

/// The rows of this microbatch of a value that is made in front of the loop.
Value LoopWriter::getSlice(Value value, BatchState state, Operation *user) {
  Value &slice = slices[{value, state.dim, state.perRow}];
  if (slice)
    return slice;
  if ((slice = makeSmall(value.getDefiningOp(), state)))
    return slice;
  auto tensor = cast<RankedTensorType>(value.getType());
  BatchView view(tensor, state, count), part(tensor, state, count, true);
  Location loc = value.getLoc();
  Value expanded =
      tensor::ExpandShapeOp::create(front, loc, view.type, value, view.groups);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  view.getBox(induction, state.dim, offsets, sizes, strides);
  slice = tensor::ExtractSliceOp::create(body, loc, part.type, expanded,
                                         offsets, sizes, strides);
  mark(expanded, user);
  mark(slice, user);
  if (state.perRow != 1) {
    slice = tensor::CollapseShapeOp::create(
        body, loc, batches.microType(tensor, state), slice, part.groups);
    mark(slice, user);
  }
  return slice;
}

/// Sizes that an operation states as numbers follow its new types.
static void resize(Operation *op, Operation *old) {
  auto follow = [](ArrayRef<int64_t> sizes, Type from, Type to) {
    SmallVector<int64_t> result(sizes);
    ArrayRef<int64_t> was = cast<RankedTensorType>(from).getShape();
    ArrayRef<int64_t> is = cast<RankedTensorType>(to).getShape();
    for (auto [dim, size] : llvm::enumerate(result))
      if (was[dim] != is[dim])
        size = is[dim];
    return result;
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    expand.setStaticOutputShape(expand.getResultType().getShape());
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    slice.setStaticSizes(
        follow(slice.getStaticSizes(),
               cast<tensor::ExtractSliceOp>(old).getSourceType(),
               slice.getSourceType()));
  else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    slice.setStaticSizes(follow(slice.getStaticSizes(),
                                cast<tensor::InsertSliceOp>(old).getDestType(),
                                slice.getDestType()));
}

void LoopWriter::writeStep(const MicrobatchStep &step) {
  SmallVector<std::pair<unsigned, Value>> cuts;
  for (auto [index, state] : step.cuts)
    cuts.push_back(
        {index, getSlice(step.op->getOperand(index), state, step.op)});
  for (Value operand : step.op->getOperands())
    if (isa<BlockArgument>(operand) && !mapping.contains(operand) &&
        batches.get(operand).kind == Kind::Rows)
      mapping.map(operand, getSlice(operand, batches.get(operand), step.op));
  Operation *op = body.clone(*step.op, mapping);
  for (auto [index, slice] : cuts)
    op->setOperand(index, slice);
  for (auto [old, result] :
       llvm::zip_equal(step.op->getResults(), op->getResults()))
    result.setType(batches.microType(old.getType(), batches.get(old)));
  resize(op, step.op);
  if (!step.factor)
    return;
  // Positions in the batch, from those in the microbatch.
  SmallVector<linalg::IndexOp> indices;
  op->walk([&](linalg::IndexOp index) {
    if (index.getDim() == *step.factor)
      indices.push_back(index);
  });
  for (linalg::IndexOp index : indices) {
    OpBuilder builder(index->getContext());
    builder.setInsertionPointAfter(index);
    Location loc = index.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    Value row = index, element;
    SmallPtrSet<Operation *, 4> own;
    if (step.perRow != 1) {
      Value perRow = constant(step.perRow);
      row = arith::DivUIOp::create(builder, loc, index, perRow);
      element = arith::RemUIOp::create(builder, loc, index, perRow);
      own.insert({row.getDefiningOp(), element.getDefiningOp()});
    }
    Value scaled = arith::MulIOp::create(builder, loc, row, constant(count));
    own.insert(scaled.getDefiningOp());
    Value global = arith::AddIOp::create(builder, loc, scaled, induction);
    if (element)
      global = arith::AddIOp::create(
          builder, loc,
          arith::MulIOp::create(builder, loc, global, constant(step.perRow)),
          element);
    index.getResult().replaceAllUsesExcept(global, own);
  }
}

/// Values of the loop that are returned, or read behind it.
void LoopWriter::collectLeaving() {
  llvm::SmallPtrSet<Operation *, 16> inLoop;
  for (const MicrobatchStep &step : batches.getSteps())
    inLoop.insert(step.op);
  for (const MicrobatchStep &step : batches.getSteps())
    for (Value value : step.op->getResults()) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : value.getUses())
        if (!inLoop.contains(use.getOwner()))
          uses.push_back(&use);
      if (!uses.empty())
        leaving.push_back({value, batches.get(value), std::move(uses)});
    }
}

/// Sums of 16-bit floats are formed in 32 bits.
static RankedTensorType accumulatorType(RankedTensorType type) {
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || element.getWidth() >= 32)
    return type;
  return type.clone(Float32Type::get(type.getContext()));
}

Value LoopWriter::makeInit(const Leaving &leaving) {
  auto type = cast<RankedTensorType>(leaving.value.getType());
  if (leaving.state.kind == Kind::Sum)
    return createSplat(front, leaving.value.getLoc(), accumulatorType(type), 0);
  BatchView view(type, leaving.state, count);
  return tensor::EmptyOp::create(front, leaving.value.getLoc(),
                                 view.type.getShape(), type.getElementType());
}

/// `value` in another float type.
static Value convert(OpBuilder &builder, Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  Location loc = value.getLoc();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, value, empty, maps, iterators,
             [](OpBuilder &b, Location l, ValueRange args) {
               Type to = args[1].getType();
               bool wider = to.getIntOrFloatBitWidth() >
                            args[0].getType().getIntOrFloatBitWidth();
               Value converted =
                   wider ? Value(arith::ExtFOp::create(b, l, to, args[0]))
                         : Value(arith::TruncFOp::create(b, l, to, args[0]));
               linalg::YieldOp::create(b, l, converted);
             })
      .getResult(0);
}

Value LoopWriter::makeYielded(const Leaving &leaving, Value carried) {
  Location loc = leaving.value.getLoc();
  Value value = mapping.lookup(leaving.value);
  if (leaving.state.kind == Kind::Sum)
    return createSum(
        body, loc, carried,
        convert(body, value, cast<RankedTensorType>(carried.getType())));
  auto type = cast<RankedTensorType>(leaving.value.getType());
  BatchView view(type, leaving.state, count);
  BatchView part(type, leaving.state, count, /*microbatch=*/true);
  if (value.getType() != part.type)
    value =
        tensor::ExpandShapeOp::create(body, loc, part.type, value, part.groups);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  view.getBox(induction, leaving.state.dim, offsets, sizes, strides);
  return tensor::InsertSliceOp::create(body, loc, value, carried, offsets,
                                       sizes, strides);
}

/// The whole value, from what the loop gives.
Value LoopWriter::finish(const Leaving &leaving, Value result) {
  auto type = cast<RankedTensorType>(leaving.value.getType());
  if (leaving.state.kind == Kind::Sum)
    return convert(front, result, type);
  BatchView view(type, leaving.state, count);
  return tensor::CollapseShapeOp::create(front, leaving.value.getLoc(), type,
                                         result, view.groups);
}

void LoopWriter::write() {
  collectLeaving();
  if (leaving.empty())
    return;
  Operation *terminator = func.getBody().front().getTerminator();
  front.setInsertionPoint(terminator);
  SmallVector<Value> inits;
  SmallVector<Location> locations;
  for (const Leaving &each : leaving) {
    inits.push_back(makeInit(each));
    mark(inits.back(), each.value.getDefiningOp());
    // The names by which a report knows what the loop sums up.
    locations.push_back(NameLoc::get(
        StringAttr::get(func.getContext(), tp::getUserName(each.value)),
        each.value.getLoc()));
  }
  Location loc = func.getLoc();
  Value zero = arith::ConstantIndexOp::create(front, loc, 0);
  Value one = arith::ConstantIndexOp::create(front, loc, 1);
  Value trips = arith::ConstantIndexOp::create(front, loc, count);
  auto loop = scf::ForOp::create(front, loc, zero, trips, one, inits);
  for (auto [argument, location] :
       llvm::zip_equal(loop.getRegionIterArgs(), locations))
    argument.setLoc(location);
  induction = loop.getInductionVar();
  body.setInsertionPointToStart(loop.getBody());
  front.setInsertionPoint(loop);
  for (const MicrobatchStep &step : batches.getSteps())
    writeStep(step);
  SmallVector<Value> yielded;
  for (auto [each, carried] :
       llvm::zip_equal(leaving, loop.getRegionIterArgs())) {
    Value next = makeYielded(each, carried);
    mark(next, each.value.getDefiningOp());
    yielded.push_back(next);
  }
  scf::YieldOp::create(body, loc, yielded);

  for (Operation *op : batches.getBehind())
    op->moveBefore(terminator);
  front.setInsertionPointAfter(loop);
  for (auto [each, result] : llvm::zip_equal(leaving, loop.getResults())) {
    Value whole = finish(each, result);
    if (whole != result)
      mark(whole, each.value.getDefiningOp());
    for (OpOperand *use : each.uses)
      use->set(whole);
  }
  for (const MicrobatchStep &step : llvm::reverse(batches.getSteps()))
    step.op->erase();
}

void writeMicrobatchLoop(func::FuncOp func, const Microbatches &batches) {
  LoopWriter(func, batches).write();
}

} // namespace tpc::autodiff
