// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on tensors that linalg has no structured form for: reads and
// writes at computed places, scans, and maxima with their places.

#ifndef TPC_DIALECT_TP_TPTENSOROPS_TD
#define TPC_DIALECT_TP_TPTENSOROPS_TD

include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tpc/Dialect/TP/TPInterfaces.td"
include "tpc/Dialect/TP/TPOps.td"

def TP_IndexTensor : StaticShapeTensorOf<[I8, I16, I32, I64]>;
def TP_SummableTensor
    : StaticShapeTensorOf<[F16, BF16, F32, F64, I8, I16, I32, I64]>;

class TP_IndexedOp<string mnemonic>
    : TP_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<TP_IndexedInterface, ["getIndexed", "getElements"]>]>;

def TP_GatherOp : TP_IndexedOp<"gather"> {
  let summary = "Read a tensor at computed places.";
  let description = [{
    The loops are the dims of the result. The first map says where each element
    comes from: a dim of the source is a loop, or an index, which is a symbol of
    the map. The other maps say where the loops find each index, one map per
    index tensor:

        result[loops] = source[map0(loops)[index0[map1(loops)], ...]]

    An index below zero or beyond its dim gives 0. All ranks: an element that
    lies in another rank's chunk counts as 0 too, so that the result is the sum
    over the ranks where a dim read through an index is sharded.

    Constraints: [I1] one map for the source, with a symbol per index tensor,
    and one per index tensor, without symbols; [I2] the results of the first
    map are distinct loops, and each symbol once; [I3] those of the others are
    distinct loops; [I4] every loop is a result of some map; [I5] dims that are
    one loop are of one size; [I6] there is an index; [I7] source and result
    have one element type.

    Life cycle: written by users, made by the import stage from
    `tensor.extract` in bodies and by the autodiff stage as the adjoint of
    `tp.scatter`; lowered to a kernel.

    ```mlir
    func.func @embedding(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x2xf32> {
      %0 = tp.gather %e[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>]
          : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$source,
                       Variadic<TP_IndexTensor>:$indices,
                       AffineMapArrayAttr:$maps);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `maps` $maps attr-dict
    `:` functional-type(operands, results)
  }];
}

def TP_ScatterOp : TP_IndexedOp<"scatter"> {
  let summary = "Add elements to a tensor at computed places.";
  let description = [{
    The loops are the dims of the updates. The first map says which element of
    the result each update is added to, the others where the loops find each
    index, as in `tp.gather`:

        result = init
        result[map0(loops)[index0[map1(loops)], ...]] += updates[loops]

    Updates of one element are added one after the other, in an order that is
    the same on every run. An update whose index is below zero or beyond its
    dim is dropped. All ranks: a rank adds the updates that fall into its chunk;
    where a loop that is no dim of the result is sharded, the result is the sum
    over the ranks.

    Constraints: as for `tp.gather`, with the result in place of the source and
    the updates in place of the result: [I1] to [I7]; [I8] the init has the
    shape and element type of the result.

    Life cycle: written by users and made by the autodiff stage as the adjoint
    of `tp.gather`; lowered to a kernel.

    ```mlir
    func.func @place(%v: tensor<4xf32>, %init: tensor<3x5xf32>, %rows: tensor<4xi32>, %columns: tensor<4xi64>)
        -> tensor<3x5xf32> {
      %0 = tp.scatter %v into %init[%rows, %columns]
          maps [affine_map<(t)[i, j] -> (i, j)>, affine_map<(t) -> (t)>, affine_map<(t) -> (t)>]
          : (tensor<4xf32>, tensor<3x5xf32>, tensor<4xi32>, tensor<4xi64>) -> tensor<3x5xf32>
      return %0 : tensor<3x5xf32>
    }
    ```
  }];
  let arguments = (ins TP_SummableTensor:$updates, TP_SummableTensor:$init,
                       Variadic<TP_IndexTensor>:$indices,
                       AffineMapArrayAttr:$maps);
  let results = (outs TP_SummableTensor:$result);
  let assemblyFormat = [{
    $updates `into` $init `[` $indices `]` `maps` $maps attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TP_CumsumOp : TP_Op<"cumsum", [Pure, AllTypesMatch<["input", "output"]>]> {
  let summary = "Sums of the elements up to each place along a dim.";
  let description = [{
    Element i along `dim` is the sum of the elements 0 to i of the operand, or
    0 to i - 1 with `exclusive`. With `reverse` the sums run from the end.

    Constraints: [A1] `dim` is a dim of the tensor.

    Life cycle: written by users and made by the autodiff stage as the adjoint
    of another; lowered to a kernel.

    ```mlir
    func.func @positions(%x: tensor<2x16xf32>) -> tensor<2x16xf32> {
      %0 = tp.cumsum %x dim 1 exclusive : tensor<2x16xf32>
      return %0 : tensor<2x16xf32>
    }
    ```
  }];
  let arguments = (ins TP_SummableTensor:$input, I64Attr:$dim,
                       UnitAttr:$reverse, UnitAttr:$exclusive);
  let results = (outs TP_SummableTensor:$output);
  let assemblyFormat = [{
    $input `dim` $dim (`reverse` $reverse^)? (`exclusive` $exclusive^)?
    attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def TP_AttentionTensor : StaticShapeTensorOf<[F16, BF16]>;

def TP_AttentionOp : TP_Op<"attention", [Pure]> {
  let summary = "softmax(scale * q k^T) v for every batch and head.";
  let description = [{
    `maps` say per tensor (q, k, v, output) which dim is which, in terms of
    batch, head, row and feature; a tensor of one head or batch need not have the
    dim, and dims of size 1 may be 0. Rows of q and of the output are queries,
    rows of k and v keys. With `causal` query i sees keys 0 to i. `statistics`
    holds, per batch, head and query, the logarithm of the sum of the
    exponentials of the scores: what the gradient needs.

    All ranks: each computes its own tensors.

    Constraints: [A1] there are four maps from four dims, each a permutation of
    those it uses, to the dims of their tensors; [A2] extents agree.

    Life cycle: made by tp-fuse-attention in the lower stage for the target
    cuda; consumed by tp-lower-to-runtime.

    ```mlir
    #heads = affine_map<(b, h, s, d) -> (b, s, h, d)>
    func.func @attend(%q: tensor<2x24x4x16xbf16>, %k: tensor<2x24x4x16xbf16>, %v: tensor<2x24x4x16xbf16>) -> tensor<2x24x4x16xbf16> {
      %o, %s = tp.attention %q, %k, %v maps [#heads, #heads, #heads, #heads] scale 2.500000e-01 causal : (tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>) -> (tensor<2x24x4x16xbf16>, tensor<2x4x24xf32>)
      return %o : tensor<2x24x4x16xbf16>
    }
    ```
  }];
  let arguments = (ins TP_AttentionTensor:$q, TP_AttentionTensor:$k,
                       TP_AttentionTensor:$v, AffineMapArrayAttr:$maps,
                       F64Attr:$scale, UnitAttr:$causal);
  let results = (outs TP_AttentionTensor:$output,
                      StaticShapeTensorOf<[F32]>:$statistics);
  let assemblyFormat = [{
    $q `,` $k `,` $v `maps` $maps `scale` $scale (`causal` $causal^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TP_AttentionGradOp : TP_Op<"attention_grad", [Pure]> {
  let summary = "The gradients of q, k and v of a tp.attention.";
  let description = [{
    From the operands and results of the attention and the gradient of its
    output. `maps` are those of q, k, v, output, its gradient, and the three
    results.

    All ranks: each computes its own tensors.

    Constraints: [A1] there are eight maps as those of tp.attention; [A2] extents
    agree.

    Life cycle: as tp.attention.

    ```mlir
    #heads = affine_map<(b, h, s, d) -> (b, s, h, d)>
    func.func @grad(%q: tensor<2x24x4x16xbf16>, %k: tensor<2x24x4x16xbf16>, %v: tensor<2x24x4x16xbf16>, %o: tensor<2x24x4x16xbf16>, %s: tensor<2x4x24xf32>, %do: tensor<2x24x4x16xbf16>) -> tensor<2x24x4x16xbf16> {
      %dq, %dk, %dv = tp.attention_grad %q, %k, %v, %o, %s, %do maps [#heads, #heads, #heads, #heads, #heads, #heads, #heads, #heads] scale 2.500000e-01 causal : (tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x4x24xf32>, tensor<2x24x4x16xbf16>) -> (tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>)
      return %dq : tensor<2x24x4x16xbf16>
    }
    ```
  }];
  let arguments = (ins TP_AttentionTensor:$q, TP_AttentionTensor:$k,
                       TP_AttentionTensor:$v, TP_AttentionTensor:$output,
                       StaticShapeTensorOf<[F32]>:$statistics,
                       TP_AttentionTensor:$doutput, AffineMapArrayAttr:$maps,
                       F64Attr:$scale, UnitAttr:$causal);
  let results = (outs TP_AttentionTensor:$dq, TP_AttentionTensor:$dk,
                      TP_AttentionTensor:$dv);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $output `,` $statistics `,` $doutput `maps` $maps
    `scale` $scale (`causal` $causal^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TP_ArgmaxOp : TP_Op<"argmax", [Pure]> {
  let summary = "The greatest element along a dim, and where it is.";
  let description = [{
    `values` are the greatest elements along `dim`, or the least with `minimum`,
    and `indices` where they are; of equal ones the first. A NaN is greater (or
    less) than every number. The cotangent of a value flows to the element at
    its index, and to no other.

    Constraints: [A1] `dim` is a dim of the tensor; [A2] the dim has elements;
    [A3] both results have the dims of the operand without `dim`, the values
    its element type.

    Life cycle: made by the import stage from reductions with two results;
    behind the autodiff stage it is two reductions, of the elements and of the
    indices at which the elements are the greatest: a maximum and a minimum,
    each of which may be partial.

    ```mlir
    func.func @best(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
      %values, %indices = tp.argmax %x dim 1 : tensor<4x6xf32> -> tensor<4xf32>, tensor<4xi64>
      return %values, %indices : tensor<4xf32>, tensor<4xi64>
    }
    ```
  }];
  let arguments = (ins TP_SummableTensor:$input, I64Attr:$dim, UnitAttr:$minimum);
  let results = (outs TP_SummableTensor:$values, TP_IndexTensor:$indices);
  let assemblyFormat = [{
    $input `dim` $dim (`minimum` $minimum^)? attr-dict
    `:` type($input) `->` type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

#endif // TPC_DIALECT_TP_TPTENSOROPS_TD
