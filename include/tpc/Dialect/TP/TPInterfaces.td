// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all collectives have in common.

#ifndef TPC_DIALECT_TP_TPINTERFACES_TD
#define TPC_DIALECT_TP_TPINTERFACES_TD

include "mlir/IR/OpBase.td"

def TP_CollectiveInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::tpc::tp";
  let description = [{
    One step between placements: a collective, or a local step that needs no
    communication. Operand i and result i are one tensor before and after.
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
    /// The global type and placements of operand `index`, from `parts` or from
    /// the encodings. Null when the collective has neither.
    ::tpc::tp::PartAttr getPart(unsigned index);
  }];
  let verify = "return ::tpc::tp::detail::verifyCollective($_op);";
}

#endif // TPC_DIALECT_TP_TPINTERFACES_TD
