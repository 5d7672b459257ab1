// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of the tp dialect.

#ifndef TPC_DIALECT_TP_TPATTRS_TD
#define TPC_DIALECT_TP_TPATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "tpc/Dialect/TP/TPDialect.td"

def TP_PlacementAttr : AttrDef<TP_Dialect, "Placement",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "placement";
  let summary = "Where a global tensor lives on a mesh.";
  let description = [{
    `#tp.placement<@mesh, [axis: STATE, ...]>` with STATE one of `S(dim)`,
    `P(sum|max|min|prod|and|or)` and `R`. Axes not named are replicated, and
    printing omits `R`. Of several axes that shard the same dim the one written
    first is the outer split. Entries are kept in a canonical order (by axis
    name, nesting preserved), so that equal placements are equal attributes.

    Constraints: [P1] an axis appears once; [P2] every axis is one of the
    mesh; [P3] a shard dim is below the rank of the tensor; [P4] all partials
    of one placement have the same kind; [P5] `and` and `or` join integers.

    Life cycle: written by users or by the place stage on arguments, set as
    the encoding of every tensor by the plan stage, gone after partition.

    ```mlir
    tp.mesh @mesh ["dp" = 2, "tp" = 4]
    func.func @f(%x: tensor<8x4xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>}) {
      return
    }
    ```
  }];
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$mesh,
    ArrayRefParameter<"::tpc::tp::AxisPlacement">:$axes
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "::mlir::FlatSymbolRefAttr":$mesh,
                     "::llvm::ArrayRef<::tpc::tp::AxisPlacement>":$axes)>,
    AttrBuilder<(ins "::mlir::FlatSymbolRefAttr":$mesh,
                     "const ::tpc::Mesh &":$grid,
                     "const ::tpc::Placement &":$placement)>
  ];
  let extraClassDeclaration = [{
    /// The placement with axes as numbers into `mesh`. Fails with a message
    /// through `emitError` when an axis is unknown [P2].
    ::mlir::FailureOr<::tpc::Placement> resolve(
        const ::tpc::Mesh &mesh,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
    /// The same for a placement that has been verified; asserts on failure.
    ::tpc::Placement resolve(const ::tpc::Mesh &mesh) const;
    /// `[tp: S(0), dp: S(0)]`.
    std::string str() const;
  }];
}

def TP_PartAttr : AttrDef<TP_Dialect, "Part"> {
  let mnemonic = "part";
  let summary = "The global tensor a partitioned collective works on.";
  let description = [{
    After partition operands and results of a collective are local tensors;
    this keeps, per operand, the global type and the two placements; of a
    `tp.window` also the global type of the result.

    Life cycle: made by partition, read by the stages behind it.

    ```mlir
    #rows = #tp.placement<@mesh, [tp: S(0)]>
    #all = #tp.placement<@mesh, []>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<3xf32>) -> tensor<5xf32> {
      %0 = tp.all_gather %x over ["tp"] parts [#tp.part<tensor<5xf32>, #rows, #all>]
          : (tensor<3xf32>) -> tensor<5xf32>
      return %0 : tensor<5xf32>
    }
    ```
  }];
  let parameters = (ins
    "::mlir::RankedTensorType":$type,
    "::tpc::tp::PlacementAttr":$from,
    "::tpc::tp::PlacementAttr":$to,
    OptionalParameter<"::mlir::RankedTensorType">:$result
  );
  let assemblyFormat = "`<` $type `,` $from `,` $to (`,` $result^)? `>`";
  let builders = [AttrBuilder<(ins "::mlir::RankedTensorType":$type,
                                   "::tpc::tp::PlacementAttr":$from,
                                   "::tpc::tp::PlacementAttr":$to), [{
    return $_get($_ctxt, type, from, to, ::mlir::RankedTensorType());
  }]>];
  let extraClassDeclaration = [{
    /// The global type of the result: the operand's but in a window.
    ::mlir::RankedTensorType getResultType() const {
      return getResult() ? getResult() : getType();
    }
  }];
  let genVerifyDecl = 1;
}

def TP_PartArrayAttr : TypedArrayAttrBase<TP_PartAttr, "array of #tp.part">;
def TP_PlacementArrayAttr
    : TypedArrayAttrBase<TP_PlacementAttr, "array of placements">;

#endif // TPC_DIALECT_TP_TPATTRS_TD
