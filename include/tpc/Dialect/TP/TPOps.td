// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meshes, changes of placement, manual regions and rank coordinates.

#ifndef TPC_DIALECT_TP_TPOPS_TD
#define TPC_DIALECT_TP_TPOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "tpc/Dialect/TP/TPAttrs.td"

class TP_Op<string mnemonic, list<Trait> traits = []>
    : Op<TP_Dialect, mnemonic, traits>;

def TP_MeshOp : TP_Op<"mesh", [Symbol]> {
  let summary = "A mesh of ranks with named axes.";
  let description = [{
    Ranks are numbered row-major over the axes in the order written.

    Constraints: [M1] axis names are distinct and not empty; [M2] sizes are at
    least 1.

    Life cycle: written by users or by the place stage; kept to the end.

    ```mlir
    tp.mesh @mesh ["dp" = 2, "tp" = 4]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       StrArrayAttr:$axis_names,
                       DenseI64ArrayAttr:$axis_sizes);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "const ::tpc::Mesh &":$mesh)>];
  let extraClassDeclaration = [{
    /// The mesh as plain data. The op must have been verified.
    ::tpc::Mesh getMesh();
  }];
}

def TP_RedistributeOp : TP_Op<"redistribute", [Pure]> {
  let summary = "Change the placement of a value; the identity on the value.";
  let description = [{
    All ranks: the result denotes the same global tensor as the operand, held
    as the result's placement says.

    Constraints: [R1] shape and element type agree; [R2] both placements are of
    the same mesh.

    Life cycle: made by the plan stage (or written by hand), turned into
    collectives by the redistribute stage, absent after it.

    ```mlir
    #rows = #tp.placement<@mesh, [tp: S(0)]>
    #all = #tp.placement<@mesh, []>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x8xf32, #rows>) -> tensor<4x8xf32, #all> {
      %0 = tp.redistribute %x : tensor<4x8xf32, #rows> -> tensor<4x8xf32, #all>
      return %0 : tensor<4x8xf32, #all>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TP_ConstrainOp : TP_Op<"constrain", [Pure, AllTypesMatch<["input", "output"]>]> {
  let summary = "Pin the placement of a value in the middle of a program.";
  let description = [{
    The identity on the value. The planner must place the result as said. The
    cotangent of the value is left to the planner unless pinned too.

    A placement is written without `#tp.placement` here (or as an alias): MLIR
    would read `#tp.placement<...> : type` as one attribute.

    Constraints: [P2], [P3], [P5] for both placements.

    Life cycle: written by users, or by the place stage for `tp.use`; absent
    after the plan stage.

    ```mlir
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tp.constrain %x to <@mesh, [tp: S(0)]> : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, TP_PlacementAttr:$placement,
                       OptionalAttr<TP_PlacementAttr>:$cotangent);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = [{
    $input `to` $placement (`cotangent` $cotangent^)? attr-dict
    custom<TypeBehindPlacement>(type($input))
  }];
  let hasVerifier = 1;
}

def TP_FreshOp : TP_Op<"fresh", [AllTypesMatch<["input", "output"]>]> {
  let summary = "A value whose moves are not shared with those of the operand.";
  let description = [{
    The identity on the value, placed as the operand is made. Where consumers
    of the result need it otherwise it is moved for them alone, at this place:
    a parameter is gathered again instead of being kept gathered. Two of one
    operand are never made one.

    Life cycle: made by `tp-regather-parameters`; absent after the plan stage,
    which marks the moves behind it with `tp.fresh`.

    ```mlir
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%w: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tp.fresh %w : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  // Like an allocation it is not shared, and goes when it is not used.
  let results = (outs Res<AnyRankedTensor, "", [MemAlloc<DefaultResource>]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def TP_ManualOp : TP_Op<"manual", [SingleBlockImplicitTerminator<"YieldOp">, IsolatedFromAbove, RecursiveMemoryEffects]> {
  let summary = "A region of per-rank code.";
  let description = [{
    Inside the region every rank computes on its own part of the operands: the
    block arguments are the local tensors of the operands under
    `in_placements`, the yielded tensors are the local tensors of the results
    under `out_placements`. Differentiable: an operand placed R gives a
    cotangent placed P(sum), P(sum) gives R, S gives S.

    Constraints: [N1] one placement per operand and per result; [N2] block
    argument and yield types are the local types; [N3] shards are even.

    Life cycle: written by users; absent after partition.

    ```mlir
    #rep = #tp.placement<@mesh, []>
    #part = #tp.placement<@mesh, [tp: P(sum)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tp.manual (%x) in [#rep] out [#part] {
      ^bb0(%a: tensor<4xf32>):
        tp.yield %a : tensor<4xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       TP_PlacementArrayAttr:$in_placements,
                       TP_PlacementArrayAttr:$out_placements);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `in` $in_placements `out` $out_placements $body attr-dict
    `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TP_YieldOp : TP_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ManualOp"]>]> {
  let summary = "End of a manual region.";
  let description = [{
    Yields the local tensors of the results of the `tp.manual` around it [N2].

    ```mlir
    #rows = #tp.placement<@mesh, [tp: S(0)]>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tp.manual (%x) in [#rows] out [#rows] {
      ^bb0(%a: tensor<2xf32>):
        tp.yield %a : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
}

def TP_CoordinateOp : TP_Op<"coordinate", [Pure]> {
  let summary = "This rank's coordinate along an axis.";
  let description = [{
    From 0 to the size of the axis less one; differs from rank to rank.

    Life cycle: made by partition, lowered to a runtime call.

    ```mlir
    tp.mesh @mesh ["tp" = 2]
    func.func @f() -> index {
      %0 = tp.coordinate "tp" of @mesh
      return %0 : index
    }
    ```
  }];
  let arguments = (ins StrAttr:$axis, FlatSymbolRefAttr:$mesh);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis `of` $mesh attr-dict";
  let hasVerifier = 1;
}

class TP_ChunkOp<string mnemonic> : TP_Op<mnemonic, [Pure]> {
  let arguments = (ins I64Attr:$length, TP_PlacementAttr:$placement, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$length `dim` $dim `of` $placement attr-dict";
  let hasVerifier = 1;
}
def TP_ChunkSizeOp : TP_ChunkOp<"chunk_size"> {
  let summary = "Elements of a dim that this rank holds.";
  let description = [{
    The size of this rank's chunk of tensor dim `dim`, of `length` elements in
    all, under a placement.

    Life cycle: made by partition, lowered to arithmetic on coordinates.

    ```mlir
    tp.mesh @mesh ["tp" = 2]
    func.func @f() -> index {
      %0 = tp.chunk_size 5 dim 0 of #tp.placement<@mesh, [tp: S(0)]>
      return %0 : index
    }
    ```
  }];
}
def TP_ChunkOffsetOp : TP_ChunkOp<"chunk_offset"> {
  let summary = "Global index of the first element of a dim that this rank holds.";
  let description = [{
    As `tp.chunk_size`, but the offset of the chunk; `length` where the chunk is
    empty.

    ```mlir
    tp.mesh @mesh ["tp" = 2]
    func.func @f() -> index {
      %0 = tp.chunk_offset 5 dim 0 of #tp.placement<@mesh, [tp: S(0)]>
      return %0 : index
    }
    ```
  }];
}

#endif // TPC_DIALECT_TP_TPOPS_TD
