// Flags that cannot be followed: one error each, naming the flag as written; all independent ones at once.
// RUN: split-file %s %t
// RUN: not tpc-opt %t/model.mlir --tp-apply-placements 2>&1 | FileCheck %s --check-prefix=NOMESH
// NOMESH: error: expected a mesh: give --mesh NAME=SIZE,... or a tp.mesh in the module

// RUN: not tpc-opt %t/model.mlir --tp-apply-placements="mesh=tp" 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: error: --mesh: expected mesh axes as NAME=SIZE,NAME=SIZE, got "tp"

// RUN: not tpc-opt %t/two-meshes.mlir --tp-apply-placements 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: two-meshes.mlir:2:1: error: unsupported: a second mesh in one module
// TWO: two-meshes.mlir:1:1: note: the first mesh is here

// RUN: not tpc-opt %t/two-axes.mlir --tp-apply-placements="mesh=tp=2" 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: error: --mesh: expected axis "dp" of the module's mesh, got tp=2
// LOST: two-axes.mlir:1:1: note: the mesh is here

// RUN: not tpc-opt %t/clash.mlir --tp-apply-placements="mesh=tp=2" 2>&1 | FileCheck %s --check-prefix=CLASH
// CLASH: clash.mlir:1:1: error: expected no symbol '@mesh' besides the mesh that --mesh makes; rename this one

// RUN: not tpc-opt %t/nothing.mlir --tp-apply-placements="mesh=tp=2" 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: expected a public function with a body, got none

// RUN: not tpc-opt %t/model.mlir --tp-apply-placements="mesh=tp=2 place='x=dp:S(0);x=tp:S(2);x=tp:S(0),tp:S(1);nothing=R;x;=R;[=R;x=tp:Q' use='y=R' grad='no*;n;params;['" 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: error: --grad 'no*': expected to match the name of a float argument, got no match
// ALL: error: --grad 'n': expected a float argument, got 'n' of type 'tensor<4xi32>'
// ALL: error: --grad 'params': expected to match the name of a float argument marked tp.param, got no match
// ALL: error: --grad '[': invalid glob pattern, unmatched '['
// ALL: error: --place 'x=dp:S(0)': expected an axis of the mesh tp=2, got axis "dp"
// ALL: error: --place 'x=tp:S(2)': for 'x' of type 'tensor<4x4xf32>': expected a shard dim below 2 for axis "tp", got 2
// ALL: error: --place 'x=tp:S(0),tp:S(1)': expected every axis once, got axis "tp" twice
// ALL: error: --place 'nothing=R': expected to match the name of an argument or result, got no match among x, n, y
// ALL: error: --place 'x': expected GLOB=axis:P,axis:P
// ALL: error: --place '=R': expected GLOB=axis:P,axis:P
// ALL: error: --place '[=R': invalid glob pattern, unmatched '['
// ALL: error: --place 'x=tp:Q': expected S(dim), P(sum|max|min|prod|and|or) or R for axis "tp", got "Q"
// ALL: error: --use 'y=R': expected to match the name of an argument, got no match among x, n
// ALL-NOT: error:

//--- model.mlir
func.func @f(%x: tensor<4x4xf32> {tp.name = "x"}, %n: tensor<4xi32> {tp.name = "n"}) -> (tensor<4x4xf32> {tp.name = "y"}) {
  return %x : tensor<4x4xf32>
}
//--- two-meshes.mlir
tp.mesh @mesh ["tp" = 2]
tp.mesh @other ["tp" = 2]
//--- two-axes.mlir
tp.mesh @mesh ["dp" = 2, "tp" = 2]
//--- clash.mlir
func.func @mesh(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- nothing.mlir
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32>
