// What cannot be simulated is an error.
// RUN: tpc-opt %s --split-input-file --tp-simulate --verify-diagnostics -o /dev/null
// RUN: not tpc-opt %s --split-input-file --tp-simulate=values=random -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: expected values=integers or values=reals, got random

tp.mesh @mesh ["tp" = 2]
// expected-error @+1 {{expected a placed program, as it is behind the plan or the redistribute stage, got 'tensor<4xf32>'}}
func.func @global_program(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func private @other(tensor<4xf32, #all>) -> tensor<4xf32, #all>
func.func @call(%x: tensor<4xf32, #all>) -> tensor<4xf32, #all> {
  // expected-error @+1 {{unsupported: simulation of 'func.call'}}
  %y = func.call @other(%x) : (tensor<4xf32, #all>) -> tensor<4xf32, #all>
  return %y : tensor<4xf32, #all>
}

// -----

#all = #tp.placement<@mesh, []>
#id = affine_map<(i) -> (i)>
tp.mesh @mesh ["tp" = 2]
func.func @bits_of_a_float(%x: tensor<4xf32, #all>) -> tensor<4xi32, #all> {
  %empty = tensor.empty() : tensor<4xi32, #all>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32, #all>) outs(%empty : tensor<4xi32, #all>) {
  ^bb0(%in: f32, %out: i32):
    // expected-error @+1 {{unsupported: simulation of 'arith.bitcast'}}
    %0 = arith.bitcast %in : f32 to i32
    linalg.yield %0 : i32
  } -> tensor<4xi32, #all>
  return %y : tensor<4xi32, #all>
}

// -----

// expected-error @+1 {{expected one tp.mesh in the module}}
module {
}
