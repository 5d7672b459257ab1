// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites a placed function on local tensors, operation by operation.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"
#include "tpc/Partition/Passes.h"

namespace tpc {
#define GEN_PASS_DEF_PARTITIONPASS
#include "tpc/Partition/Passes.h.inc"
} // namespace tpc

using namespace mlir;
using namespace tpc;

namespace {

class FunctionPartitioner {
public:
  FunctionPartitioner(func::FuncOp func, tp::MeshOp mesh)
      : func(func), mesh(mesh.getMesh()), builder(func.getContext()) {}

  LogicalResult run();

private:
  FailureOr<RankedTensorType> localType(Operation *op, Type type);
  LogicalResult partition(Operation *op);
  LogicalResult partitionCollective(tp::CollectiveOpInterface op);
  LogicalResult partitionControlFlow(Operation *op);
  LogicalResult checkExtract(tensor::ExtractOp op);
  void inlineManual(tp::ManualOp op);

  func::FuncOp func;
  Mesh mesh;
  OpBuilder builder;
  IRMapping mapping;
};

} // namespace

FailureOr<RankedTensorType> FunctionPartitioner::localType(Operation *op,
                                                           Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  tp::PlacementAttr placement = tp::getPlacement(type);
  if (!tensor || !placement)
    return op->emitError("after 'plan': expected a placed tensor, got ")
           << type << "; this is a tpc bug";
  return tp::getLocalType(tensor, placement.resolve(mesh), mesh);
}

LogicalResult
FunctionPartitioner::partitionCollective(tp::CollectiveOpInterface op) {
  SmallVector<Attribute> parts;
  SmallVector<Value> inputs;
  SmallVector<Type> outputs;
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    FailureOr<RankedTensorType> type =
        localType(op, op.getOutputs()[i].getType());
    if (failed(type))
      return failure();
    parts.push_back(op.getPart(i));
    inputs.push_back(mapping.lookup(op.getInputs()[i]));
    outputs.push_back(*type);
  }
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(inputs);
  state.addTypes(outputs);
  state.addAttributes(op->getAttrs());
  state.attributes.set("parts", builder.getArrayAttr(parts));
  Operation *local = builder.create(state);
  mapping.map(op->getResults(), local->getResults());
  return success();
}

void FunctionPartitioner::inlineManual(tp::ManualOp op) {
  Block &body = op.getBody().front();
  for (auto [arg, operand] : llvm::zip(body.getArguments(), op.getInputs()))
    mapping.map(arg, mapping.lookup(operand));
  for (Operation &inner : body.without_terminator()) {
    Operation *copy = builder.clone(inner, mapping);
    if (Attribute phase = op->getAttr(tp::TPDialect::kPhase))
      copy->setAttr(tp::TPDialect::kPhase, phase);
  }
  for (auto [result, value] :
       llvm::zip(op.getOutputs(), body.getTerminator()->getOperands()))
    mapping.map(result, mapping.lookupOrDefault(value));
}

/// A loop or a branch: the same operation with regions on local tensors.
LogicalResult FunctionPartitioner::partitionControlFlow(Operation *op) {
  auto toLocal = [&](TypeRange types, SmallVectorImpl<Type> &locals) {
    for (Type type : types) {
      FailureOr<RankedTensorType> local = failure();
      if (!isa<RankedTensorType>(type))
        locals.push_back(type);
      else if (succeeded(local = localType(op, type)))
        locals.push_back(*local);
      else
        return failure();
    }
    return success();
  };
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(mapping.lookupOrDefault(operand));
  if (failed(toLocal(op->getResultTypes(), state.types)))
    return failure();
  state.addAttributes(op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *local = builder.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), local->getRegions()))
    for (Block &block : from) {
      SmallVector<Type> types;
      if (failed(toLocal(block.getArgumentTypes(), types)))
        return failure();
      OpBuilder::InsertionGuard guard(builder);
      SmallVector<Location> locs(types.size(), op->getLoc());
      Block *body = builder.createBlock(&to, to.end(), types, locs);
      mapping.map(block.getArguments(), body->getArguments());
      for (Operation &inner : block)
        if (failed(partition(&inner)))
          return failure();
    }
  mapping.map(op->getResults(), local->getResults());
  return success();
}

