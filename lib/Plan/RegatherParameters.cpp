// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which parameters are gathered again for the backward pass and in
// loops, instead of being kept gathered.
//
// A parameter is used in contexts: the forward pass outside of loops, the
// other phases, and those in each loop. Every context but the first gets a
// `tp.fresh` of the parameter in front of its first use, behind which moves are
// its own. What is computed from the parameter alone (the use pin, reshapes, a
// cast) would keep the gathered tensor alive all the same, so it is repeated
// there.

#include "FreeProducer.h"
#include "PlanFunction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tpc/Dialect/TP/Redistributor.h"
#include "tpc/Dialect/TP/Steps.h"
#include "tpc/Plan/Passes.h"

namespace tpc {
#define GEN_PASS_DEF_REGATHERPARAMETERSPASS
#include "tpc/Plan/Passes.h.inc"
} // namespace tpc

using namespace mlir;
using namespace tpc;

namespace {

/// One use of a parameter, or of what is computed from it alone by `chain`.
struct ParameterUse {
  OpOperand *operand;
  SmallVector<Operation *, 2> chain;
};

/// Uses that share a gather: those of a block (of a loop, or the function's) in
/// one phase.
struct Context {
  Block *block;
  StringRef phase;
  SmallVector<ParameterUse, 4> uses;
};

} // namespace

/// The body of the innermost loop around `op`, or the function's.
static Block *contextBlock(Operation *op) {
  while (!isa<func::FuncOp, LoopLikeOpInterface>(op->getParentOp()))
    op = op->getParentOp();
  return op->getBlock();
}

/// True where `op` computes its one result from `value` and nothing else that
/// any rank would need another for.
static bool derivesFrom(Operation *op, Value value) {
  if (isa<tp::ConstrainOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::CastOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() == 0 &&
         op->getNumResults() == 1 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return operand == value ||
                  !isa<RankedTensorType>(operand.getType()) ||
                  isFreeProducer(operand.getDefiningOp());
         });
}

static void collectUses(Value value, ArrayRef<Operation *> chain,
                        SmallVectorImpl<ParameterUse> &uses) {
  for (OpOperand &operand : value.getUses()) {
    Operation *user = operand.getOwner();
    bool isForward = isa<func::FuncOp>(user->getParentOp()) &&
                     tp::getPhase(user) == "forward";
    if (isForward && derivesFrom(user, value)) {
      SmallVector<Operation *> longer(chain);
      longer.push_back(user);
      collectUses(user->getResult(0), longer, uses);
    } else if (!isa<func::ReturnOp>(user)) {
      uses.push_back({&operand, SmallVector<Operation *, 2>(chain)});
    }
  }
}

/// The contexts of a parameter that get a copy of their own, in the order of
/// their first uses.
static SmallVector<Context> findContexts(BlockArgument arg) {
  SmallVector<ParameterUse> uses;
  collectUses(arg, {}, uses);
  SmallVector<Context> contexts;
  for (ParameterUse &use : uses) {
    Operation *user = use.operand->getOwner();
    Block *block = contextBlock(user);
    StringRef phase = tp::getPhase(user);
    if (block == arg.getOwner() && phase == "forward")
      continue;
    auto found = llvm::find_if(contexts, [&](const Context &context) {
      return context.block == block && context.phase == phase;
    });
    if (found == contexts.end()) {
      contexts.push_back({block, phase, {}});
      found = std::prev(contexts.end());
    }
    found->uses.push_back(std::move(use));
  }
  return contexts;
}

static void giveCopy(BlockArgument arg, Context &context) {
  auto around = [&](const ParameterUse &use) {
    return context.block->findAncestorOpInBlock(*use.operand->getOwner());
  };
  Operation *first = around(context.uses.front());
  for (const ParameterUse &use : context.uses)
    if (around(use)->isBeforeInBlock(first))
      first = around(use);
  OpBuilder builder(first);
  auto mark = [&](Operation *op) {
    if (context.phase != "forward")
      op->setAttr(tp::TPDialect::kPhase, builder.getStringAttr(context.phase));
  };
  auto fresh = tp::FreshOp::create(builder, arg.getLoc(), arg.getType(), arg);
  mark(fresh);
  IRMapping copies;
  copies.map(arg, fresh.getOutput());
  for (ParameterUse &use : context.uses) {
    for (Operation *op : use.chain)
      if (!copies.contains(op->getResult(0)))
        mark(builder.clone(*op, copies));
    use.operand->set(copies.lookup(use.operand->get()));
  }
}

/// Gives every context of `arg` a copy of its own.
static void regather(BlockArgument arg) {
  SmallVector<Context> contexts = findContexts(arg);
  SmallVector<Operation *> chains;
  for (Context &context : contexts) {
    for (const ParameterUse &use : context.uses)
      for (Operation *op : use.chain)
        if (!llvm::is_contained(chains, op))
          chains.push_back(op);
    giveCopy(arg, context);
  }
  // A pin whose uses are all gone would still be met.
  while (true) {
    auto unused =
        llvm::find_if(chains, [](Operation *op) { return op->use_empty(); });
    if (unused == chains.end())
      return;
    (*unused)->erase();
    chains.erase(unused);
  }
}

