// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes reads at computed places out of bodies: they become tp.gather.
//
// Of a tensor.extract in a linalg.generic, a dim read at the index of a loop is
// that loop; any other is an index tensor: the operand that the index is a cast
// of, or a generic of its own that computes what the body computed. The gather
// has the loops that its maps mention, and its result is one more operand.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "tpc/Dialect/TP/TP.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_RAISEGATHERSPASS
#include "tpc/Import/Passes.h.inc"

namespace {

/// A tensor read by a nest through a map of its loops.
struct Read {
  Value tensor;
  AffineMap map;
};

/// One generic whose body is raised.
class Raiser {
public:
  explicit Raiser(linalg::GenericOp op)
      : op(op), builder(op), context(op.getContext()),
        ranges(op.getStaticLoopRanges()) {}

  void run();

private:
  /// Leaves the extract where an index depends on what the body accumulates.
  void raise(tensor::ExtractOp extract);
  /// The operations of the body that `value` is computed by, in order. Nothing
  /// when it depends on what the body accumulates.
  std::optional<SetVector<Operation *>> slice(Value value);
  std::optional<Read> readIndex(Value index);
  Read compute(Value index, const SetVector<Operation *> &ops);
  Read gather(Value source, ArrayRef<AffineExpr> dims, ArrayRef<Read> indices);
  Value addInput(Read read);

  bool isLoop(Value index, int64_t size, AffineExpr &loop) const {
    auto op = index.getDefiningOp<linalg::IndexOp>();
    if (!op || ranges[op.getDim()] != size)
      return false;
    loop = getAffineDimExpr(op.getDim(), context);
    return true;
  }
  /// The loops of `used`, ascending, as a map of all loops.
  AffineMap selectLoops(const llvm::SmallBitVector &used) const {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : used.set_bits())
      exprs.push_back(getAffineDimExpr(loop, context));
    return AffineMap::get(ranges.size(), 0, exprs, context);
  }
  /// `map` of all loops as a map of those that `selected` keeps.
  AffineMap renumber(AffineMap map, AffineMap selected) const {
    SmallVector<AffineExpr> dims(ranges.size(),
                                 getAffineConstantExpr(0, context));
    for (auto [number, expr] : llvm::enumerate(selected.getResults()))
      dims[cast<AffineDimExpr>(expr).getPosition()] =
          getAffineDimExpr(number, context);
    SmallVector<AffineExpr> symbols;
    for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol)
      symbols.push_back(getAffineSymbolExpr(symbol, context));
    return map.replaceDimsAndSymbols(dims, symbols, selected.getNumResults(),
                                     symbols.size());
  }
  RankedTensorType typeOver(AffineMap selected, Type elementType) const {
    return RankedTensorType::get(
        applyPermutationMap(selected, ArrayRef(ranges)), elementType);
  }

  linalg::GenericOp op;
  OpBuilder builder;
  MLIRContext *context;
  SmallVector<int64_t> ranges;
};

std::optional<SetVector<Operation *>> Raiser::slice(Value value) {
  SetVector<Operation *> found;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == op.getBody() &&
          argument.getArgNumber() >= op.getNumDpsInputs())
        return std::nullopt;
      continue;
    }
    Operation *def = next.getDefiningOp();
    if (def->getBlock() != op.getBody() || !found.insert(def))
      continue;
    // What could not be raised before, and what has effects, stays.
    if (!isPure(def) || def->getNumRegions() || isa<tensor::ExtractOp>(def))
      return std::nullopt;
    llvm::append_range(worklist, def->getOperands());
  }
  SmallVector<Operation *> sorted = found.takeVector();
  llvm::sort(sorted,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  return SetVector<Operation *>(sorted.begin(), sorted.end());
}

