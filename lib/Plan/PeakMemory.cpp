// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates memory from the lifetimes of placed values, in program order.
//
// What the later stages do is foreseen where it matters: reshapes are other
// views of a buffer, splats and elementwise operations with one reader are
// computed where they are read, and an operation may write over an operand of
// the same size that nobody reads again. Arguments and results are there from
// the first moment to the last. A value of outside that a loop reads lives to
// the end of the loop; a tensor that a loop carries has one buffer. Gathers of
// what is stored run ahead by one use, and what a reduction takes is kept until
// the next one. Not foreseen: packed copies of operands, gaps between buffers,
// and buckets.

#include "PeakMemory.h"
#include "FreeProducer.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Dialect/TP/UserLocation.h"

using namespace mlir;
using namespace tpc;

namespace {

struct Buffer {
  Value value;
  int64_t bytes;
  /// The block it is made in: what happens in loops inside happens to it until
  /// they end.
  Block *home;
  /// Moments, both included.
  unsigned begin, end;
  /// An argument or result: the caller's memory.
  bool outside = false;
};

class LifetimeAnalysis {
public:
  LifetimeAnalysis(func::FuncOp func, Redistributor &paths)
      : func(func), paths(paths) {}

  PeakMemory run();

private:
  using Roots = SmallVector<unsigned, 2>;

  int64_t bytesOf(Type type) const;
  unsigned addBuffer(Value value, Block *home);
  void visitBlock(Block &block);
  void visitOperation(Operation *op);
  void visitRegions(Operation *op);
  /// The steps between a redistribute's ends.
  void visitRedistribute(tp::RedistributeOp op);
  void visitOverlap(tp::RedistributeOp op);
  void read(Value value, Operation *reader, unsigned moment);
  bool isComputedByReader(linalg::LinalgOp op) const;
  void addReuse(Operation *op, unsigned made);
  void reuseBuffers();

  func::FuncOp func;
  Redistributor &paths;
  SmallVector<Buffer, 0> buffers;
  /// The buffers that a value's elements come from.
  DenseMap<Value, Roots> roots;
  /// The last moment of an operation with regions that has been visited.
  DenseMap<Operation *, unsigned> lastMoment;
  /// A buffer that may take the place of another at its first moment.
  struct Reuse {
    unsigned made, old;
  };
  SmallVector<Reuse> reuses;
  /// Reads to be done when all moments are known.
  struct Read {
    unsigned buffer;
    Operation *reader;
    unsigned moment;
  };
  SmallVector<Read, 0> reads;
  unsigned now = 0;
  /// The last redistributes of their block that run beside the compute: of a
  /// gather of an argument its buffer, of a reduction the operation.
  DenseMap<Block *, unsigned> lastGather;
  DenseMap<Block *, tp::RedistributeOp> lastReduction;
};

} // namespace

int64_t LifetimeAnalysis::bytesOf(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  int64_t bytes = tp::getElementBytes(tensor);
  Placement placement = tp::getPlacement(tensor).resolve(paths.mesh());
  for (int64_t size : placement.localShape(paths.mesh(), tensor.getShape()))
    bytes *= size;
  return bytes;
}

unsigned LifetimeAnalysis::addBuffer(Value value, Block *home) {
  buffers.push_back({value, bytesOf(value.getType()), home, now, now});
  unsigned number = buffers.size() - 1;
  roots[value] = {number};
  return number;
}

void LifetimeAnalysis::read(Value value, Operation *reader, unsigned moment) {
  auto found = roots.find(value);
  if (found == roots.end())
    return;
  for (unsigned buffer : found->second)
    reads.push_back({buffer, reader, moment});
}

