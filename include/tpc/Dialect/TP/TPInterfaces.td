// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all collectives have in common, and what gathers and scatters do.

#ifndef TPC_DIALECT_TP_TPINTERFACES_TD
#define TPC_DIALECT_TP_TPINTERFACES_TD

include "mlir/IR/OpBase.td"

def TP_CollectiveInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::tpc::tp";
  let description = [{
    One step between placements: a collective, or a local step that needs no
    communication. Operand i and result i are one tensor before and after; of a
    window, a tensor and a part of it.
    Before partition the encodings of their types are the placements; after it
    `parts` holds them.
  }];
  let methods = [
    InterfaceMethod<"The kind of step.", "::tpc::StepKind", "getStepKind">,
    InterfaceMethod<"The axes the step works on.", "::mlir::ArrayAttr", "getAxes">,
    InterfaceMethod<"How partial tensors are joined, or null.",
                    "::mlir::StringAttr", "getReductionAttr">,
    InterfaceMethod<"Per operand: global type and placements, or null before partition.",
                    "::mlir::ArrayAttr", "getPartsAttr">,
    InterfaceMethod<"Sets the parts.", "void", "setPartsAttr",
                    (ins "::mlir::ArrayAttr":$parts)>,
    InterfaceMethod<"The tensors before the step.", "::mlir::OperandRange", "getInputs">,
    InterfaceMethod<"The tensors after the step.", "::mlir::ResultRange", "getOutputs">
  ];
  let extraClassDeclaration = [{
    /// The global types and placements of operand `index`, from `parts` or from
    /// the encodings. Null when the collective has neither.
    ::tpc::tp::PartAttr getPart(unsigned index);
    /// Where the elements of result `index` of a window lie in the operand;
    /// nothing for other collectives. Its part must have been verified.
    std::optional<::tpc::Window> getWindow(unsigned index, const ::tpc::Mesh &mesh);
  }];
  let verify = "return ::tpc::tp::detail::verifyCollective($_op);";
}

def TP_IndexedInterface : OpInterface<"IndexedOpInterface"> {
  let cppNamespace = "::tpc::tp";
  let description = [{
    A gather or scatter: loops over one tensor, and for each of them a computed
    place in another. The places are maps of the loops and of index tensors.
  }];
  let methods = [
    InterfaceMethod<"The tensor with computed places: the source of a gather, the init of a scatter.",
                    "::mlir::Value", "getIndexed">,
    InterfaceMethod<"The tensor with one dim per loop: the result of a gather, the updates of a scatter.",
                    "::mlir::Value", "getElements">,
    InterfaceMethod<"The index tensors.", "::mlir::OperandRange", "getIndices">,
    InterfaceMethod<"The map of the indexed tensor, then one per index tensor.",
                    "::mlir::ArrayAttr", "getMaps">
  ];
  let extraSharedClassDeclaration = [{
    /// Loops are its dims, the values of the index tensors its symbols.
    ::mlir::AffineMap getIndexedMap() {
      return ::mlir::cast<::mlir::AffineMapAttr>($_op.getMaps()[0]).getValue();
    }
    /// Where the loops find index `number`.
    ::mlir::AffineMap getIndexMap(unsigned number) {
      return ::mlir::cast<::mlir::AffineMapAttr>($_op.getMaps()[number + 1])
          .getValue();
    }
  }];
  let verify = "return ::tpc::tp::detail::verifyIndexed($_op);";
}

#endif // TPC_DIALECT_TP_TPINTERFACES_TD
