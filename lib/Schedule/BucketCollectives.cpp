// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which collectives travel together, in each block of operations alone:
// those of one block of the model first, then all-reduces and windows.

#include "ParameterOf.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tpc/Schedule/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace tpc {
#define GEN_PASS_DEF_BUCKETCOLLECTIVESPASS
#include "tpc/Schedule/Passes.h.inc"
} // namespace tpc

using namespace mlir;
using namespace tpc;

using Bucket = SmallVector<tp::CollectiveOpInterface>;

static bool communicates(Operation *op) {
  auto collective = dyn_cast<tp::CollectiveOpInterface>(op);
  return collective && !isLocal(collective.getStepKind());
}

/// Visits what `op` and its regions read of the block of `op`.
static void forEachSource(Operation *op,
                          llvm::function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && def->getBlock() == op->getBlock())
        visit(def);
    }
  });
}

/// True where one of `readers` cannot run before all of `sources` have. The
/// block is in order.
static bool anyNeeds(ArrayRef<tp::CollectiveOpInterface> readers,
                     ArrayRef<tp::CollectiveOpInterface> sources) {
  Operation *first = sources.front();
  for (Operation *source : sources)
    if (source->isBeforeInBlock(first))
      first = source;
  SmallVector<Operation *> stack(readers.begin(), readers.end());
  llvm::SmallPtrSet<Operation *, 32> seen;
  bool found = false;
  while (!stack.empty() && !found)
    forEachSource(stack.pop_back_val(), [&](Operation *def) {
      found |= llvm::is_contained(sources, def);
      if (!def->isBeforeInBlock(first) && seen.insert(def).second)
        stack.push_back(def);
    });
  return found;
}

/// Joins texts that differ, in order.
static StringAttr joinAttr(const Bucket &ops, StringRef name,
                           StringRef separator) {
  SmallVector<StringRef> parts;
  for (tp::CollectiveOpInterface op : ops)
    if (auto text = op->getAttrOfType<StringAttr>(name))
      if (!llvm::is_contained(parts, text.getValue()))
        parts.push_back(text.getValue());
  return StringAttr::get(ops[0]->getContext(), llvm::join(parts, separator));
}

/// Offsets and blocks of all windows in `ops`.
static void joinGeometry(const Bucket &ops, NamedAttrList &attributes) {
  SmallVector<Attribute> offsets, blocks;
  bool hasBlocks = false;
  Builder builder(ops[0]->getContext());
  for (tp::CollectiveOpInterface op : ops) {
    auto window = cast<tp::WindowOp>(op.getOperation());
    llvm::append_range(offsets, window.getOffsets());
    if (window.getBlocks()) {
      hasBlocks = true;
      llvm::append_range(blocks, *window.getBlocks());
      continue;
    }
    for (auto list : window.getOffsets().getAsRange<DenseI64ArrayAttr>())
      blocks.push_back(builder.getDenseI64ArrayAttr(
          SmallVector<int64_t>(2 * list.size(), 0)));
  }
  attributes.set("offsets", builder.getArrayAttr(offsets));
  if (hasBlocks)
    attributes.set("blocks", builder.getArrayAttr(blocks));
}

/// Makes one collective of `ops`, in front of `place`.
static void merge(const Bucket &ops, Operation *place) {
  OpBuilder builder(place);
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  SmallVector<Attribute> parts;
  SmallVector<Location> locs;
  for (tp::CollectiveOpInterface op : ops) {
    llvm::append_range(inputs, op.getInputs());
    llvm::append_range(types, op->getResultTypes());
    llvm::append_range(parts, op.getPartsAttr());
    locs.push_back(op.getLoc());
  }
  OperationState state(builder.getFusedLoc(locs), ops[0]->getName());
  state.addOperands(inputs);
  state.addTypes(types);
  state.addAttributes(ops[0]->getAttrs());
  state.attributes.set("parts", builder.getArrayAttr(parts));
  if (isa<tp::WindowOp>(ops[0]))
    joinGeometry(ops, state.attributes);
  state.attributes.set(tp::TPDialect::kValue,
                       joinAttr(ops, tp::TPDialect::kValue, ", "));
  state.attributes.set(tp::TPDialect::kWhy,
                       joinAttr(ops, tp::TPDialect::kWhy, " | "));
  int64_t bound = 0;
  for (tp::CollectiveOpInterface op : ops)
    if (auto attr = op->getAttrOfType<IntegerAttr>(tp::TPDialect::kLowerBound))
      bound += attr.getInt();
  state.attributes.set(tp::TPDialect::kLowerBound,
                       builder.getI64IntegerAttr(bound));
  // The tensors may be at different steps of their ways.
  state.attributes.erase(tp::TPDialect::kPath);
  auto merged = cast<tp::CollectiveOpInterface>(builder.create(state));
  unsigned next = 0;
  for (tp::CollectiveOpInterface op : ops)
    for (Value result : op.getOutputs())
      result.replaceAllUsesWith(merged.getOutputs()[next++]);
  for (tp::CollectiveOpInterface op : ops)
    op->erase();
}

