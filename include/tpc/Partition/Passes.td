// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the partition stage.

#ifndef TPC_PARTITION_PASSES_TD
#define TPC_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def PartitionPass : Pass<"tp-partition", "::mlir::ModuleOp"> {
  let summary = "Rewrite a placed program on global tensors as one program on local tensors";
  let description = [{
    Every tensor becomes the buffer of one rank: its global shape divided by the
    shards of its placement, rounded up. One program serves all ranks; what
    depends on the rank (offsets, sizes of uneven chunks) is computed from its
    coordinates. `linalg.index` counts in global coordinates, elements behind a
    shorter chunk never enter a reduction, and the initial value of a sharded
    reduction is counted once. `scf.for` and `scf.if` keep what they are, with
    local tensors carried through them: all ranks run the same iterations and
    take the same branches.

    Requires: placements on every tensor, collectives instead of redistributes.
    Ensures: no tensor has a placement; arguments and results keep theirs as
    `tp.placement`, and their global type as `tp.global`; collectives carry
    `parts`; manual regions are inlined.

    ```mlir
    #rows = #tp.placement<@mesh, [tp: S(0)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<8xf32, #rows> {tp.placement = #rows}) -> (tensor<8xf32, #rows> {tp.placement = #rows}) {
      return %x : tensor<8xf32, #rows>
    }
    ```
  }];
  let dependentDialects = ["::tpc::tp::TPDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // TPC_PARTITION_PASSES_TD
