// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cotangents that come in, gradients that go out: order, names, placements, and what is left alone.
// RUN: tpc-opt --tp-differentiate %s | FileCheck %s

// CHECK-DAG: #S0_dp = #tp.placement<@mesh, [dp: S(0)]>
// CHECK-DAG: #S0_tp = #tp.placement<@mesh, [tp: S(0)]>
// CHECK-DAG: #S0_tp_S0_dp = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
tp.mesh @mesh ["dp" = 2, "tp" = 4]

// The only float result is a scalar: seed 1, no cotangent argument. Integer results have no cotangent.
// CHECK-LABEL: func @scalar_loss_has_seed_one
// CHECK-SAME:    (%{{.*}}: tensor<4xf32> {tp.name = "x"})
// CHECK-SAME:    -> (tensor<f32> {tp.name = "loss"}, tensor<i32> {tp.name = "n"}, tensor<4xf32> {tp.name = "dx"})
// CHECK:         %[[ONE:.*]] = arith.constant {tp.phase = "backward"} 1.0
// CHECK:         linalg.fill {tp.phase = "backward"} ins(%[[ONE]]
func.func @scalar_loss_has_seed_one(%x: tensor<4xf32> {tp.name = "x", tp.grad}) -> (tensor<f32> {tp.name = "loss"}, tensor<i32> {tp.name = "n"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %n = arith.constant dense<4> : tensor<i32>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %out, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %loss, %n : tensor<f32>, tensor<i32>
}

// Every float result has a cotangent argument, also the one no gradient depends on. Names by number where there
// are none.
// CHECK-LABEL: func @one_cotangent_per_float_result
// CHECK-SAME:    %[[A:.*]]: tensor<4xf32> {tp.name = "arg0"}, %[[B:.*]]: tensor<4xf32> {tp.name = "arg1"}
// CHECK-SAME:    %[[D0:.*]]: tensor<4xf32> {tp.name = "dresult0"}, %[[D1:.*]]: tensor<4xf32> {tp.name = "dresult1"})
// CHECK-SAME:    -> (tensor<4xf32> {tp.name = "result0"}, tensor<4xf32> {tp.name = "result1"}, tensor<4xf32> {tp.name = "darg1"})
// CHECK-NEXT:    return %[[B]], %[[A]], %[[D0]]
func.func @one_cotangent_per_float_result(%a: tensor<4xf32>, %b: tensor<4xf32> {tp.grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// A cotangent is placed like its result, a gradient like its argument; tp.derived_placements overrides both.
// CHECK-LABEL: func @placements
// CHECK-SAME:    {tp.name = "x", tp.placement = #S0_dp}
// CHECK-SAME:    {tp.name = "w", tp.param, tp.placement = #S0_tp}
// CHECK-SAME:    {tp.name = "dy", tp.placement = #S0_dp}
// CHECK-SAME:    {tp.name = "dz", tp.placement = #tp.placement<@mesh, []>}
// CHECK-SAME:    {tp.name = "y", tp.placement = #S0_dp}
// CHECK-SAME:    {tp.name = "z", tp.placement = #S0_tp}
// CHECK-SAME:    {tp.name = "dx", tp.placement = #S0_dp}
// CHECK-SAME:    {tp.name = "dw", tp.placement = #S0_tp_S0_dp}
// CHECK-NOT:     derived_placements
func.func @placements(%x: tensor<8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
                      %w: tensor<8xf32> {tp.name = "w", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
        tensor<8xf32> {tp.name = "z", tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    attributes {tp.derived_placements = {dz = #tp.placement<@mesh, []>, dw = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>}} {
  return %x, %w : tensor<8xf32>, tensor<8xf32>
}

// An argument without influence has a gradient of zeros, and so has one with influence on integers alone.
// CHECK-LABEL: func @no_influence_gives_zeros
// CHECK:         %[[U:.*]] = linalg.fill {tp.phase = "backward"}
// CHECK:         %[[V:.*]] = linalg.fill {tp.phase = "backward"}
// CHECK:         return %{{.*}}, %{{.*}}, %[[U]], %[[V]]
func.func @no_influence_gives_zeros(%x: tensor<4xf32>, %unused: tensor<2xf32> {tp.name = "u", tp.grad}, %compared: tensor<4xf32> {tp.name = "v", tp.grad}) -> (tensor<4xf32>, tensor<4xi1>) {
  %e = tensor.empty() : tensor<4xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%compared : tensor<4xf32>) outs(%e : tensor<4xi1>) {
  ^bb0(%a: f32, %out: i1):
    %p = arith.cmpf ogt, %a, %a : f32
    linalg.yield %p : i1
  } -> tensor<4xi1>
  return %x, %y : tensor<4xf32>, tensor<4xi1>
}

// Nothing is built behind a value that no result depends on, and nothing for one that needs no gradient.
// CHECK-LABEL: func @only_what_results_need
// CHECK:         linalg.exp
// CHECK-COUNT-1: tp.phase = "backward"}{{.*}} {
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @only_what_results_need(%x: tensor<4xf32> {tp.grad}, %c: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %unused = linalg.tanh ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %constant = linalg.exp ins(%c : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.mul ins(%x, %constant : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Private functions and functions without tp.grad are left alone.
// CHECK-LABEL: func @not_marked
// CHECK-SAME:    (%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func @not_marked(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