/// Elementwise, and needed by one other operation that is no contraction: the
/// lower stage computes it there.
bool LifetimeAnalysis::isComputedByReader(linalg::LinalgOp op) const {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() ||
      !op->getResult(0).hasOneUse())
    return false;
  OpOperand &use = *op->getResult(0).use_begin();
  auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!reader || reader->getBlock() != op->getBlock() ||
      !reader.isDpsInput(&use) ||
      (reader.getNumReductionLoops() && reader.getNumDpsInputs() > 1))
    return false;
  auto points = [](linalg::LinalgOp op) {
    int64_t product = 1;
    for (int64_t extent : op.getStaticLoopRanges())
      product *= extent;
    return product;
  };
  return points(reader) <= points(op);
}

void LifetimeAnalysis::addReuse(Operation *op, unsigned made) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    bool inPlace =
        destination && destination.isDpsInit(&operand)
            ? true
            : linalgOp && !linalgOp.getNumReductionLoops() &&
                  isa<RankedTensorType>(operand.get().getType()) &&
                  linalgOp.getMatchingIndexingMap(&operand).isIdentity();
    auto found = roots.find(operand.get());
    if (!inPlace || found == roots.end())
      continue;
    for (unsigned old : found->second)
      reuses.push_back({made, old});
  }
}

void LifetimeAnalysis::visitRedistribute(tp::RedistributeOp op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  const RedistributionPlan *plan = paths.plan(
      type.getShape(), tp::getElementBytes(type),
      tp::getPlacement(type).resolve(paths.mesh()),
      tp::getPlacement(op.getOutput().getType()).resolve(paths.mesh()));
  int64_t between = 0;
  if (plan && !plan->steps.empty())
    for (const Step &step : ArrayRef(plan->steps).drop_back()) {
      int64_t bytes = tp::getElementBytes(type);
      for (int64_t size : step.to.localShape(paths.mesh(), type.getShape()))
        bytes *= size;
      between = std::max(between, bytes);
    }
  if (between)
    buffers.push_back({op.getOutput(), between, op->getBlock(), now, now});
}

/// Communication that is hidden behind the compute takes memory for longer.
void LifetimeAnalysis::visitOverlap(tp::RedistributeOp op) {
  Block *block = op->getBlock();
  bool grows =
      bytesOf(op.getOutput().getType()) > bytesOf(op.getInput().getType());
  if (grows && isa<BlockArgument>(op.getInput())) {
    unsigned made = roots[op.getOutput()].front();
    if (auto last = lastGather.find(block); last != lastGather.end())
      for (const Read &read : reads)
        if (read.buffer == last->second)
          buffers[made].begin = std::min(buffers[made].begin, read.moment);
    lastGather[block] = made;
    return;
  }
  // What is returned, gradients mostly, is needed late.
  bool isPartial = tp::getPlacement(op.getInput().getType())
                       .resolve(paths.mesh())
                       .hasPartial();
  if (isPartial &&
      llvm::all_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>)) {
    if (auto last = lastReduction.find(block); last != lastReduction.end())
      read(last->second.getInput(), op, now);
    lastReduction[block] = op;
  }
}

void LifetimeAnalysis::visitRegions(Operation *op) {
  // What a loop carries and what a branch gives has one buffer.
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    unsigned buffer = addBuffer(result, op->getBlock());
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      roots[loop.getRegionIterArg(index)] = {buffer};
      read(loop.getInitArgs()[index], op, now);
      auto init = roots.find(loop.getInitArgs()[index]);
      if (init != roots.end() && init->second.size() == 1)
        reuses.push_back({buffer, init->second.front()});
    }
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      visitBlock(block);
  for (OpResult result : op->getResults())
    for (unsigned buffer : roots[result])
      buffers[buffer].end = std::max(buffers[buffer].end, now);
  lastMoment[op] = now;
}

