// RUN: tpc-opt %s | tpc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows print as they are written, with placements in types and with parts.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 4]

// CHECK-LABEL: func.func @shift(
// CHECK: tp.window %{{.*}} over ["tp"] offsets [array<i64: 1, 0>] : (tensor<16x4xf32, #{{.*}}>) -> tensor<15x4xf32, #{{.*}}>
func.func @shift(%x: tensor<16x4xf32, #rows>) -> tensor<15x4xf32, #rows> {
  %0 = tp.window %x over ["tp"] offsets [array<i64: 1, 0>] : (tensor<16x4xf32, #rows>) -> tensor<15x4xf32, #rows>
  return %0 : tensor<15x4xf32, #rows>
}

// CHECK-LABEL: func.func @overlapping_blocks(
// CHECK: offsets [array<i64: -1>] blocks [array<i64: 4, 2>]
func.func @overlapping_blocks(%x: tensor<8xf32, #rows>) -> tensor<16xf32, #rows> {
  %0 = tp.window %x over ["tp"] offsets [array<i64: -1>] blocks [array<i64: 4, 2>] : (tensor<8xf32, #rows>) -> tensor<16xf32, #rows>
  return %0 : tensor<16xf32, #rows>
}

// CHECK-LABEL: func.func @every_rank_keeps_its_part(
func.func @every_rank_keeps_its_part(%x: tensor<8xf32, #rows>) -> tensor<1xf32, #sum> {
  %0 = tp.window %x over ["tp"] offsets [array<i64: 7>] : (tensor<8xf32, #rows>) -> tensor<1xf32, #sum>
  return %0 : tensor<1xf32, #sum>
}

// CHECK-LABEL: func.func @flattened(
func.func @flattened(%x: tensor<6x256xf32, #rows>) -> tensor<1536xf32, #rows> {
  %0 = tp.window %x over ["tp"] offsets [array<i64: 0>] : (tensor<6x256xf32, #rows>) -> tensor<1536xf32, #rows>
  return %0 : tensor<1536xf32, #rows>
}

// Nothing moves, so no axis takes part.
// CHECK-LABEL: func.func @replicated(
// CHECK: over [] offsets
func.func @replicated(%x: tensor<f32, #all>) -> tensor<f32, #all> {
  %0 = tp.window %x over [] offsets [array<i64>] : (tensor<f32, #all>) -> tensor<f32, #all>
  return %0 : tensor<f32, #all>
}

// CHECK-LABEL: func.func @two_parts(
// CHECK: parts [#tp.part<tensor<5xf32>, #{{.*}}, #{{.*}}, tensor<3xf32>>, #tp.part<
func.func @two_parts(%x: tensor<2xf32>, %y: tensor<1x2xf32>) -> (tensor<1xf32>, tensor<1x2xf32>) {
  %0:2 = tp.window %x, %y over ["tp"] offsets [array<i64: 1>, array<i64: 1, 0>]
      parts [#tp.part<tensor<5xf32>, #rows, #rows, tensor<3xf32>>, #tp.part<tensor<4x2xf32>, #rows, #rows, tensor<3x2xf32>>]
      : (tensor<2xf32>, tensor<1x2xf32>) -> (tensor<1xf32>, tensor<1x2xf32>)
  return %0#0, %0#1 : tensor<1xf32>, tensor<1x2xf32>
}
