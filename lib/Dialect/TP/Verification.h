// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the dialect have in common: placements against meshes.
#ifndef TPC_LIB_DIALECT_TP_VERIFICATION_H
#define TPC_LIB_DIALECT_TP_VERIFICATION_H

#include "tpc/Dialect/TP/TP.h"

namespace tpc::tp {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The mesh a mesh op describes, or what is wrong with it [M1], [M2]. Other
/// than MeshOp::getMesh this may be called before the op has been verified.
llvm::Expected<Mesh> readMesh(MeshOp op);

/// Finds the mesh `symbol` names, or emits an error.
mlir::FailureOr<Mesh> resolveMesh(mlir::Operation *op,
                                  mlir::FlatSymbolRefAttr symbol,
                                  EmitError emitError);

/// A placement with the mesh it was resolved against.
struct PlacedOn {
  Mesh mesh;
  Placement placement;
};

/// Checks the axes of a placement against its mesh [P2]. Errors carry a note
/// at the mesh.
mlir::FailureOr<PlacedOn>
resolveAxes(mlir::Operation *op, PlacementAttr placement, EmitError emitError);

/// The same, and [P3], [P5] for a tensor of `type` ([P1] and [P4] hold for
/// every attribute).
mlir::FailureOr<PlacedOn> resolvePlacement(mlir::Operation *op,
                                           PlacementAttr placement,
                                           mlir::RankedTensorType type,
                                           EmitError emitError);

/// [W1], [W2], [W3] for operand `index`, and its types.
mlir::LogicalResult verifyWindow(WindowOp op, unsigned index,
                                 EmitError emitError);

} // namespace tpc::tp

#endif // TPC_LIB_DIALECT_TP_VERIFICATION_H
