// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the redistribute stage.

#ifndef TPC_REDISTRIBUTE_PASSES_TD
#define TPC_REDISTRIBUTE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandDataMovementPass : Pass<"tp-expand-data-movement", "::mlir::ModuleOp"> {
  let summary = "Write what operations exchange themselves as collectives";
  let description = [{
    Replaces every operation that exchanges data under its placements (a slice
    of a sharded dim, ...) by operations that do not, and collectives or
    redistributes between them (`ExpandOpInterface`). What is made is of the
    phase of the operation.

    Requires: placements on every tensor. Ensures: nothing exchanges data but
    collectives and `tp.redistribute`.

    ```mlir
    #rows = #tp.placement<@mesh, [tp: S(0)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x8xf32, #rows>) -> tensor<4x6xf32, #rows> {
      %0 = tensor.extract_slice %x[0, 2] [4, 6] [1, 1]
          : tensor<4x8xf32, #rows> to tensor<4x6xf32, #rows>
      return %0 : tensor<4x6xf32, #rows>
    }
    ```
  }];
  let dependentDialects = ["::tpc::tp::TPDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def LowerRedistributesPass : Pass<"tp-lower-redistributes", "::mlir::ModuleOp"> {
  let summary = "Turn every redistribute into the cheapest collectives";
  let description = [{
    Replaces every `tp.redistribute` by the cheapest sequence of steps from its
    operand's placement to its result's (Support/Redistribution.h), under the
    same objective and machine description as the plan. Which steps, and that
    none has fewer bytes, is decided there.

    Requires: placements on every tensor. Ensures: no `tp.redistribute` is left.

    ```mlir
    #part = #tp.placement<@mesh, [tp: P(sum)]>
    #rows = #tp.placement<@mesh, [tp: S(0)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x8xf32, #part>) -> tensor<4x8xf32, #rows> {
      %0 = tp.redistribute %x : tensor<4x8xf32, #part> -> tensor<4x8xf32, #rows>
      return %0 : tensor<4x8xf32, #rows>
    }
    ```
  }];
  let options = [
    Option<"objective", "objective", "std::string", "\"time\"",
           "What is minimised: time, bytes or count">,
    Option<"targetSpec", "target-spec", "std::string", "\"cpu\"",
           "Machine description: a preset or a JSON file">
  ];
  let dependentDialects = ["::tpc::tp::TPDialect"];
}

#endif // TPC_REDISTRIBUTE_PASSES_TD
