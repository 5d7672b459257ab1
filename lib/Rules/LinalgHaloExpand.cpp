// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a convolution whose output pixels are sharded.
//
// The loop o becomes a loop b over the ranks' blocks and a loop j within one: o
// = b * chunk + j. An operand read at o * stride + tap is replaced by a window
// of one block per rank, which overlap, and read at (b, j * stride + tap): that
// is sharded along b, and every rank reads its own block alone. What is read or
// written plainly at o is reshaped to (b, j). Behind the last o of an uneven
// split results are computed that nobody reads, and terms of sums are dropped.

#include "LinalgBody.h"
#include "LinalgHalo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "tpc/Rules/Rules.h"

using namespace mlir;

namespace tpc {

namespace {

class HaloExpander {
public:
  HaloExpander(OpBuilder &builder, linalg::GenericOp op, const HaloLoop &halo,
               ArrayRef<unsigned> axes)
      : placed(builder, op), builder(builder), op(op), halo(halo), axes(axes),
        ranks(placed.mesh.groupSize(axes)), chunk(halo.chunk(ranks)) {}

  /// The operation over blocks; `results` are of the types of `op`'s.
  linalg::GenericOp run(SmallVectorImpl<Value> &results);

private:
  Value block(const HaloLoop::Read &read);
  Value reshapePlain(Value value, unsigned dim);
  Value splitInit(OpOperand &init, unsigned dim);
  RankedTensorType splitType(Value like, unsigned dim, int64_t inner,
                             const Placement &placement);
  Value split(Value value, unsigned dim, int64_t inner);
  void dropTermsBehindTheEnd(linalg::GenericOp blocked);

