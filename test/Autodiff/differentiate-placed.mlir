// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cotangents through pins and through regions of per-rank code.
// RUN: tpc-opt --tp-differentiate %s | FileCheck %s

#rep = #tp.placement<@mesh, []>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#part = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 2]

// A pin on a value leaves its cotangent to the planner, unless the user pinned that too.
// CHECK-LABEL: func @constrain
// CHECK-SAME:    %[[DY:[a-z0-9]+]]: tensor<4xf32> {tp.name = "dresult0"}, %[[DZ:[a-z0-9]+]]: tensor<4xf32> {tp.name = "dresult1"}
// CHECK:         %[[PIN:.*]] = tp.constrain %[[DZ]] to #S0_tp {tp.phase = "backward"}
// CHECK:         return %{{.*}}, %{{.*}}, %[[DY]], %[[PIN]]
func.func @constrain(%x: tensor<4xf32> {tp.grad}, %w: tensor<4xf32> {tp.grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tp.constrain %x to #rep : tensor<4xf32>
  %z = tp.constrain %w to #rep cotangent #rows : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// Megatron's f: entering with R is nothing forward; backward the cotangent leaves P(sum).
// S stays S: the cotangent of the sharded result enters as it is, that of the sharded operand leaves so.
// CHECK-LABEL: func @replicated_operand_leaves_partial
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[W:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[DY:[a-z0-9]+]]: tensor<4xf32>
// CHECK:         tp.manual(%[[X]], %[[W]])
// CHECK:         %[[D:.*]]:2 = tp.manual(%[[X]], %[[W]], %[[DY]]) in [#R, #S0_tp, #S0_tp] out [#Psum_tp, #S0_tp]
// CHECK:           tp.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<2xf32>
// CHECK:         } {tp.phase = "backward"}
// CHECK:         return %{{.*}}, %[[D]]#0, %[[D]]#1
func.func @replicated_operand_leaves_partial(%x: tensor<4xf32> {tp.grad}, %w: tensor<4xf32> {tp.grad}) -> tensor<4xf32> {
  %y = tp.manual (%x, %w) in [#rep, #rows] out [#rows] {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2xf32>):
    %h = tensor.extract_slice %a[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %e = tensor.empty() : tensor<2xf32>
    %p = linalg.mul ins(%h, %b : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    tp.yield %p : tensor<2xf32>
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Megatron's g: leaving with P(sum), then P to R outside; backward the cotangent enters R, and nothing moves.
// What the derivative does not read is no operand.
// CHECK-LABEL: func @partial_result_enters_replicated
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[DY:[a-z0-9]+]]: tensor<2xf32>
// CHECK:         %[[D:.*]] = tp.manual(%[[DY]]) in [#R] out [#S0_tp]
// CHECK:         return %{{.*}}, %[[D]]
func.func @partial_result_enters_replicated(%x: tensor<4xf32> {tp.grad}) -> tensor<2xf32> {
  %y = tp.manual (%x) in [#rows] out [#part] {
  ^bb0(%a: tensor<2xf32>):
    %e = tensor.empty() : tensor<2xf32>
    %n = linalg.negf ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    tp.yield %n : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Every rank computes the same value: its cotangent counts once, so it enters P(sum). A summand's cotangent is
// that of the sum: it leaves R.
// CHECK-LABEL: func @replicated_result_enters_partial
// CHECK:         tp.manual(%{{.*}}) in [#Psum_tp] out [#Psum_tp]
// CHECK-LABEL: func @partial_operand_leaves_replicated
// CHECK:         tp.manual(%{{.*}}) in [#R] out [#R]
func.func @replicated_result_enters_partial(%x: tensor<4xf32> {tp.grad}) -> tensor<4xf32> {
  %y = tp.manual (%x) in [#rep] out [#rep] {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %n = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    tp.yield %n : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @partial_operand_leaves_replicated(%x: tensor<4xf32> {tp.grad}) -> tensor<4xf32> {
  %y = tp.manual (%x) in [#part] out [#part] {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %n = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    tp.yield %n : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Operations inside the region that belong to the backward pass say so.
// CHECK-LABEL: func @phase_inside_region
// CHECK:         tp.manual
// CHECK:         linalg.exp ins
// CHECK:         tp.manual
// CHECK:         linalg.exp {tp.phase = "backward"}
// CHECK:         linalg.generic {{.*}} attrs = {tp.phase = "backward"}
func.func @phase_inside_region(%x: tensor<4xf32> {tp.grad}) -> tensor<4xf32> {
  %y = tp.manual (%x) in [#rows] out [#rows] {
  ^bb0(%a: tensor<2xf32>):
    %e = tensor.empty() : tensor<2xf32>
    %n = linalg.exp ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    tp.yield %n : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
