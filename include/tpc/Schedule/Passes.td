// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the schedule stage.

#ifndef TPC_SCHEDULE_PASSES_TD
#define TPC_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def BucketCollectivesPass : Pass<"tp-bucket-collectives", "::mlir::ModuleOp"> {
  let summary = "Let independent collectives of one group travel together";
  let description = [{
    Collectives of one kind and phase over the same axes with the same reduction
    become one collective with several tensors when none depends on another: one
    latency instead of many, the same bytes. Bodies of loops and branches are
    looked at each on their own: no collective leaves the block it stands in, and
    a loop or branch with collectives inside counts as one that waits.

    Which travel together, with `bucket=block`:

    - All-gathers of stored parameters of one block of the model, which is the
      common beginning of their names up to the last number (`layers.0` of
      `layers.0.in_proj.weight`): at the place of the first, since a parameter is
      there from the beginning.
    - Reduce-scatters of the gradients of one block of the model, and all-gathers
      of its new parameters: at the place of the last.
    - All-reduces that no other collective waits for, whatever their place, where
      the last of them is ready; others when equally many collectives lie before
      them.

    Either way no bucket can wait for itself. With `bucket=parameter` every
    parameter and every gradient travels alone.

    Requires: the partition stage's form. Ensures: order and values as before.

    ```mlir
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"bucket", "bucket", "std::string", "\"block\"",
           "What travels together of gathers and gradients of parameters: block or parameter">
  ];
}

#endif // TPC_SCHEDULE_PASSES_TD