/// Moves what `op` reads in front of `place`; nothing of it depends on `place`.
static void raiseSources(Operation *op, Operation *place) {
  forEachSource(op, [&](Operation *def) {
    if (def->isBeforeInBlock(place))
      return;
    raiseSources(def, place);
    def->moveBefore(place);
  });
}

namespace {

/// What collectives must have in common to travel together.
struct Key {
  StepKind kind;
  const void *axes, *reduction;
  StringRef phase;
  /// The parameter or the block of the model; empty for none.
  std::string owner;
  int64_t level = 0;

  bool operator<(const Key &o) const {
    return std::tie(kind, axes, reduction, phase, owner, level) <
           std::tie(o.kind, o.axes, o.reduction, o.phase, o.owner, o.level);
  }
};

struct BucketCollectivesPass
    : public tpc::impl::BucketCollectivesPassBase<BucketCollectivesPass> {
  using BucketCollectivesPassBase::BucketCollectivesPassBase;

  using Buckets = llvm::MapVector<Key, Bucket, std::map<Key, unsigned>>;

  static Key makeKey(tp::CollectiveOpInterface op) {
    return {op.getStepKind(), op.getAxes().getAsOpaquePointer(),
            op.getReductionAttr().getAsOpaquePointer(), tp::getPhase(op), ""};
  }

  /// Gathers of the parameters of one block of the model travel together with
  /// the first; reductions of its gradients, and gathers of its new parameters,
  /// with the last.
  void bucketByModelBlock(Block &block) {
    struct Candidates {
      Bucket ops;
      bool stored;
    };
    llvm::MapVector<Key, Candidates, std::map<Key, unsigned>> candidates;
    for (auto op : block.getOps<tp::CollectiveOpInterface>()) {
      StepKind kind = op.getStepKind();
      if ((kind != StepKind::AllGather && kind != StepKind::ReduceScatter) ||
          !op.getPartsAttr())
        continue;
      std::optional<ServedParameter> parameter = findParameter(op);
      if (!parameter)
        continue;
      Key key = makeKey(op);
      key.owner = getModelBlock(parameter->name).str();
      key.level = parameter->stored;
      auto &[ops, stored] = candidates[key];
      ops.push_back(op);
      stored = parameter->stored;
    }
    for (auto &[key, found] : candidates) {
      // Several where one needs another.
      SmallVector<Bucket> buckets;
      for (tp::CollectiveOpInterface op : found.ops) {
        Bucket *fits = llvm::find_if(buckets, [&](const Bucket &bucket) {
          return !anyNeeds(op, bucket) && !anyNeeds(bucket, op);
        });
        if (fits == buckets.end())
          fits = &buckets.emplace_back();
        fits->push_back(op);
      }
      for (const Bucket &bucket : buckets) {
        if (bucket.size() == 1)
          continue;
        if (found.stored)
          for (tp::CollectiveOpInterface op : bucket)
            raiseSources(op, bucket.front());
        merge(bucket, found.stored ? bucket.front() : bucket.back());
        sortTopologically(&block);
      }
    }
  }

  void bucketByDepth(Block &block) {
    // Collectives before an operation, and whether one comes behind it.
    DenseMap<Operation *, int64_t> depth;
    DenseMap<Operation *, bool> waitedFor;
    for (Operation &op : block) {
      int64_t before = 0;
      forEachSource(&op, [&](Operation *def) {
        before = std::max(before, depth.lookup(def));
      });
      depth[&op] = before + communicates(&op);
    }
    for (Operation &op : llvm::reverse(block)) {
      bool waits = waitedFor.lookup(&op);
      op.walk([&](Operation *inner) { waits |= communicates(inner); });
      if (waits)
        forEachSource(&op, [&](Operation *def) { waitedFor[def] = true; });
    }
    Buckets buckets;
    // Windows that no other collective waits for join those of their depth that
    // some do, or each other.
    Bucket idle;
    for (auto op : block.getOps<tp::CollectiveOpInterface>()) {
      bool isWindow = isa<tp::WindowOp>(op) && communicates(op);
      if ((op.getStepKind() != StepKind::AllReduce && !isWindow) ||
          !op.getPartsAttr())
        continue;
      Key key = makeKey(op);
      if (bucket == "parameter")
        if (std::optional<ServedParameter> parameter = findParameter(op))
          key.owner = parameter->name;
      key.level = waitedFor.lookup(op) ? depth.lookup(op) : -1;
      if (isWindow && key.level < 0)
        idle.push_back(op);
      else
        buckets[key].push_back(op);
    }
    for (tp::CollectiveOpInterface op : idle) {
      Key key = makeKey(op);
      key.level = depth.lookup(op);
      if (!buckets.contains(key))
        key.level = -1;
      buckets[key].push_back(op);
    }
    bool changed = false;
    for (auto &[key, ops] : buckets)
      if (ops.size() > 1) {
        merge(ops, ops.back());
        changed = true;
      }
    if (changed)
      sortTopologically(&block);
  }

  void runOnOperation() override {
    if (bucket != "block" && bucket != "parameter") {
      getOperation().emitError("--bucket: expected block or parameter, got '")
          << bucket << "'";
      return signalPassFailure();
    }
    getOperation().walk([&](Block *block) {
      if (bucket == "block")
        bucketByModelBlock(*block);
      bucketByDepth(*block);
    });
  }
};
} // namespace
