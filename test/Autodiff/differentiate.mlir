// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of the backward pass: what is built for each rule, and what is not.
// Values are checked by gradients.test.
// RUN: tpc-opt --tp-differentiate --cse %s | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#nk = affine_map<(d0, d1, d2) -> (d1, d2)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>

// x needs no gradient: one contraction, of the cotangent and x, and nothing that reads w.
// CHECK-LABEL: func @matmul_weight_gradient_alone
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x10xf32> {tp.name = "x"}, %[[W:[a-z0-9]+]]: tensor<32x10xf32> {tp.name = "w"}, %[[DY:[a-z0-9]+]]: tensor<4x32xf32> {tp.name = "dy"}
// CHECK-SAME:    -> (tensor<4x32xf32> {tp.name = "y"}, tensor<32x10xf32> {tp.name = "dw"})
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]]
// CHECK:         %[[ZERO:.*]] = linalg.fill {tp.phase = "backward"}
// CHECK:         %[[DW:.*]] = linalg.generic {indexing_maps = [#[[KM:.*]], #[[KN:.*]], #[[MN:.*]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[DY]], %[[X]] : {{.*}}) outs(%[[ZERO]] : tensor<32x10xf32>) attrs = {tp.phase = "backward"}
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[OUT]], %[[P]]
// CHECK-NEXT:      linalg.yield %[[S]]
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[Y]], %[[DW]]
func.func @matmul_weight_gradient_alone(%x: tensor<4x10xf32> {tp.name = "x"}, %w: tensor<32x10xf32> {tp.name = "w", tp.grad}) -> (tensor<4x32xf32> {tp.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x10xf32>, tensor<32x10xf32>) outs(%f : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// The cotangent of the full addend is the cotangent itself; the bias gets its sum over the rows, without reading x or b.
// CHECK-LABEL: func @bias_gradient_sums_rows
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x32xf32> {{{[^}]*}}}, %[[B:.*]]: tensor<32xf32> {{{[^}]*}}}, %[[DY:[a-z0-9]+]]: tensor<4x32xf32>
// CHECK:         %[[DB:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[DY]] : tensor<4x32xf32>) outs({{.*}} : tensor<32xf32>) attrs
// CHECK:         return %{{.*}}, %[[DY]], %[[DB]]
func.func @bias_gradient_sums_rows(%x: tensor<4x32xf32> {tp.name = "x", tp.grad}, %b: tensor<32xf32> {tp.name = "b", tp.grad}) -> (tensor<4x32xf32> {tp.name = "y"}) {
  %e = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<4x32xf32>, tensor<32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// relu reads x and the cotangent.
// CHECK-LABEL: func @relu_selects_cotangent
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x8xf32> {{{[^}]*}}}, %[[DY:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[DY]], %[[X]] : {{.*}} attrs = {tp.phase = "backward"}
// CHECK-NEXT:    ^bb0(%[[CT:.*]]: f32, %[[A:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.cmpf ugt, %[[A]], %[[C:.*]] : f32
// CHECK-NEXT:      %[[S:.*]] = arith.select %[[P]], %[[CT]], %[[C]]
// CHECK-NEXT:      linalg.yield %[[S]]
func.func @relu_selects_cotangent(%x: tensor<4x8xf32> {tp.name = "x", tp.grad}) -> (tensor<4x8xf32> {tp.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = arith.cmpf ugt, %a, %zero : f32
    %r = arith.select %p, %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// What the forward pass yields is read, not computed again: the derivative of exp needs no exp, that of the
// sigmoid, written in four operations, is y (1 - y).
// CHECK-LABEL: func @results_are_read_again
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK:           math.exp
// CHECK:         %[[Y:.*]] = linalg.generic
// CHECK:           arith.divf
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[Y]] : {{.*}} attrs = {tp.phase = "backward"}
// CHECK-NOT:       math.exp
// CHECK-NOT:       arith.divf
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[E]] : {{.*}} attrs = {tp.phase = "backward"}
// CHECK-NOT:       math.exp
// CHECK:         return
func.func @results_are_read_again(%x: tensor<4x8xf32> {tp.grad}) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %s = arith.addf %p, %one : f32
    %r = arith.divf %one, %s : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// One operation where a tensor is read twice through one map.
// CHECK-LABEL: func @square_is_one_operation
// CHECK:         attrs = {tp.phase = "backward"}
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @square_is_one_operation(%x: tensor<4x8xf32> {tp.grad}) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.mul ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Two uses, two contributions, one sum; the init of a running sum gets the cotangent as it is.
// CHECK-LABEL: func @shared_value_sums_contributions
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x8xf32> {{{[^}]*}}}, %[[I:.*]]: tensor<4xf32> {{{[^}]*}}}, %[[DY:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[DZ:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK:         %[[A:.*]] = linalg.generic {{.*}} ins(%[[DZ]], %{{.*}}) {{.*}}"backward"
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} ins(%[[DY]] : {{.*}}"backward"
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}}"backward"
// CHECK:           arith.addf
// CHECK:         return %{{.*}}, %{{.*}}, %[[S]], %[[DY]]
func.func @shared_value_sums_contributions(%x: tensor<4x8xf32> {tp.name = "x", tp.grad}, %i: tensor<4xf32> {tp.name = "i", tp.grad}) -> (tensor<4xf32> {tp.name = "y"}, tensor<4x8xf32> {tp.name = "z"}) {
  %y = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y, %z : tensor<4xf32>, tensor<4x8xf32>
}

// Loops are renumbered so that the result is written in order; a unit dim read through a constant comes back by a reshape.
// CHECK-LABEL: func @unit_dim_is_expanded
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK:         tensor.expand_shape %[[R]] {{\[\[}}0, 1]] output_shape [1, 8] {tp.phase = "backward"}
func.func @unit_dim_is_expanded(%x: tensor<1x8xf32> {tp.grad}) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Ties share: the number of contributions equal to the maximum is counted, the init among them.
// CHECK-LABEL: func @max_shares_among_ties
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x8xf32> {{{[^}]*}}}, %[[DY:[a-z0-9]+]]: tensor<4xf32>
// CHECK:         %[[Y:.*]] = linalg.generic
// CHECK:         %[[COUNT:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]] : {{.*}}"backward"
// CHECK:         %[[SHARE:.*]] = linalg.generic {{.*}} ins(%[[DY]], %[[COUNT]], %{{.*}}, %[[Y]] : {{.*}}"backward"
// CHECK:         %[[DX:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[SHARE]], %[[Y]] : {{.*}}"backward"
// CHECK:         return %[[Y]], %[[DX]]
func.func @max_shares_among_ties(%x: tensor<4x8xf32> {tp.grad}) -> tensor<4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.maximumf %a, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// 16-bit sums are formed in 32 bits, those of a plain product excepted: the contraction kernel does that itself.
// CHECK-LABEL: func @narrow_sums_are_widened
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>) attrs = {tp.phase = "backward"}
// CHECK:           arith.extf
// CHECK:           arith.addf %{{.*}} : f32
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xbf16>) attrs = {tp.phase = "backward"}
// CHECK:           arith.truncf
func.func @narrow_sums_are_widened(%x: tensor<8xbf16> {tp.grad}) -> tensor<4x8xbf16> {
  %e = tensor.empty() : tensor<4x8xbf16>
  %y = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8xbf16>) outs(%e : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    linalg.yield %a : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// The widening of a mixed-precision product stays ahead of the sum.
// CHECK-LABEL: func @mixed_product_sums_wide
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x32xf32>, tensor<4x10xbf16>) outs(%{{.*}} : tensor<32x10xf32>) attrs = {tp.phase = "backward"}
// CHECK:           %[[W:.*]] = arith.extf
// CHECK:           %[[P:.*]] = arith.mulf %{{.*}}, %[[W]] : f32
// CHECK:           arith.addf %{{.*}}, %[[P]] : f32
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<32x10xf32>) outs(%{{.*}} : tensor<32x10xbf16>)
func.func @mixed_product_sums_wide(%x: tensor<4x10xbf16>, %w: tensor<32x10xbf16> {tp.grad}) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x10xbf16>, tensor<32x10xbf16>) outs(%f : tensor<4x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %out: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// A slice goes back into zeros, a concatenation comes apart into slices.
// CHECK-LABEL: func @slices
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {{{[^}]*}}}, %{{.*}}: tensor<2xf32> {{{[^}]*}}}, %[[DY:[a-z0-9]+]]: tensor<4xf32>
// CHECK:         %[[A:.*]] = tensor.extract_slice %[[DY]][0] [2] [1] {tp.phase = "backward"}
// CHECK:         %[[B:.*]] = tensor.extract_slice %[[DY]][2] [2] [1] {tp.phase = "backward"}
// CHECK:         %[[Z:.*]] = linalg.fill {tp.phase = "backward"}
// CHECK:         %[[I:.*]] = tensor.insert_slice %[[A]] into %[[Z]][1] [2] [1] {tp.phase = "backward"}
// CHECK:         return %{{.*}}, %[[I]], %[[B]]
func.func @slices(%x: tensor<4xf32> {tp.grad}, %v: tensor<2xf32> {tp.grad}) -> tensor<4xf32> {
  %s = tensor.extract_slice %x[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %y = tensor.concat dim(0) %s, %v : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