/// Bytes per rank of the copies of a placed parameter that are larger than what
/// they are made from.
static int64_t gatheredBytes(Value value, const Mesh &mesh) {
  auto bytesOf = [&](Value v) {
    auto type = cast<RankedTensorType>(v.getType());
    int64_t bytes = tp::getElementBytes(type);
    for (int64_t size :
         tp::getPlacement(type).resolve(mesh).localShape(mesh, type.getShape()))
      bytes *= size;
    return bytes;
  };
  int64_t bytes = 0;
  for (Operation *user : value.getUsers()) {
    if (auto move = dyn_cast<tp::RedistributeOp>(user)) {
      int64_t made = bytesOf(move.getOutput());
      bytes += (made > bytesOf(value) ? made : 0) +
               gatheredBytes(move.getOutput(), mesh);
    } else if (isa<func::FuncOp>(user->getParentOp()) &&
               derivesFrom(user, value)) {
      bytes += gatheredBytes(user->getResult(0), mesh);
    }
  }
  return bytes;
}

namespace {
struct RegatherParametersPass
    : public tpc::impl::RegatherParametersPassBase<RegatherParametersPass> {
  using RegatherParametersPassBase::RegatherParametersPassBase;

  static SmallVector<unsigned> findParameters(func::FuncOp func) {
    SmallVector<unsigned> parameters;
    for (BlockArgument arg : func.getArguments())
      if (func.getArgAttr(arg.getArgNumber(), tp::TPDialect::kParam) &&
          isa<RankedTensorType>(arg.getType()) && !findContexts(arg).empty())
        parameters.push_back(arg.getArgNumber());
    return parameters;
  }

  /// Plans a copy of `func` with some parameters gathered again. `planned`: the
  /// copy is left there.
  FailureOr<PeakMemory> tryPlan(func::FuncOp func, ArrayRef<unsigned> chosen,
                                tp::MeshOp mesh, Redistributor &paths,
                                OwningOpRef<func::FuncOp> &planned) {
    planned = func.clone();
    for (unsigned number : chosen)
      regather(planned->getArgument(number));
    PlanOptions options;
    options.productWorkspace = productWorkspace;
    return planFunction(*planned, mesh, paths, options);
  }

  /// Fewest parameters, those of the largest gathered copies first, without
  /// whose copies the plan fits the budget.
  LogicalResult fitBudget(func::FuncOp func, tp::MeshOp mesh,
                          Redistributor &paths) {
    OwningOpRef<func::FuncOp> planned;
    FailureOr<PeakMemory> peak = tryPlan(func, {}, mesh, paths, planned);
    if (failed(peak))
      return failure();
    if (peak->bytes <= memoryBudget)
      return success();
    SmallVector<std::pair<int64_t, unsigned>> candidates;
    for (unsigned number : findParameters(func))
      if (int64_t bytes =
              gatheredBytes(planned->getArgument(number), paths.mesh()))
        candidates.push_back({-bytes, number});
    llvm::sort(candidates);
    SmallVector<unsigned> order;
    for (auto [bytes, number] : candidates)
      order.push_back(number);

    FailureOr<PeakMemory> all = tryPlan(func, order, mesh, paths, planned);
    if (failed(all))
      return failure();
    if (all->bytes > memoryBudget)
      return reportOverBudget(func, all->bytes < peak->bytes ? *all : *peak);
    // More copies given up need no more memory: look for the fewest that do.
    size_t tooFew = 0, enough = order.size();
    while (enough - tooFew > 1) {
      size_t middle = (tooFew + enough) / 2;
      FailureOr<PeakMemory> some = tryPlan(
          func, ArrayRef(order).take_front(middle), mesh, paths, planned);
      if (failed(some))
        return failure();
      (some->bytes <= memoryBudget ? enough : tooFew) = middle;
    }
    for (unsigned number : ArrayRef(order).take_front(enough))
      regather(func.getArgument(number));
    return success();
  }

  LogicalResult reportOverBudget(func::FuncOp func, const PeakMemory &best) {
    constexpr size_t kShown = 5;
    InFlightDiagnostic diag =
        func.emitError("expected a plan of at most ")
        << int64_t(memoryBudget) << " bytes per rank, got " << best.bytes
        << " at the least, with parameters gathered again "
        << "where that helps; the largest tensors are ";
    llvm::interleaveComma(ArrayRef(best.tensors).take_front(kShown), diag,
                          [&](const std::pair<std::string, int64_t> &tensor) {
                            diag << tensor.first << " (" << tensor.second
                                 << " bytes)";
                          });
    return diag;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (reuse == "keep")
      return;
    if (reuse != "regather" && reuse != "auto") {
      module.emitError("expected gather reuse keep, regather or auto, got \"")
          << reuse << "\"";
      return signalPassFailure();
    }
    if (reuse == "regather") {
      for (auto func : module.getOps<func::FuncOp>())
        if (!func.isExternal())
          for (unsigned number : findParameters(func))
            regather(func.getArgument(number));
      return;
    }
    std::unique_ptr<Redistributor> paths =
        tp::makeRedistributor(module, objective, targetSpec);
    if (!paths)
      return signalPassFailure();
    tp::MeshOp mesh = tp::getSingleMesh(module);
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal() && failed(fitBudget(func, mesh, *paths)))
        return signalPassFailure();
  }
};
} // namespace
