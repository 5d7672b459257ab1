// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tp dialect: attributes, operations and look-ups.
#ifndef TPC_DIALECT_TP_TP_H
#define TPC_DIALECT_TP_TP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tpc/Support/Mesh.h"
#include "tpc/Support/Placement.h"
#include "tpc/Support/Transition.h"
#include "tpc/Support/Window.h"

namespace tpc::tp {

/// The state of one axis, by name: an element of `#tp.placement`.
struct AxisPlacement {
  mlir::StringAttr axis;
  Placement::Kind kind;
  unsigned dim = 0;
  Reduction reduction = Reduction::Sum;

  bool operator==(const AxisPlacement &o) const {
    return axis == o.axis && kind == o.kind && dim == o.dim &&
           reduction == o.reduction;
  }
};
llvm::hash_code hash_value(const AxisPlacement &axis);

namespace detail {
/// [C1], [C2].
mlir::LogicalResult verifyCollective(mlir::Operation *op);
/// [I1] to [I7].
mlir::LogicalResult verifyIndexed(mlir::Operation *op);
} // namespace detail

} // namespace tpc::tp

#include "tpc/Dialect/TP/TPDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tpc/Dialect/TP/TPAttrs.h.inc"

#include "tpc/Dialect/TP/TPInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tpc/Dialect/TP/TPOps.h.inc"

namespace tpc::tp {

/// The mesh op of the module around `op` by symbol, or null.
MeshOp lookupMesh(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol);
/// The only mesh of a module, or null when there is none or several.
MeshOp getSingleMesh(mlir::ModuleOp module);

/// The placement in the encoding of a tensor type, or null.
PlacementAttr getPlacement(mlir::Type type);
/// The same type with another placement (null: without encoding).
mlir::RankedTensorType withPlacement(mlir::RankedTensorType type,
                                     PlacementAttr placement);
/// Every rank's buffer type of a placed global type, without encoding.
mlir::RankedTensorType getLocalType(mlir::RankedTensorType type,
                                    const Placement &placement,
                                    const Mesh &mesh);
/// `forward`, `backward` or `update`: the phase of an operation.
llvm::StringRef getPhase(mlir::Operation *op);
/// The phase a value is made in: for the result of a loop or branch, that of
/// the operation inside that makes it; the cotangent of a result is of
/// backward.
llvm::StringRef getPhase(mlir::Value value);
/// The name the user knows an argument, result or value by: `tp.name`, or a
/// name in its location, or `%argN`.
std::string getUserName(mlir::Value value);
/// Creates the collective for `step` on `inputs`, with result types placed as
/// `step.to`. All inputs are placed as `step.from`.
CollectiveOpInterface createCollective(mlir::OpBuilder &builder,
                                       mlir::Location loc, const Step &step,
                                       MeshOp mesh, mlir::ValueRange inputs);

} // namespace tpc::tp

#endif // TPC_DIALECT_TP_TP_H