  PlacedBuilder placed;
  OpBuilder &builder;
  linalg::GenericOp op;
  const HaloLoop &halo;
  ArrayRef<unsigned> axes;
  int64_t ranks, chunk;
};

SmallVector<int64_t> shapeOf(Value value) {
  return llvm::to_vector(cast<RankedTensorType>(value.getType()).getShape());
}

/// Groups of one dim each but for `dim` and the one behind it.
SmallVector<ReassociationIndices> groupsWith(unsigned dim, unsigned rank) {
  SmallVector<ReassociationIndices> groups;
  for (unsigned d = 0; d < rank; ++d)
    if (d == dim + 1)
      groups.back().push_back(d);
    else
      groups.push_back({int64_t(d)});
  return groups;
}

} // namespace

RankedTensorType HaloExpander::splitType(Value like, unsigned dim,
                                         int64_t inner,
                                         const Placement &placement) {
  SmallVector<int64_t> shape = shapeOf(like);
  shape[dim] = ranks;
  shape.insert(shape.begin() + dim + 1, inner);
  SmallVector<Placement::Entry> entries(placement.entries());
  for (Placement::Entry &entry : entries)
    if (entry.isShard() && entry.dim > dim)
      ++entry.dim;
  return placed.type(like, shape, Placement(entries));
}

Value HaloExpander::split(Value value, unsigned dim, int64_t inner) {
  RankedTensorType type =
      splitType(value, dim, inner, placed.placementOf(value));
  return tensor::ExpandShapeOp::create(builder, placed.loc, type, value,
                                       groupsWith(dim, type.getRank()));
}

/// One block of the operand per rank, as dims (b, element).
Value HaloExpander::block(const HaloLoop::Read &read) {
  Value source = op->getOperand(read.operand);
  SmallVector<int64_t> shape = shapeOf(source), offsets(shape.size(), 0);
  Placement from = placed.placementOf(source), to = from;
  if (from.shardAxes(read.dim).empty())
    for (unsigned axis : axes)
      to = to.with(Placement::Entry::shard(axis, read.dim));
  // A padding in front is not made: the blocks come from what is padded.
  auto pad = source.getDefiningOp<tensor::PadOp>();
  SmallVector<OperandWindow, 2> padding;
  if (pad)
    padding = getWindows(pad);
  if (!padding.empty()) {
    source = pad.getSource();
    for (auto [offset, dim] : llvm::zip_equal(offsets, padding[0].dims))
      offset = dim.offset;
  }
  int64_t length = halo.block(read, ranks), step = chunk * read.stride;
  shape[read.dim] = ranks * length;
  offsets[read.dim] += read.offset;
  SmallVector<int64_t> blocks(2 * shape.size(), 0);
  blocks[2 * read.dim] = length;
  blocks[2 * read.dim + 1] = step;
  RankedTensorType type = placed.type(source, shape, to);
  // Blocks that lie side by side and fill the operand are what ranks hold.
  bool isWhole = type == source.getType() && step == length &&
                 llvm::all_of(offsets, [](int64_t offset) { return !offset; });
  if (!isWhole)
    source = placed.window(source, type, offsets,
                           "the elements at the border of a rank's part (halo)",
                           blocks);
  Value result = split(source, read.dim, length);
  if (padding.empty())
    return result;
  Value value = pad.getConstantPaddingValue();
  return placed.elementwise(
      result, cast<RankedTensorType>(result.getType()),
      [&](OpBuilder &b, function_ref<Value(unsigned)> index, ValueRange args) {
        Value kept = args[0];
        for (auto [number, dim] : llvm::enumerate(padding[0].dims)) {
          if (!padding[0].moves(number))
            continue;
          Value at, inside;
          if (number == read.dim) {
            Value length = arith::ConstantIndexOp::create(b, placed.loc, step);
            Value first =
                arith::MulIOp::create(b, placed.loc, index(number), length);
            at = arith::AddIOp::create(b, placed.loc, first, index(number + 1));
            at = arith::AddIOp::create(
                b, placed.loc, at,
                arith::ConstantIndexOp::create(b, placed.loc, read.offset));
          } else {
            at = index(number < read.dim ? number : number + 1);
          }
          inside =
              isInside(b, placed.loc, at, -dim.offset, dim.source - dim.offset,
                       std::numeric_limits<int64_t>::max());
          kept = arith::SelectOp::create(b, placed.loc, inside, kept, value);
        }
        return kept;
      });
}

/// The operand with dim o as (b, j).
Value HaloExpander::reshapePlain(Value value, unsigned dim) {
  if (halo.size != ranks * chunk) {
    SmallVector<int64_t> shape = shapeOf(value);
    shape[dim] = ranks * chunk;
    value = placed.window(
        value, placed.type(value, shape, placed.placementOf(value)),
        SmallVector<int64_t>(shape.size(), 0), "blocks of equal length");
  }
  return split(value, dim, chunk);
}

Value HaloExpander::splitInit(OpOperand &init, unsigned dim) {
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  bool isRead = op.payloadUsesValueFromOperand(&init);
  if (isRead && !fill)
    return reshapePlain(init.get(), dim);
  Value empty = placed.empty(
      splitType(init.get(), dim, chunk, placed.placementOf(init.get())));
  if (!isRead)
    return empty;
  return linalg::FillOp::create(builder, placed.loc, fill.getInputs()[0], empty)
      .getResult(0);
}

/// Adds zero in place of terms of o behind the end.
void HaloExpander::dropTermsBehindTheEnd(linalg::GenericOp blocked) {
  Block *body = blocked.getBody();
  Operation *yield = body->getTerminator();
  for (OpOperand &yielded : yield->getOpOperands()) {
    Operation *sum = yielded.get().getDefiningOp();
    Value out = blocked.getRegionOutputArgs()[yielded.getOperandNumber()];
    unsigned term = sum->getOperand(0) == out ? 1 : 0;
    OpBuilder b(sum);
    Location loc = placed.loc;
    Value length = arith::ConstantIndexOp::create(b, loc, chunk);
    Value first = arith::MulIOp::create(
        b, loc, linalg::IndexOp::create(b, loc, halo.loop), length);
    Value at = arith::AddIOp::create(
        b, loc, first, linalg::IndexOp::create(b, loc, halo.loop + 1));
    Value inside = isInside(b, loc, at, 0, halo.size, ranks * chunk);
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(sum->getOperand(term).getType()));
    sum->setOperand(term, arith::SelectOp::create(b, loc, inside,
                                                  sum->getOperand(term), zero));
  }
}