/// An element read for the host: every rank must hold it, since all take the
/// same branches.
LogicalResult FunctionPartitioner::checkExtract(tensor::ExtractOp op) {
  tp::PlacementAttr placement = tp::getPlacement(op.getTensor().getType());
  if (placement && placement.resolve(mesh) == Placement())
    return success();
  return op.emitError("after 'plan': expected a scalar to be read from a "
                      "replicated tensor, got ")
         << op.getTensor().getType() << "; this is a tpc bug";
}

LogicalResult FunctionPartitioner::partition(Operation *op) {
  if (auto collective = dyn_cast<tp::CollectiveOpInterface>(op))
    return partitionCollective(collective);
  if (isa<scf::ForOp, scf::IfOp>(op))
    return partitionControlFlow(op);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op);
      extract && failed(checkExtract(extract)))
    return failure();
  if (auto manual = dyn_cast<tp::ManualOp>(op)) {
    inlineManual(manual);
    return success();
  }
  bool hasTensor = llvm::any_of(op->getResultTypes(), [](Type type) {
    return isa<RankedTensorType>(type);
  });
  if (!hasTensor) {
    builder.clone(*op, mapping);
    return success();
  }
  auto rule = dyn_cast<PartitionOpInterface>(op);
  if (!rule)
    return op->emitError("unsupported: no way to partition '")
           << op->getName() << "'";
  SmallVector<Value> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(mapping.lookupOrDefault(operand));
  SmallVector<Type> types;
  for (Value result : op->getResults()) {
    FailureOr<RankedTensorType> type = localType(op, result.getType());
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  Block *block = builder.getInsertionBlock();
  Operation *before = block->empty() ? nullptr : &block->back();
  if (failed(rule.partition(builder, operands, results)))
    return failure();
  auto first = before ? std::next(before->getIterator()) : block->begin();
  for (Operation &made : llvm::make_range(first, block->end())) {
    if (Attribute phase = op->getAttr(tp::TPDialect::kPhase))
      made.setAttr(tp::TPDialect::kPhase, phase);
    // Bodies may use scalars of the global program.
    made.walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (Value local = mapping.lookupOrNull(operand.get()))
          operand.set(local);
    });
  }
  assert(llvm::equal(types, TypeRange(ValueRange(results))) &&
         "the rule gives the local types");
  mapping.map(op->getResults(), results);
  return success();
}

LogicalResult FunctionPartitioner::run() {
  Block &body = func.getBody().front();
  Builder attrs(func.getContext());
  // The local program is written behind the global one, which then goes.
  SmallVector<Operation *> globals;
  for (Operation &op : body)
    globals.push_back(&op);
  SmallVector<Type> argTypes, resultTypes;
  SmallVector<BlockArgument> oldArgs(body.getArguments());
  auto keepGlobalType = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return TypeAttr::get(
        RankedTensorType::get(tensor.getShape(), tensor.getElementType()));
  };
  for (BlockArgument arg : oldArgs) {
    FailureOr<RankedTensorType> type = localType(func, arg.getType());
    if (failed(type))
      return failure();
    argTypes.push_back(*type);
    func.setArgAttr(arg.getArgNumber(), tp::TPDialect::kGlobal,
                    keepGlobalType(arg.getType()));
    func.setArgAttr(arg.getArgNumber(), tp::TPDialect::kPlacement,
                    tp::getPlacement(arg.getType()));
    mapping.map(arg, body.addArgument(*type, arg.getLoc()));
  }
  builder.setInsertionPointToEnd(&body);
  for (Operation *op : globals) {
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
        FailureOr<RankedTensorType> type = localType(func, operand.getType());
        if (failed(type))
          return failure();
        resultTypes.push_back(*type);
        func.setResultAttr(index, tp::TPDialect::kGlobal,
                           keepGlobalType(operand.getType()));
        func.setResultAttr(index, tp::TPDialect::kPlacement,
                           tp::getPlacement(operand.getType()));
      }
      builder.clone(*op, mapping);
      continue;
    }
    if (failed(partition(op)))
      return failure();
  }
  for (Operation *op : llvm::reverse(globals))
    op->erase();
  body.eraseArguments(0, oldArgs.size());
  func.setFunctionType(
      FunctionType::get(func.getContext(), argTypes, resultTypes));
  return success();
}

namespace {
struct PartitionPass : public tpc::impl::PartitionPassBase<PartitionPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    tp::MeshOp mesh = tp::getSingleMesh(module);
    if (!mesh) {
      module.emitError("expected one tp.mesh in the module");
      return signalPassFailure();
    }
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal() && failed(FunctionPartitioner(func, mesh).run()))
        return signalPassFailure();
  }
};
} // namespace
