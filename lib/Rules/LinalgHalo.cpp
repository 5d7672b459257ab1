// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which loops of convolutions and the like may be sharded by fetching
// halos, and what these cost.

#include "LinalgHalo.h"
#include "LinalgBody.h"
#include "tpc/Dialect/TP/Steps.h"

using namespace mlir;

namespace tpc {

static bool addTerms(AffineExpr expr, int64_t factor,
                     SmallVectorImpl<int64_t> &loops, int64_t &constant) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
    return true;
  }
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    loops[loop.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factor, loops, constant) &&
           addTerms(binary.getRHS(), factor, loops, constant);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && scale &&
         addTerms(binary.getLHS(), factor * scale.getValue(), loops, constant);
}

std::optional<std::pair<SmallVector<int64_t>, int64_t>>
getCoefficients(AffineExpr expr, unsigned numLoops) {
  SmallVector<int64_t> loops(numLoops, 0);
  int64_t constant = 0;
  if (!addTerms(expr, 1, loops, constant))
    return std::nullopt;
  return std::make_pair(std::move(loops), constant);
}

SmallVector<unsigned> HaloLoop::axes(ArrayRef<Placement> operands) const {
  for (auto [operand, dim] : plain)
    if (SmallVector<unsigned> axes = operands[operand].shardAxes(dim);
        !axes.empty())
      return axes;
  return {};
}

/// Fills in where `halo.loop` is used. False when it cannot be sharded so.
static bool findUses(linalg::LinalgOp op, ArrayRef<int64_t> sizes,
                     HaloLoop &halo) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    unsigned number = operand.getOperandNumber();
    bool seen = false;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (!expr.isFunctionOfDim(halo.loop))
        continue;
      if (seen)
        return false;
      seen = true;
      if (isa<AffineDimExpr>(expr)) {
        halo.plain.push_back({number, unsigned(dim)});
        continue;
      }
      auto terms = getCoefficients(expr, map.getNumDims());
      if (!terms || op.isDpsInit(&operand))
        return false;
      auto &[loops, constant] = *terms;
      HaloLoop::Read read{number, unsigned(dim), loops[halo.loop], 0, constant};
      for (auto [loop, coefficient] : llvm::enumerate(loops)) {
        // The longest of the loops that walk together is the one to share out.
        if (coefficient < 0 ||
            (coefficient > 0 && sizes[loop] > sizes[halo.loop]))
          return false;
        if (loop != halo.loop)
          read.span += coefficient * (sizes[loop] - 1);
      }
      halo.reads.push_back(read);
    }
  }
  // What is read or written plainly tells which loop is sharded: of two that
  // walk together the dim they read does not.
  return !halo.reads.empty() && !halo.plain.empty();
}

SmallVector<HaloLoop, 0> findHaloLoops(linalg::LinalgOp op) {
  SmallVector<HaloLoop, 0> halos;
  if (!isa<linalg::GenericOp>(op))
    return halos;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < sizes.size(); ++loop) {
    HaloLoop halo;
    halo.loop = loop;
    halo.size = sizes[loop];
    halo.isReduction = iterators[loop] == utils::IteratorType::reduction;
    bool legal = halo.size >= 2 && findUses(op, sizes, halo);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (!legal)
        break;
      bool carries = op.getMatchingIndexingMap(&init).isFunctionOfDim(loop);
      legal = carries != halo.isReduction;
      Type element = getElementTypeOrSelf(init.get().getType());
      unsigned index = init.getOperandNumber() - op.getNumDpsInputs();
      if (halo.isReduction)
        legal &= matchCombiner(op, index) == Reduction::Sum &&
                 element.isIntOrFloat() && !element.isInteger(1);
    }
    for (linalg::IndexOp index : op.getBlock()->getOps<linalg::IndexOp>())
      legal &= index.getDim() != loop;
    if (legal)
      halos.push_back(std::move(halo));
  }
  return halos;
}

bool isReadInBlocks(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!generic)
      return false;
    return llvm::any_of(
        findHaloLoops(cast<linalg::LinalgOp>(generic.getOperation())),
        [&](const HaloLoop &halo) {
          return llvm::any_of(halo.reads, [&](const HaloLoop::Read &read) {
            return read.operand == use.getOperandNumber();
          });
        });
  });
}

/// The dims of an operand as those of a window of all of it; of a padding as a
/// window of what is padded.
static SmallVector<WindowDim, 4> getOperandDims(Value operand) {
  if (auto pad = operand.getDefiningOp<tensor::PadOp>())
    if (SmallVector<OperandWindow, 2> padding = getWindows(pad);
        !padding.empty())
      return padding[0].dims;
  SmallVector<WindowDim, 4> dims;
  if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
    for (int64_t length : type.getShape())
      dims.push_back({length, length});
  return dims;
}

void addHaloMoves(linalg::LinalgOp op, ShardingRule &rule) {
  SmallVector<HaloLoop, 0> halos = findHaloLoops(op);
  if (halos.empty())
    return;
  SmallVector<SmallVector<WindowDim, 4>, 0> shapes;
  SmallVector<int64_t> bytes;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    shapes.push_back(getOperandDims(operand));
    bytes.push_back(type ? tp::getElementBytes(type) : 1);
  }
  for (const HaloLoop &halo : halos)
    for (bool readsShards : {true, false}) {
      ShardingRule::Move &move = rule.moves.emplace_back();
      move.operands.assign(op->getNumOperands(), -1);
      move.results.assign(op->getNumResults(), -1);
      move.partial = halo.isReduction;
      move.size = halo.size;
      for (auto [operand, dim] : halo.plain) {
        move.operands[operand] = dim;
        if (operand >= op.getNumDpsInputs())
          move.results[operand - op.getNumDpsInputs()] = dim;
      }
      if (readsShards)
        for (const HaloLoop::Read &read : halo.reads)
          move.operands[read.operand] = read.dim;
    }
  rule.ownSteps =
      [halos = std::move(halos), shapes = std::move(shapes),
       bytes = std::move(bytes)](
          const Mesh &mesh, ArrayRef<Placement> operands,
          ArrayRef<Placement>) -> std::optional<ShardingRule::OwnSteps> {
    ShardingRule::OwnSteps steps;
    for (const HaloLoop &halo : halos) {
      SmallVector<unsigned> axes = halo.axes(operands);
      if (axes.empty())
        continue;
      int64_t ranks = mesh.groupSize(axes);
      // Nested splits begin at multiples of one chunk only where they are even.
      if (axes.size() > 1 && halo.size % ranks != 0)
        return std::nullopt;
      SmallVector<std::pair<Window, int64_t>, 0> windows;
      for (const HaloLoop::Read &read : halo.reads) {
        const Placement &from = operands[read.operand];
        Window window;
        window.from = window.to = from;
        window.dims = shapes[read.operand];
        WindowDim &dim = window.dims[read.dim];
        dim.block = halo.block(read, ranks);
        dim.result = ranks * dim.block;
        dim.offset += read.offset;
        dim.step = halo.chunk(ranks) * read.stride;
        SmallVector<unsigned> held = from.shardAxes(read.dim);
        if (held.empty())
          for (unsigned axis : axes)
            window.to = window.to.with(Placement::Entry::shard(axis, read.dim));
        else if (held != axes)
          return std::nullopt;
        windows.emplace_back(std::move(window), bytes[read.operand]);
      }
      std::optional<ShardingRule::OwnSteps> own = getOwnSteps(mesh, windows);
      if (!own)
        return std::nullopt;
      steps.append(*own);
    }
    return steps;
  };
}

} // namespace tpc
