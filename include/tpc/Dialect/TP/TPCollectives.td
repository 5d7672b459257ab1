// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collectives: one step between placements each, on one or more tensors.

#ifndef TPC_DIALECT_TP_TPCOLLECTIVES_TD
#define TPC_DIALECT_TP_TPCOLLECTIVES_TD

include "tpc/Dialect/TP/TPOps.td"
include "tpc/Dialect/TP/TPInterfaces.td"

def TP_IntegersArrayAttr
    : TypedArrayAttrBase<DenseI64ArrayAttr, "array of arrays of integers">;

class TP_Collective<string mnemonic, string kind>
    : TP_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<TP_CollectiveInterface, ["getStepKind"]>]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, StrArrayAttr:$axes,
                       OptionalAttr<StrAttr>:$reduction,
                       OptionalAttr<TP_PartArrayAttr>:$parts);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $inputs `over` $axes (`by` $reduction^)? (`parts` $parts^)? attr-dict
    `:` functional-type($inputs, $outputs)
  }];
  let extraClassDefinition = [{
    ::tpc::StepKind $cppClass::getStepKind() {
      return ::tpc::StepKind::}] # kind # [{;
    }
  }];
}

def TP_AllReduceOp : TP_Collective<"all_reduce", "AllReduce"> {
  let summary = "Join partial tensors; every rank of a group gets the result.";
  let description = [{
    P(op) -> R on `axes`. All ranks of a group hold bit-equal results. With
    several operands one collective carries all of them (a bucket).

    Constraints of all collectives: [C1] as many results as operands; [C2]
    each operand's placement and its result's differ by this step on `axes`
    and by nothing else. Axes are named in mesh order; `by` is there where
    partial tensors are joined or made, and names their kind. Before partition
    the placements are the encodings of the types; after it they are in
    `parts`, and the types are the local ones.

    All collectives count as free of side effects: unused ones may be dropped
    and equal ones shared, on all ranks alike, since all ranks run one program.
    None may be moved under control flow that differs from rank to rank.

    Life cycle of all collectives: made by the redistribute stage, lowered to
    runtime calls.

    ```mlir
    #from = #tp.placement<@mesh, [tp: P(sum)]>
    #to = #tp.placement<@mesh, []>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to> {
      %0 = tp.all_reduce %x over ["tp"] by "sum" : (tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to>
      return %0 : tensor<4x4xf32, #to>
    }
    ```
  }];
  let hasCanonicalizer = 1;
}

def TP_AllGatherOp : TP_Collective<"all_gather", "AllGather"> {
  let summary = "Give every rank of a group all chunks of a sharded tensor.";
  let description = [{
    S(d) -> R on `axes`, which are the inner splits of their dims.

    ```mlir
    #from = #tp.placement<@mesh, [tp: S(0)]>
    #to = #tp.placement<@mesh, []>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to> {
      %0 = tp.all_gather %x over ["tp"] : (tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to>
      return %0 : tensor<4x4xf32, #to>
    }
    ```
  }];
}

def TP_ReduceScatterOp : TP_Collective<"reduce_scatter", "ReduceScatter"> {
  let summary = "Join partial tensors; every rank of a group gets one chunk.";
  let description = [{
    P(op) -> S(d) on `axes`; the new shard is the inner split of its dim.

    ```mlir
    #from = #tp.placement<@mesh, [tp: P(sum)]>
    #to = #tp.placement<@mesh, [tp: S(0)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to> {
      %0 = tp.reduce_scatter %x over ["tp"] by "sum" : (tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to>
      return %0 : tensor<4x4xf32, #to>
    }
    ```
  }];
}

def TP_AllToAllOp : TP_Collective<"all_to_all", "AllToAll"> {
  let summary = "Move a shard from one dim to another.";
  let description = [{
    S(a) -> S(b) on `axes`, from inner split to inner split.

    ```mlir
    #from = #tp.placement<@mesh, [tp: S(0)]>
    #to = #tp.placement<@mesh, [tp: S(1)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to> {
      %0 = tp.all_to_all %x over ["tp"] : (tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to>
      return %0 : tensor<4x4xf32, #to>
    }
    ```
  }];
}

