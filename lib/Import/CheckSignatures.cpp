// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refuses functions whose arguments or results cannot be placed, and keeps
// through inlining what is said of the placements of inner functions.

#include "tpc/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "tpc/Dialect/TP/TP.h"

using namespace mlir;

namespace tpc {

#define GEN_PASS_DEF_CHECKSIGNATURESPASS
#include "tpc/Import/Passes.h.inc"

static bool isElementType(Type type) {
  return type.isF32() || type.isF64() || type.isF16() || type.isBF16() ||
         (type.isSignlessInteger() &&
          llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                             type.getIntOrFloatBitWidth()));
}

/// Checks the type of the argument or result that the user knows as `name`.
static LogicalResult checkType(func::FuncOp func, Type type, StringRef name) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return func.emitError("unsupported: '")
           << name << "' has type " << type << ", expected a ranked tensor";
  for (auto [d, size] : llvm::enumerate(tensor.getShape()))
    if (ShapedType::isDynamic(size))
      return func.emitError("unsupported: dynamic dim ")
             << d << " of '" << name
             << "', export the model with static shapes";
  if (!isElementType(tensor.getElementType()))
    return func.emitError("unsupported: '")
           << name << "' has elements of type " << tensor.getElementType()
           << ", expected f16, bf16, f32, f64, i1, i8, i16, i32 or i64";
  return success();
}

static LogicalResult checkSignature(func::FuncOp func) {
  bool failed = false;
  for (BlockArgument arg : func.getArguments())
    failed |=
        mlir::failed(checkType(func, arg.getType(), tp::getUserName(arg)));
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    auto name = func.getResultAttrOfType<StringAttr>(i, tp::TPDialect::kName);
    failed |= mlir::failed(checkType(
        func, type, name ? name.str() : "result " + std::to_string(i)));
  }
  return failure(failed);
}

/// The placements written on arguments and results of a function that will be
/// inlined, as constraints in its body.
static void constrainBody(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  for (BlockArgument arg : func.getArguments()) {
    // What a use pin says is stronger: it is the placement inside.
    auto placement = func.getArgAttrOfType<tp::PlacementAttr>(
        arg.getArgNumber(), tp::TPDialect::kUse);
    if (!placement)
      placement = func.getArgAttrOfType<tp::PlacementAttr>(
          arg.getArgNumber(), tp::TPDialect::kPlacement);
    if (!placement)
      continue;
    builder.setInsertionPointToStart(&func.getBody().front());
    auto constrain =
        tp::ConstrainOp::create(builder, arg.getLoc(), arg.getType(), arg,
                                placement, tp::PlacementAttr());
    arg.replaceAllUsesExcept(constrain.getOutput(), constrain);
  }
  func.walk([&](func::ReturnOp op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (auto placement = func.getResultAttrOfType<tp::PlacementAttr>(
              operand.getOperandNumber(), tp::TPDialect::kPlacement))
        operand.set(tp::ConstrainOp::create(
            builder, op.getLoc(), operand.get().getType(), operand.get(),
            placement, tp::PlacementAttr()));
  });
}

namespace {
struct CheckSignaturesPass
    : impl::CheckSignaturesPassBase<CheckSignaturesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isPublic()) {
        if (failed(checkSignature(func)))
          signalPassFailure();
      } else if (!func.isExternal()) {
        constrainBody(func);
      }
    }
  }
};
} // namespace

} // namespace tpc
