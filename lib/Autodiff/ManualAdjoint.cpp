// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of a region of per-rank code is a region of per-rank code.
//
// A tp.manual is three linear or local steps: the operands are taken apart into
// what each rank holds, every rank computes, the results are put together. The
// adjoint runs the transposes backwards. Per mesh axis:
//
//   operand placed   each rank got        its cotangent leaves
//     S(d)           its chunk            S(d): every rank has that chunk's
//     R              the whole value      P(sum): every rank's use of it counts
//     P(sum)         one summand          R: d(sum)/d(summand) = 1, so every
//                                         summand has the cotangent of the sum
//
//   result placed    the value is         its cotangent enters
//     S(d)           the ranks' chunks    S(d)
//     P(sum)         the ranks' sum       R: d(sum)/d(summand) = 1
//     R              any one rank's       P(sum): all ranks hold the same
//     value,
//                                         which counts once, not once per rank
//
// In one line: S stays, R and P(sum) change places. Entering R -> P(sum) costs
// nothing ("one rank keeps the value, the others hold zero"). Megatron's f is
// entering with R: its backward is the P(sum) -> R all-reduce outside. Its g is
// leaving with P(sum), followed by P(sum) -> R outside: its backward is
// nothing, since the cotangent enters R.
//
// The new region repeats the forward region, then runs in reverse on local
// tensors; what of the repetition the derivative does not read is dropped.
// P(max) and the other kinds are not linear and have no derivative.

#include "ReverseMode.h"
#include "mlir/IR/IRMapping.h"
#include "tpc/Interfaces/Adjoint.h"

using namespace mlir;

namespace tpc::autodiff {

/// S stays, R and P(sum) change places.
static FailureOr<tp::PlacementAttr> transpose(tp::ManualOp op,
                                              tp::PlacementAttr placement) {
  // The verifier of tp.manual has looked the mesh up.
  const Mesh mesh = tp::lookupMesh(op, placement.getMesh()).getMesh();
  SmallVector<tp::AxisPlacement> axes;
  llvm::DenseSet<Attribute> named;
  for (const tp::AxisPlacement &axis : placement.getAxes()) {
    named.insert(axis.axis);
    if (axis.kind == Placement::Kind::Shard)
      axes.push_back(axis);
    else if (axis.reduction != Reduction::Sum)
      return op.emitError("no derivative for a value placed ")
             << placement.str() << " in 'tp.manual', expected P(sum)";
  }
  for (const Mesh::Axis &axis : mesh.axes()) {
    auto name = StringAttr::get(op.getContext(), axis.name);
    if (!named.contains(name))
      axes.push_back({name, Placement::Kind::Partial, 0, Reduction::Sum});
  }
  return tp::PlacementAttr::get(op.getContext(), placement.getMesh(), axes);
}

namespace {
/// The adjoint in the making: its operands, and its region, still outside of
/// any operation.
struct Adjoint {
  Adjoint() : block(&region.emplaceBlock()) {}

  BlockArgument addInput(Value value, tp::PlacementAttr placement, Type local,
                         Location loc) {
    inputs.push_back(value);
    inPlacements.push_back(placement);
    return block->addArgument(local, loc);
  }
  void addResult(Type type, tp::PlacementAttr placement, Value local) {
    resultTypes.push_back(type);
    outPlacements.push_back(placement);
    locals.push_back(local);
  }
  void dropUnusedInputs() {
    for (unsigned i = inputs.size(); i-- > 0;) {
      if (!block->getArgument(i).use_empty())
        continue;
      block->eraseArgument(i);
      inputs.erase(inputs.begin() + i);
      inPlacements.erase(inPlacements.begin() + i);
    }
  }

  SmallVector<Value> inputs, locals;
  SmallVector<Attribute> inPlacements, outPlacements;
  SmallVector<Type> resultTypes;
  Region region;
  Block *block;
};
} // namespace

LogicalResult buildManualAdjoint(tp::ManualOp op, OpBuilder &builder,
                                 ValueRange cotangents, ArrayRef<bool> needed,
                                 SmallVectorImpl<Value> &contributions) {
  Location loc = op.getLoc();
  Block &forward = op.getBody().front();
  Operation *yield = forward.getTerminator();
  auto inPlacements = op.getInPlacements().getAsRange<tp::PlacementAttr>();
  auto outPlacements = op.getOutPlacements().getAsRange<tp::PlacementAttr>();
  contributions.assign(op->getNumOperands(), nullptr);

  Adjoint adjoint;
  IRMapping mapping;
  for (auto [input, placement, local] :
       llvm::zip_equal(op.getInputs(), inPlacements, forward.getArguments()))
    mapping.map(local, adjoint.addInput(input, placement, local.getType(),
                                        local.getLoc()));
  OpBuilder inner(op.getContext());
  inner.setInsertionPointToEnd(adjoint.block);
  for (Operation &inside : forward.without_terminator())
    inner.clone(inside, mapping);
  // The terminator bounds what ReverseMode takes for the forward part.
  auto end = tp::YieldOp::create(inner, loc, ValueRange());
  inner.setInsertionPoint(end);

  SmallVector<Value> wanted;
  for (auto [index, local] : llvm::enumerate(forward.getArguments()))
    if (needed[index])
      wanted.push_back(mapping.lookup(local));
  Activity activity(*adjoint.block, wanted);
  ReverseMode reverse(*adjoint.block, activity);
  for (auto [cotangent, placement, local] :
       llvm::zip_equal(cotangents, outPlacements, yield->getOperands())) {
    if (!cotangent)
      continue;
    FailureOr<tp::PlacementAttr> entering = transpose(op, placement);
    if (failed(entering))
      return failure();
    Value inside = adjoint.addInput(cotangent, *entering, local.getType(), loc);
    reverse.addCotangent(inner, loc, mapping.lookupOrDefault(local), inside);
  }
  if (failed(reverse.run(inner, [](Operation *, Diagnostic &) {})))
    return failure();

  SmallVector<unsigned> resultOperands;
  for (auto [index, input, placement, local] :
       llvm::enumerate(op.getInputs(), inPlacements, forward.getArguments())) {
    Value cotangent = reverse.getCotangent(mapping.lookup(local));
    if (!needed[index] || !cotangent)
      continue;
    FailureOr<tp::PlacementAttr> leaving = transpose(op, placement);
    if (failed(leaving))
      return failure();
    adjoint.addResult(input.getType(), *leaving, cotangent);
    resultOperands.push_back(index);
  }
  if (resultOperands.empty())
    return success();
  end->setOperands(adjoint.locals);
  eraseDeadOperations(*adjoint.block);
  adjoint.dropUnusedInputs();

  auto manual =
      tp::ManualOp::create(builder, loc, adjoint.resultTypes, adjoint.inputs,
                           builder.getArrayAttr(adjoint.inPlacements),
                           builder.getArrayAttr(adjoint.outPlacements));
  manual.getBody().takeBody(adjoint.region);
  for (auto [index, result] :
       llvm::zip_equal(resultOperands, manual.getOutputs()))
    contributions[index] = result;
  return success();
}

} // namespace tpc::autodiff
