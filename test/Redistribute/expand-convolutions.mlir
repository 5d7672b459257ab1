// RUN: tpc-opt %s --tp-verify-placements --tp-expand-data-movement --tp-verify-placements --tp-simulate | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions whose output pixels are sharded read overlapping blocks, one per rank, that a window fetches; every
// program is run on all ranks beside the global one.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 4]

// CHECK-LABEL: func.func @three_taps(
// CHECK: %[[W:.*]] = tp.window %{{.*}} over ["tp"] offsets [array<i64: 0>] blocks [array<i64: 4, 2>] {{.*}} (tensor<10xf32, #{{.*}}>) -> tensor<16xf32, #{{.*}}>
// CHECK: %[[B:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0, 1]] output_shape [4, 4]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]{{.*}} ins(%[[B]], %{{.*}} :
// CHECK: tensor.collapse_shape %[[Y]] {{\[\[}}0, 1]] : tensor<4x2xf32, #{{.*}}> into tensor<8xf32
func.func @three_taps(%x: tensor<10xf32, #rows>, %k: tensor<3xf32, #all>, %init: tensor<8xf32, #rows>) -> tensor<8xf32, #rows> {
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %k : tensor<10xf32, #rows>, tensor<3xf32, #all>) outs(%init : tensor<8xf32, #rows>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32, #rows>
  return %y : tensor<8xf32, #rows>
}

// The padding is not made: blocks come from what is padded, with zeros where it ends.
// CHECK-LABEL: func.func @padded(
// CHECK-NOT: tensor.pad
// CHECK: tp.window %{{.*}} over ["tp"] offsets [array<i64: -1>] blocks [array<i64: 4, 2>] {{.*}} (tensor<8xf32, #{{.*}}>) -> tensor<16xf32, #{{.*}}>
// CHECK: arith.select
// CHECK: return
func.func @padded(%x: tensor<8xf32, #rows>, %k: tensor<3xf32, #all>, %init: tensor<8xf32, #rows>) -> tensor<8xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32, #rows> to tensor<10xf32, #rows>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%t, %k : tensor<10xf32, #rows>, tensor<3xf32, #all>) outs(%init : tensor<8xf32, #rows>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32, #rows>
  return %y : tensor<8xf32, #rows>
}

// Seven pixels over four ranks, two apart: the last block's second pixel is computed and cut off.
// CHECK-LABEL: func.func @uneven_with_a_stride(
// CHECK: tp.window %{{.*}} blocks [array<i64: 5, 4>]
// CHECK: tensor.collapse_shape %{{.*}} into tensor<8xf32
// CHECK: tp.window %{{.*}} -> tensor<7xf32
func.func @uneven_with_a_stride(%x: tensor<15xf32, #all>, %k: tensor<3xf32, #all>, %init: tensor<7xf32, #rows>) -> tensor<7xf32, #rows> {
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 * 2 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %k : tensor<15xf32, #all>, tensor<3xf32, #all>) outs(%init : tensor<7xf32, #rows>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<7xf32, #rows>
  return %y : tensor<7xf32, #rows>
}

// The gradient of a kernel sums over pixels; terms behind the last of them are dropped.
// CHECK-LABEL: func.func @sum_over_pixels(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "reduction"]
// CHECK: arith.select
// CHECK: -> tensor<3xf32, #{{.*}}>
func.func @sum_over_pixels(%x: tensor<9xf32, #rows>, %g: tensor<7xf32, #rows>) -> tensor<3xf32, #sum> {
  %zeros = arith.constant dense<0.0> : tensor<3xf32, #sum>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %g : tensor<9xf32, #rows>, tensor<7xf32, #rows>) outs(%zeros : tensor<3xf32, #sum>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32, #sum>
  return %y : tensor<3xf32, #sum>
}
