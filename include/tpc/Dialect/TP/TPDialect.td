// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tp dialect: meshes, placements and the operations that change them.

#ifndef TPC_DIALECT_TP_TPDIALECT_TD
#define TPC_DIALECT_TP_TPDIALECT_TD

include "mlir/IR/OpBase.td"

def TP_Dialect : Dialect {
  let name = "tp";
  let cppNamespace = "::tpc::tp";
  let summary = "Placements of tensors on a mesh of ranks, as types.";
  let description = [{
    A tensor whose encoding is a `#tp.placement` denotes ONE global tensor and
    says which part of it each rank holds. `tp.redistribute` is the only
    operation that changes a placement before the redistribute stage; after it
    the collectives do, one step each. The dialect knows nothing of linalg.

    Attributes that users write on function arguments and results:

    | attribute | meaning |
    |---|---|
    | `tp.name` | dotted name, as in `layers.0.w1` |
    | `tp.param` | a parameter of the model |
    | `tp.grad` | differentiate with respect to this argument |
    | `tp.donate` | its buffer may be reused for a result |
    | `tp.placement` | how the value is stored; absent: the planner chooses |
    | `tp.use` | how the value is used, when that differs from how it is stored |

    Partition adds `tp.global`, the type of the global tensor.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// Called once, on construction.
    void registerPlacementAttributes();

    /// Names of the discardable attributes.
    static constexpr llvm::StringLiteral kName = "tp.name";
    static constexpr llvm::StringLiteral kParam = "tp.param";
    static constexpr llvm::StringLiteral kGrad = "tp.grad";
    static constexpr llvm::StringLiteral kDonate = "tp.donate";
    static constexpr llvm::StringLiteral kPlacement = "tp.placement";
    static constexpr llvm::StringLiteral kUse = "tp.use";
    /// On arguments and results after partition: the type of the global tensor.
    static constexpr llvm::StringLiteral kGlobal = "tp.global";
    /// `"backward"` on operations of the backward pass, absent on the others.
    static constexpr llvm::StringLiteral kPhase = "tp.phase";
    /// On a redistribute or collective: why it is there, for the report.
    static constexpr llvm::StringLiteral kWhy = "tp.why";
    /// On a redistribute or collective: the name of the value it moves.
    static constexpr llvm::StringLiteral kValue = "tp.value";
    /// On a redistribute or collective: it belongs to a `tp.fresh`, by number,
    /// and is not shared with one that does not.
    static constexpr llvm::StringLiteral kFresh = "tp.fresh";
    /// On a redistribute, and on the collectives it becomes: the bytes that the
    /// worst rank must receive for the whole change of placement.
    static constexpr llvm::StringLiteral kLowerBound = "tp.lower_bound";
    /// On a collective that does a part of a redistribute: its number, from 1,
    /// and how many there are.
    static constexpr llvm::StringLiteral kPath = "tp.path";
    /// On a function: what the plan costs, its lower bound, and the memory it
    /// takes.
    static constexpr llvm::StringLiteral kPlan = "tp.plan";
  }];
}

#endif // TPC_DIALECT_TP_TPDIALECT_TD
