// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the place stage.

#ifndef TPC_PLACE_PASSES_TD
#define TPC_PLACE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApplyPlacementsPass : Pass<"tp-apply-placements", "::mlir::ModuleOp"> {
  let summary = "Write the user's mesh, placements and gradients as attributes";
  let description = [{
    Turns `--mesh`, `--place`, `--use` and `--grad` into a `tp.mesh`, into
    `tp.placement` and `tp.grad` on arguments and results, and into a
    `tp.constrain` behind every argument that is used otherwise than stored.
    Gives a name to every argument and result that has none (`arg0`,
    `result0`). Nothing is inferred.

    A GLOB matches names of arguments and results, and of the gradients
    (`d<argument>`) and cotangents (`d<result>`) that differentiation adds;
    those are kept in `tp.derived_placements` of the function. A later flag wins
    for the same name. Refused: a GLOB that matches nothing, an axis the mesh
    lacks or that is named twice, a shard dim out of range.

    ```mlir
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<8xf32> {tp.name = "x", tp.use = #tp.placement<@mesh, []>})
        -> (tensor<8xf32> {tp.name = "y"}) {
      return %x : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"mesh", "mesh", "std::string", "\"\"", "Axes as NAME=SIZE,NAME=SIZE">,
    Option<"place", "place", "std::string", "\"\"",
           "Placements as GLOB=axis:P,axis:P, several separated by ';'">,
    Option<"use", "use", "std::string", "\"\"",
           "Placements of use as GLOB=axis:P,axis:P, several separated by ';'">,
    Option<"grad", "grad", "std::string", "\"\"",
           "What to differentiate by: params, inputs, all or a GLOB; several separated by ';'">
  ];
  let dependentDialects = ["::tpc::tp::TPDialect"];
}

#endif // TPC_PLACE_PASSES_TD