void LifetimeAnalysis::visitOperation(Operation *op) {
  ++now;
  if (isa<scf::ForOp, scf::IfOp>(op))
    return visitRegions(op);
  if (isFreeProducer(op))
    return;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op)) {
    auto found = roots.find(op->getOperand(0));
    if (found != roots.end()) {
      Roots same = found->second;
      roots[op->getResult(0)] = same;
    }
    return;
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      linalgOp && isComputedByReader(linalgOp)) {
    Roots all;
    for (Value operand : op->getOperands())
      if (auto found = roots.find(operand); found != roots.end())
        for (unsigned buffer : found->second)
          if (!llvm::is_contained(all, buffer))
            all.push_back(buffer);
    roots[op->getResult(0)] = all;
    return;
  }
  for (Value operand : op->getOperands())
    read(operand, op, now);
  if (auto redistribute = dyn_cast<tp::RedistributeOp>(op))
    visitRedistribute(redistribute);
  // Constants are part of the program.
  if (op->hasTrait<OpTrait::ConstantLike>())
    return;
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      addReuse(op, addBuffer(result, op->getBlock()));
  if (auto redistribute = dyn_cast<tp::RedistributeOp>(op))
    visitOverlap(redistribute);
}

void LifetimeAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visitOperation(&op);
}

void LifetimeAnalysis::reuseBuffers() {
  llvm::SmallBitVector taken(buffers.size()), settled(buffers.size());
  for (auto [made, old] : reuses) {
    Buffer &to = buffers[made], &from = buffers[old];
    if (settled[made] || taken[old] || from.outside || to.outside ||
        from.home != to.home || from.end != to.begin || from.bytes != to.bytes)
      continue;
    // The old one ends a moment before.
    from.end -= 1;
    taken.set(old);
    settled.set(made);
  }
}

/// What a user knows of a value: its name, or where it is computed.
static std::string describe(Value value) {
  if (auto move = value.getDefiningOp<tp::RedistributeOp>())
    if (auto name = move->getAttrOfType<StringAttr>(tp::TPDialect::kValue))
      return "'" + name.str() + "' as " +
             tp::getPlacement(value.getType()).str();
  std::string text = "'" + tp::getUserName(value) + "'";
  std::string location;
  if (Operation *producer = value.getDefiningOp())
    location = tp::getUserLocation(producer->getLoc());
  return location.empty() ? text : text + " at " + location;
}

PeakMemory LifetimeAnalysis::run() {
  Block &body = func.getBody().front();
  for (BlockArgument arg : func.getArguments())
    buffers[addBuffer(arg, &body)].outside = true;
  visitBlock(body);
  for (const Read &read : reads) {
    Buffer &buffer = buffers[read.buffer];
    Operation *around = buffer.home->findAncestorOpInBlock(*read.reader);
    buffer.end =
        std::max(buffer.end, around == read.reader ? read.moment
                                                   : lastMoment.lookup(around));
  }
  // A result that is some computed value is where that value is made.
  PeakMemory peak;
  auto count = [&](Value value, int64_t bytes) {
    peak.bytes += bytes;
    peak.tensors.push_back({describe(value), bytes});
  };
  for (Value result : body.getTerminator()->getOperands()) {
    auto found = roots.find(result);
    if (found != roots.end() && found->second.size() == 1 &&
        !buffers[found->second.front()].outside)
      buffers[found->second.front()].outside = true;
    else
      count(result, bytesOf(result.getType()));
  }
  reuseBuffers();

  // Live bytes change at the begin of a buffer and behind its end.
  SmallVector<int64_t> change(now + 2, 0);
  for (const Buffer &buffer : buffers) {
    if (buffer.outside) {
      count(buffer.value, buffer.bytes);
    } else if (buffer.begin <= buffer.end) {
      change[buffer.begin] += buffer.bytes;
      change[buffer.end + 1] -= buffer.bytes;
    }
  }
  int64_t live = 0, most = 0;
  unsigned worst = 0;
  for (auto [moment, bytes] : llvm::enumerate(change)) {
    live += bytes;
    if (live > most) {
      most = live;
      worst = moment;
    }
  }
  for (const Buffer &buffer : buffers)
    if (!buffer.outside && buffer.begin <= worst && worst <= buffer.end)
      count(buffer.value, buffer.bytes);
  llvm::sort(peak.tensors, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return peak;
}

PeakMemory tpc::estimatePeakMemory(func::FuncOp func, Redistributor &paths) {
  return LifetimeAnalysis(func, paths).run();
}
