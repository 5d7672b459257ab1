// Placed programs that mean what they say pass unchanged.
// RUN: tpc-opt %s --tp-verify-placements | FileCheck %s

#rep = #tp.placement<@mesh, []>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#grid = #tp.placement<@mesh, [tp: P(sum), dp: S(0)]>
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
tp.mesh @mesh ["tp" = 2, "dp" = 2]

// CHECK-LABEL: func.func @contraction_over_a_shard_gives_a_partial
func.func @contraction_over_a_shard_gives_a_partial(%x: tensor<4x4xf32, #columns>, %w: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #sum> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32, #sum>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  %y = linalg.matmul ins(%x, %w : tensor<4x4xf32, #columns>, tensor<4x4xf32, #rows>) outs(%init : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  return %y : tensor<4x4xf32, #sum>
}

// CHECK-LABEL: func.func @partials_add_up
func.func @partials_add_up(%x: tensor<4x4xf32, #sum>, %y: tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum> {
  %empty = tensor.empty() : tensor<4x4xf32, #sum>
  %z = linalg.add ins(%x, %y : tensor<4x4xf32, #sum>, tensor<4x4xf32, #sum>) outs(%empty : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  return %z : tensor<4x4xf32, #sum>
}

// CHECK-LABEL: func.func @partial_times_replicated
func.func @partial_times_replicated(%x: tensor<4x4xf32, #sum>, %y: tensor<4x4xf32, #rep>) -> tensor<4x4xf32, #sum> {
  %empty = tensor.empty() : tensor<4x4xf32, #sum>
  %z = linalg.mul ins(%x, %y : tensor<4x4xf32, #sum>, tensor<4x4xf32, #rep>) outs(%empty : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  return %z : tensor<4x4xf32, #sum>
}

// CHECK-LABEL: func.func @axes_are_judged_one_by_one
func.func @axes_are_judged_one_by_one(%x: tensor<4x4xf32, #tp.placement<@mesh, [tp: S(1), dp: S(0)]>>, %w: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #grid> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32, #grid>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32, #grid>) -> tensor<4x4xf32, #grid>
  %y = linalg.matmul ins(%x, %w : tensor<4x4xf32, #tp.placement<@mesh, [tp: S(1), dp: S(0)]>>, tensor<4x4xf32, #rows>) outs(%init : tensor<4x4xf32, #grid>) -> tensor<4x4xf32, #grid>
  return %y : tensor<4x4xf32, #grid>
}

// A destination that is only written to says nothing of its own.
// CHECK-LABEL: func.func @destination_without_meaning
func.func @destination_without_meaning(%x: tensor<4x4xf32, #rows>, %space: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows> {
  %y = linalg.exp ins(%x : tensor<4x4xf32, #rows>) outs(%space : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
  return %y : tensor<4x4xf32, #rows>
}