def TP_PermuteOp : TP_Collective<"permute", "Permute"> {
  let summary = "Every rank receives the whole buffer of one rank.";
  let description = [{
    Any S -> S pair in which each rank's target chunk is another rank's source
    chunk: a change of nesting order, for one.

    ```mlir
    #from = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
    #to = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>
    tp.mesh @mesh ["dp" = 2, "tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to> {
      %0 = tp.permute %x over ["dp", "tp"] : (tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to>
      return %0 : tensor<4x4xf32, #to>
    }
    ```
  }];
}

def TP_SendRecvOp : TP_Collective<"send_recv", "SendRecv"> {
  let summary = "Grouped point-to-point transfers between any two placements.";
  let description = [{
    Any S/R -> S/R pair; every rank receives just the elements it lacks.

    ```mlir
    #from = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
    #to = #tp.placement<@mesh, [tp: S(1)]>
    tp.mesh @mesh ["dp" = 2, "tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to> {
      %0 = tp.send_recv %x over ["dp", "tp"] : (tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to>
      return %0 : tensor<4x4xf32, #to>
    }
    ```
  }];
}

def TP_SliceOp : TP_Collective<"slice", "Slice"> {
  let summary = "Keep this rank's chunk; local.";
  let description = [{
    R -> S(d) on `axes`, without communication.

    ```mlir
    #from = #tp.placement<@mesh, []>
    #to = #tp.placement<@mesh, [tp: S(0)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to> {
      %0 = tp.slice %x over ["tp"] : (tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to>
      return %0 : tensor<4x4xf32, #to>
    }
    ```
  }];
  let hasCanonicalizer = 1;
}

def TP_ToPartialOp : TP_Collective<"to_partial", "ToPartial"> {
  let summary = "One rank keeps the value, the others the neutral element; local.";
  let description = [{
    R -> P(op) on `axes`. This is not a no-op: were every rank to keep the
    value, the sum over ranks would be a multiple of it.

    ```mlir
    #from = #tp.placement<@mesh, []>
    #to = #tp.placement<@mesh, [tp: P(sum)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to> {
      %0 = tp.to_partial %x over ["tp"] by "sum" : (tensor<4x4xf32, #from>) -> tensor<4x4xf32, #to>
      return %0 : tensor<4x4xf32, #to>
    }
    ```
  }];
}

def TP_WindowOp : TP_Op<"window", [Pure, DeclareOpInterfaceMethods<TP_CollectiveInterface, ["getStepKind"]>]> {
  let summary = "A box of a tensor, moved: every rank fetches what it lacks.";
  let description = [{
    result[i] = operand[i + offset] wherever that is inside the operand, and
    unspecified elsewhere: consumers mask. Operand and result have shapes of
    their own, and are each placed by chunks of their own lengths. One array of
    `offsets` per operand, one offset per dim. `blocks` holds a block and a step
    per dim: where the block is not zero, result[i] = operand[i / block * step +
    i mod block + offset], so that blocks of the result overlap in the operand.

    An operand of more dims than the result (or fewer) is joined (or split) in
    row-major order, the offset zero: element i of the one is element i of the
    other, in chunks of rows.

    It is a send_recv where some rank lacks something, and a local step where
    none does. Constraints: [C1]; [W1] an offset is between minus the length of
    the result and the length of the operand, and blocks divide the result; [W2]
    an axis that is partial in the operand is so in the result, and one that
    shards it may become P(sum): a rank then keeps what it holds, and zero
    elsewhere; [W3] `axes` are those that shard a dim that moves.

    ```mlir
    #rows = #tp.placement<@mesh, [tp: S(0)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x4xf32, #rows>) -> tensor<3x4xf32, #rows> {
      %0 = tp.window %x over ["tp"] offsets [array<i64: 1, 0>] : (tensor<4x4xf32, #rows>) -> tensor<3x4xf32, #rows>
      return %0 : tensor<3x4xf32, #rows>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, StrArrayAttr:$axes,
                       TP_IntegersArrayAttr:$offsets,
                       OptionalAttr<TP_IntegersArrayAttr>:$blocks,
                       OptionalAttr<TP_PartArrayAttr>:$parts);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $inputs `over` $axes `offsets` $offsets (`blocks` $blocks^)?
    (`parts` $parts^)? attr-dict
    `:` functional-type($inputs, $outputs)
  }];
}

#endif // TPC_DIALECT_TP_TPCOLLECTIVES_TD