linalg::GenericOp HaloExpander::run(SmallVectorImpl<Value> &results) {
  SmallVector<Value> operands(op->getOperands());
  for (const HaloLoop::Read &read : halo.reads)
    operands[read.operand] = block(read);
  for (auto [number, dim] : halo.plain) {
    OpOperand &operand = op->getOpOperand(number);
    operands[number] = op.isDpsInit(&operand)
                           ? splitInit(operand, dim)
                           : reshapePlain(operand.get(), dim);
  }

  // Loops: o stays in its place as b, j comes behind it.
  unsigned numLoops = op.getNumLoops();
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    loops.push_back(builder.getAffineDimExpr(loop + (loop > halo.loop)));
  AffineExpr outer = builder.getAffineDimExpr(halo.loop);
  AffineExpr inner = builder.getAffineDimExpr(halo.loop + 1);
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      if (!expr.isFunctionOfDim(halo.loop)) {
        exprs.push_back(expr.replaceDims(loops));
        continue;
      }
      SmallVector<AffineExpr> within(loops);
      within[halo.loop] = inner;
      exprs.push_back(outer);
      // The window has the constant.
      auto terms = getCoefficients(expr, numLoops);
      exprs.push_back(expr.replaceDims(within) - terms->second);
    }
    maps.push_back(AffineMap::get(numLoops + 1, 0, exprs, op.getContext()));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin() + halo.loop, iterators[halo.loop]);

  ArrayRef<Value> all(operands);
  ArrayRef<Value> inputs = all.take_front(op.getNumDpsInputs());
  ArrayRef<Value> inits = all.drop_front(op.getNumDpsInputs());
  auto blocked = linalg::GenericOp::create(
      builder, placed.loc, ValueRange(inits).getTypes(), inputs, inits, maps,
      iterators, nullptr, linalg::getPrunedAttributeList(op));
  IRMapping mapping;
  op.getRegion().cloneInto(&blocked.getRegion(), mapping);
  for (linalg::IndexOp index : blocked.getBody()->getOps<linalg::IndexOp>())
    if (index.getDim() > halo.loop)
      index.setDim(index.getDim() + 1);
  if (halo.isReduction && halo.size != ranks * chunk)
    dropTermsBehindTheEnd(blocked);

  for (auto [number, result] : llvm::enumerate(blocked.getResults())) {
    auto type = cast<RankedTensorType>(op.getResult(number).getType());
    if (halo.isReduction) {
      results.push_back(result);
      continue;
    }
    auto plain = llvm::find_if(halo.plain, [&, number = number](auto use) {
      return use.first == op.getNumDpsInputs() + number;
    });
    unsigned dim = plain->second;
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = ranks * chunk;
    Placement placement = placed.placementOf(op.getResult(number));
    Value joined = tensor::CollapseShapeOp::create(
        builder, placed.loc, placed.type(result, shape, placement), result,
        groupsWith(dim, shape.size() + 1));
    if (halo.size != ranks * chunk)
      joined =
          placed.window(joined, type, SmallVector<int64_t>(shape.size(), 0),
                        "the end of blocks of equal length");
    results.push_back(joined);
  }
  return blocked;
}

namespace {

struct GenericExpand
    : ExpandOpInterface::ExternalModel<GenericExpand, linalg::GenericOp> {
  LogicalResult expand(Operation *rawOp, OpBuilder &builder,
                       SmallVectorImpl<Value> &results) const {
    auto op = cast<linalg::GenericOp>(rawOp);
    // One loop at a time; the operation made for one may have another.
    while (true) {
      SmallVector<HaloLoop, 0> halos = findHaloLoops(op);
      if (halos.empty())
        return success();
      PlacedBuilder placed(builder, op);
      SmallVector<Placement> operands;
      for (Value operand : op->getOperands())
        operands.push_back(isa<RankedTensorType>(operand.getType())
                               ? placed.placementOf(operand)
                               : Placement());
      auto active = llvm::find_if(halos, [&](const HaloLoop &halo) {
        return !halo.axes(operands).empty();
      });
      if (active == halos.end())
        return success();
      SmallVector<unsigned> axes = active->axes(operands);
      SmallVector<Value> made;
      builder.setInsertionPoint(op);
      linalg::GenericOp blocked =
          HaloExpander(builder, op, *active, axes).run(made);
      if (results.empty()) {
        results = made;
      } else {
        for (Value &result : results)
          if (result.getDefiningOp() == op)
            result = made[cast<OpResult>(result).getResultNumber()];
        op->replaceAllUsesWith(made);
        op->erase();
      }
      op = blocked;
    }
  }
};

} // namespace

void registerLinalgExpansions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::GenericOp::attachInterface<GenericExpand>(*context);
  });
}

} // namespace tpc
