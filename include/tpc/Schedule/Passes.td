// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the schedule stage.

#ifndef TPC_SCHEDULE_PASSES_TD
#define TPC_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def BucketCollectivesPass : Pass<"tp-bucket-collectives", "::mlir::ModuleOp"> {
  let summary = "Let independent all-reduces of one group travel together";
  let description = [{
    All-reduces of one phase over the same axes with the same reduction become
    one collective with several tensors when none depends on another: one
    latency instead of many, the same bytes.

    How it decides: all-reduces that no other collective waits for are joined
    whatever their place, and run where the last of them is ready; the others
    are joined when equally many collectives lie before them. Either way no
    bucket can wait for itself. Bodies of loops and branches are looked at each on
    their own: no collective leaves the block it stands in, and a loop or branch
    with collectives inside counts as one that waits.

    Requires: the partition stage's form. Ensures: order and values as before.

    ```mlir
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```
  }];
}

#endif // TPC_SCHEDULE_PASSES_TD