/// A generic that yields `index` at the loops it depends on.
Read Raiser::compute(Value index, const SetVector<Operation *> &ops) {
  llvm::SmallBitVector used(ranges.size());
  SetVector<BlockArgument> arguments;
  auto collect = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == op.getBody())
      arguments.insert(argument);
  };
  collect(index);
  for (Operation *inner : ops) {
    llvm::for_each(inner->getOperands(), collect);
    if (auto loop = dyn_cast<linalg::IndexOp>(inner))
      used.set(loop.getDim());
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (BlockArgument argument : arguments) {
    inputs.push_back(op.getInputs()[argument.getArgNumber()]);
    maps.push_back(op.getIndexingMapsArray()[argument.getArgNumber()]);
    for (unsigned loop = 0; loop < ranges.size(); ++loop)
      if (maps.back().isFunctionOfDim(loop))
        used.set(loop);
  }
  AffineMap selected = selectLoops(used);
  for (AffineMap &map : maps)
    map = renumber(map, selected);
  unsigned numLoops = selected.getNumResults();
  maps.push_back(builder.getMultiDimIdentityMap(numLoops));

  bool isIndex = index.getType().isIndex();
  RankedTensorType type =
      typeOver(selected, isIndex ? builder.getI64Type() : index.getType());
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> parallel(numLoops,
                                            utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, op.getLoc(), type, inputs, empty, maps, parallel,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping mapping;
        for (auto [argument, value] : llvm::zip(arguments, args))
          mapping.map(argument, value);
        for (Operation *inner : ops) {
          Operation *copy = b.clone(*inner, mapping);
          if (auto loop = dyn_cast<linalg::IndexOp>(copy))
            loop.setDim(*selected.getResultPosition(
                getAffineDimExpr(loop.getDim(), context)));
        }
        Value result = mapping.lookupOrDefault(index);
        if (isIndex)
          result = arith::IndexCastOp::create(b, loc, b.getI64Type(), result);
        linalg::YieldOp::create(b, loc, result);
      });
  return {generic.getResult(0), selected};
}

std::optional<Read> Raiser::readIndex(Value index) {
  auto isIndexElement = [](Type type) {
    return type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
           type.isInteger(64);
  };
  // The cast extends the sign, as a gather does.
  if (auto widened = index.getDefiningOp<arith::IndexCastOp>())
    if (isIndexElement(widened.getIn().getType()))
      index = widened.getIn();
  if (auto argument = dyn_cast<BlockArgument>(index);
      argument && argument.getOwner() == op.getBody() &&
      argument.getArgNumber() < op.getNumDpsInputs()) {
    Value operand = op.getInputs()[argument.getArgNumber()];
    AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
    if (isa<RankedTensorType>(operand.getType()) &&
        map.isProjectedPermutation())
      return Read{operand, map};
  }
  std::optional<SetVector<Operation *>> ops = slice(index);
  if (!ops)
    return std::nullopt;
  return compute(index, *ops);
}

Read Raiser::gather(Value source, ArrayRef<AffineExpr> dims,
                    ArrayRef<Read> indices) {
  auto sourceMap = AffineMap::get(ranges.size(), indices.size(), dims, context);
  llvm::SmallBitVector used(ranges.size());
  for (unsigned loop = 0; loop < ranges.size(); ++loop)
    if (sourceMap.isFunctionOfDim(loop) ||
        llvm::any_of(indices, [&](const Read &index) {
          return index.map.isFunctionOfDim(loop);
        }))
      used.set(loop);
  AffineMap selected = selectLoops(used);
  SmallVector<AffineMap> maps = {renumber(sourceMap, selected)};
  SmallVector<Value> tensors;
  for (const Read &index : indices) {
    tensors.push_back(index.tensor);
    maps.push_back(renumber(index.map, selected));
  }
  RankedTensorType type =
      typeOver(selected, getElementTypeOrSelf(source.getType()));
  Value result =
      tp::GatherOp::create(builder, op.getLoc(), type, source, tensors,
                           builder.getAffineMapArrayAttr(maps));
  return {result, selected};
}

/// One more operand of the generic; returns its argument in the body.
Value Raiser::addInput(Read read) {
  unsigned position = op.getNumDpsInputs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + position, read.map);
  op.getInputsMutable().append(read.tensor);
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  return op.getBody()->insertArgument(
      position, getElementTypeOrSelf(read.tensor.getType()), op.getLoc());
}

void Raiser::raise(tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  if (!type.hasStaticShape())
    return;
  SmallVector<AffineExpr> dims;
  SmallVector<Read> indices;
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    AffineExpr loop;
    if (isLoop(index, type.getDimSize(dim), loop) &&
        !llvm::is_contained(dims, loop)) {
      dims.push_back(loop);
      continue;
    }
    std::optional<Read> read = readIndex(index);
    if (!read)
      return;
    dims.push_back(getAffineSymbolExpr(indices.size(), context));
    indices.push_back(*read);
  }
  Read read = {extract.getTensor(),
               AffineMap::get(ranges.size(), 0, dims, context)};
  if (!indices.empty())
    read = gather(extract.getTensor(), dims, indices);
  extract.replaceAllUsesWith(addInput(read));
  extract.erase();
}

void Raiser::run() {
  // In order: an index may itself have been read.
  for (tensor::ExtractOp extract :
       llvm::to_vector(op.getBody()->getOps<tensor::ExtractOp>()))
    raise(extract);
}

struct RaiseGathersPass : impl::RaiseGathersPassBase<RaiseGathersPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() &&
          !ShapedType::isDynamicShape(op.getStaticLoopRanges()))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops)
      Raiser(op).run();
  }
};
} // namespace

} // namespace tpc
