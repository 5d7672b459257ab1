// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the redistribute stage.

#ifndef TPC_REDISTRIBUTE_PASSES_TD
#define TPC_REDISTRIBUTE_PASSES_TD

include "mlir/Pass/PassBase.td"

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
