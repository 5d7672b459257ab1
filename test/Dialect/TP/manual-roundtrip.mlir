// Per-rank regions: block arguments and yields have the local types.
// RUN: tpc-opt %s | tpc-opt | FileCheck %s

#all = #tp.placement<@mesh, []>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#grid = #tp.placement<@mesh, [dp: S(0), tp: S(1)]>
tp.mesh @mesh ["dp" = 2, "tp" = 4]

// CHECK-LABEL: func.func @global_types_outside_local_types_inside
// CHECK: tp.manual(%{{.*}}, %{{.*}}) in [#S0_dp_S1_tp, #R] out [#Psum_tp, #S0_dp_S1_tp] {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<2x2xf32>, %[[B:.*]]: tensor<3xf32>):
// CHECK-NEXT: tp.yield %[[B]], %[[A]] : tensor<3xf32>, tensor<2x2xf32>
// CHECK-NEXT: } : (tensor<4x8xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<4x8xf32>)
func.func @global_types_outside_local_types_inside(%x: tensor<4x8xf32>, %y: tensor<3xf32>) {
  %0:2 = tp.manual (%x, %y) in [#grid, #all] out [#part, #grid] {
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<3xf32>):
    tp.yield %b, %a : tensor<3xf32>, tensor<2x2xf32>
  } : (tensor<4x8xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @placed_operands_agree_with_the_region
// CHECK: tp.manual(%{{.*}}) in [#S0_dp_S1_tp] out [#S0_dp_S1_tp]
func.func @placed_operands_agree_with_the_region(%x: tensor<4x8xf32, #grid>) -> tensor<4x8xf32, #grid> {
  %0 = tp.manual (%x) in [#grid] out [#grid] {
  ^bb0(%a: tensor<2x2xf32>):
    tp.yield %a : tensor<2x2xf32>
  } : (tensor<4x8xf32, #grid>) -> tensor<4x8xf32, #grid>
  return %0 : tensor<4x8xf32, #grid>
}

// CHECK-LABEL: func.func @without_operands_and_results
// CHECK: tp.manual() in [] out [] {
// CHECK: } : () -> ()
func.func @without_operands_and_results() {
  tp.manual () in [] out [] {
    tp.yield
  } : () -> ()
  return
}
