// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides whether a placed program means what it says, operation by operation.

#include "FreeProducer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Interfaces/Strategy.h"
#include "tpc/Plan/Passes.h"

namespace tpc {
#define GEN_PASS_DEF_VERIFYPLACEMENTSPASS
#include "tpc/Plan/Passes.h.inc"
} // namespace tpc

using namespace mlir;
using namespace tpc;

namespace {
struct VerifyPlacementsPass
    : public tpc::impl::VerifyPlacementsPassBase<VerifyPlacementsPass> {
  /// The placement of `type`; replicated for what is no tensor. Fails where a
  /// tensor has none.
  FailureOr<Placement> placementOf(Operation *op, Type type, const Mesh &mesh) {
    if (!isa<RankedTensorType>(type))
      return Placement();
    tp::PlacementAttr attr = tp::getPlacement(type);
    if (!attr)
      return op->emitError("expected a placement on every tensor, got ")
             << type;
    FailureOr<Placement> placement =
        attr.resolve(mesh, [&] { return op->emitError(); });
    if (failed(placement))
      return failure();
    if (llvm::Error error = Placement::verify(
            placement->entries(), mesh, cast<RankedTensorType>(type).getRank()))
      return op->emitError(llvm::toString(std::move(error)));
    return placement;
  }

  /// True for operations that no sharding rule is about: those that change
  /// placements, or pass values on as they are, which their own verifiers see
  /// to, and those on scalars.
  static bool hasOwnRules(Operation *op) {
    return isa<tp::RedistributeOp, tp::CollectiveOpInterface, tp::ManualOp,
               scf::ForOp, scf::IfOp>(op) ||
           op->hasTrait<OpTrait::IsTerminator>() ||
           (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) &&
            llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>));
  }

  LogicalResult verify(Operation *op, const Mesh &mesh) {
    SmallVector<Placement> operands, results;
    for (Type type : op->getOperandTypes()) {
      FailureOr<Placement> placement = placementOf(op, type, mesh);
      if (failed(placement))
        return failure();
      operands.push_back(*placement);
    }
    for (Type type : op->getResultTypes()) {
      FailureOr<Placement> placement = placementOf(op, type, mesh);
      if (failed(placement))
        return failure();
      results.push_back(*placement);
    }
    auto rules = dyn_cast<ShardingRuleOpInterface>(op);
    if (!rules) {
      if (hasOwnRules(op))
        return success();
      return op->emitError("unsupported: no sharding rule for '")
             << op->getName() << "', so nothing says what it means placed";
    }
    FailureOr<ShardingRule> rule = rules.getShardingRule();
    if (failed(rule))
      return failure();
    // What every rank makes by itself may be placed anyhow, and a neutral
    // constant may be called partial.
    bool makesOwn = true;
    for (auto [index, role] : llvm::enumerate(rule->roles))
      if (role == ShardingRule::Role::Input &&
          isa<RankedTensorType>(op->getOperand(index).getType()))
        makesOwn = false;
    if (makesOwn && op->getNumResults() == 1) {
      for (const Placement::Entry &entry : results[0].entries())
        if (entry.isPartial() &&
            op->getName().getStringRef() != "tensor.empty" &&
            !isNeutral(op, entry.reduction))
          return reportCountedOnce(op, mesh, entry);
      return success();
    }
    // Destinations have the type of their result; those only written to say
    // nothing of their own.
    for (auto [index, role] : llvm::enumerate(rule->roles))
      if (role == ShardingRule::Role::Shape && !results.empty())
        if (auto dest = dyn_cast<DestinationStyleOpInterface>(op))
          if (dest.isDpsInit(&op->getOpOperand(index)))
            operands[index] =
                results[dest.getTiedOpResult(&op->getOpOperand(index))
                            .getResultNumber()];
    std::optional<PlacementMismatch> mismatch =
        findMismatch(*rule, mesh, operands, results);
    if (!mismatch)
      return success();
    // A destination says nothing of its own: name its result. Of two operands
    // that are alike, name the other one too.
    int numOperands = op->getNumOperands();
    auto isInput = [&](int operand) {
      return rule->roles[operand] == ShardingRule::Role::Input &&
             isa<RankedTensorType>(op->getOperand(operand).getType());
    };
    if (mismatch->second >= 0 && mismatch->second < numOperands &&
        !isInput(mismatch->second) && !results.empty())
      mismatch->second = numOperands;
    for (int i = 0; i < numOperands && mismatch->second < 0; ++i)
      if (i != mismatch->first && isInput(i))
        mismatch->second = i;
    if (mismatch->second < 0 && !results.empty())
      mismatch->second = numOperands;
    InFlightDiagnostic diag = op->emitError() << mismatch->reason;
    auto note = [&](int tensor) {
      if (tensor < 0)
        return;
      bool isOperand = unsigned(tensor) < op->getNumOperands();
      Value value = isOperand ? op->getOperand(tensor)
                              : op->getResult(tensor - op->getNumOperands());
      if (!isa<RankedTensorType>(value.getType()))
        return;
      const Placement &placement =
          isOperand ? operands[tensor] : results[tensor - op->getNumOperands()];
      diag.attachNote(value.getLoc())
          << (isOperand ? "operand #" : "result #")
          << (isOperand ? tensor : tensor - int(op->getNumOperands()))
          << " is placed " << placement.str(mesh) << " here";
    };
    note(mismatch->first);
    note(mismatch->second);
    return diag;
  }

  static LogicalResult reportCountedOnce(Operation *op, const Mesh &mesh,
                                         const Placement::Entry &entry) {
    InFlightDiagnostic diagnostic =
        op->emitError("axis \"")
        << mesh.name(entry.axis) << "\": this value is not neutral for "
        << stringify(entry.reduction)
        << ", so every rank of a partial would count it once";
    if (!op->use_empty())
      diagnostic.attachNote(op->user_begin()->getLoc())
          << "it is used here; begin with the neutral element and add the "
             "value behind the reduction";
    return diagnostic;
  }

  /// The operations of `region` and those in loops and branches. What goes into
  /// and comes out of these is alike since its types are, placements and all:
  /// their own verifiers see to that.
  void verifyRegion(Region &region, const Mesh &mesh) {
    for (Operation &op : region.getOps()) {
      if (failed(verify(&op, mesh)))
        signalPassFailure();
      if (isa<scf::ForOp, scf::IfOp>(op))
        for (Region &inner : op.getRegions())
          verifyRegion(inner, mesh);
    }
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    tp::MeshOp meshOp = tp::getSingleMesh(module);
    if (!meshOp) {
      module.emitError("expected one tp.mesh in the module");
      return signalPassFailure();
    }
    Mesh mesh = meshOp.getMesh();
    for (auto func : module.getOps<func::FuncOp>())
      verifyRegion(func.getBody(), mesh);
    markAllAnalysesPreserved();
  }
};
} // namespace
