// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which all-reduces travel together.

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tpc/Dialect/TP/TP.h"
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

/// Joins texts that differ, in order.
static StringAttr joinAttr(ArrayRef<tp::AllReduceOp> ops, StringRef name,
                           StringRef separator) {
  SmallVector<StringRef> parts;
  for (tp::AllReduceOp op : ops)
    if (auto text = op->getAttrOfType<StringAttr>(name))
      if (!llvm::is_contained(parts, text.getValue()))
        parts.push_back(text.getValue());
  return StringAttr::get(ops[0]->getContext(), llvm::join(parts, separator));
}

/// What `op` waits for: its operands, and what its regions use from outside.
static SmallVector<Value> getUses(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> uses = captured.takeVector();
  llvm::append_range(uses, op->getOperands());
  return uses;
}

/// True when running `op` means to wait for other ranks: a collective, or a
/// loop or branch with one inside.
static bool communicates(Operation *op) {
  return op
      ->walk([](tp::CollectiveOpInterface inner) {
        return isLocal(inner.getStepKind()) ? WalkResult::advance()
                                            : WalkResult::interrupt();
      })
      .wasInterrupted();
}

static void merge(ArrayRef<tp::AllReduceOp> ops) {
  OpBuilder builder(ops.back());
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  SmallVector<Attribute> parts;
  SmallVector<Location> locs;
  for (tp::AllReduceOp op : ops) {
    llvm::append_range(inputs, op.getInputs());
    llvm::append_range(types, op.getResultTypes());
    llvm::append_range(parts, op.getPartsAttr());
    locs.push_back(op.getLoc());
  }
  OperationState state(builder.getFusedLoc(locs), ops[0]->getName());
  state.addOperands(inputs);
  state.addTypes(types);
  state.addAttributes(ops[0]->getAttrs());
  state.attributes.set("parts", builder.getArrayAttr(parts));
  state.attributes.set(tp::TPDialect::kValue,
                       joinAttr(ops, tp::TPDialect::kValue, ", "));
  state.attributes.set(tp::TPDialect::kWhy,
                       joinAttr(ops, tp::TPDialect::kWhy, " | "));
  int64_t bound = 0;
  for (tp::AllReduceOp op : ops)
    if (auto attr = op->getAttrOfType<IntegerAttr>("tp.lower_bound"))
      bound += attr.getInt();
  state.attributes.set("tp.lower_bound", builder.getI64IntegerAttr(bound));
  auto merged = cast<tp::AllReduceOp>(builder.create(state));
  unsigned next = 0;
  for (tp::AllReduceOp op : ops) {
    for (Value result : op.getOutputs())
      result.replaceAllUsesWith(merged.getOutputs()[next++]);
    op.erase();
  }
}

namespace {
struct BucketCollectivesPass
    : public tpc::impl::BucketCollectivesPassBase<BucketCollectivesPass> {
  void bucket(Block &block) {
    // Collectives before an operation, and whether one comes behind it.
    DenseMap<Operation *, int64_t> depth;
    DenseMap<Operation *, bool> waitedFor;
    for (Operation &op : block) {
      int64_t before = 0;
      for (Value use : getUses(&op))
        if (Operation *def = use.getDefiningOp())
          before = std::max(before, depth.lookup(def));
      depth[&op] = before + communicates(&op);
    }
    for (Operation &op : llvm::reverse(block)) {
      bool waits = communicates(&op) || waitedFor.lookup(&op);
      if (!waits)
        continue;
      for (Value use : getUses(&op))
        if (Operation *def = use.getDefiningOp())
          waitedFor[def] = true;
    }
    using Key = std::tuple<void const *, void const *, StringRef, int64_t>;
    llvm::MapVector<Key, SmallVector<tp::AllReduceOp>, std::map<Key, unsigned>>
        buckets;
    for (auto op : block.getOps<tp::AllReduceOp>()) {
      if (!op.getPartsAttr())
        continue;
      int64_t level = waitedFor.lookup(op) ? depth.lookup(op) : -1;
      buckets[{op.getAxes().getAsOpaquePointer(),
               op.getReductionAttr().getAsOpaquePointer(), tp::getPhase(op),
               level}]
          .push_back(op);
    }
    bool changed = false;
    for (auto &[key, ops] : buckets)
      if (ops.size() > 1) {
        merge(ops);
        changed = true;
      }
    if (changed)
      sortTopologically(&block);
  }

  void runOnOperation() override {
    // Block by block: nothing moves into a loop or branch or out of it.
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](Block *block) { bucket(*block); });
  }
};
} // namespace
