// RUN: tpc-opt %s --tp-verify-placements --tp-expand-data-movement --tp-verify-placements --tp-simulate | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices, insertions, paddings and concatenations of sharded dims become windows, with an elementwise choice where
// tensors meet; what is made is of the phase of the operation and says why it is there.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 4]

// CHECK-LABEL: func.func @slice(
// CHECK-NEXT: %[[W:.*]] = tp.window %{{.*}} over ["tp"] offsets [array<i64: 1, 1>] {tp.phase = "backward", tp.value = "{{.*}}", tp.why = "a slice of a dim that is sharded"}
// CHECK-NEXT: return %[[W]]
func.func @slice(%x: tensor<8x4xf32, #rows>) -> tensor<6x2xf32, #rows> {
  %0 = tensor.extract_slice %x[1, 1] [6, 2] [1, 1] {tp.phase = "backward"} : tensor<8x4xf32, #rows> to tensor<6x2xf32, #rows>
  return %0 : tensor<6x2xf32, #rows>
}

// CHECK-LABEL: func.func @row_for_all(
// CHECK: %[[W:.*]] = tp.window %{{.*}} -> tensor<1x4xf32, #[[ALL:.*]]>
// CHECK: tensor.collapse_shape %[[W]] {{\[}}[0, 1]] : tensor<1x4xf32, #[[ALL]]> into tensor<4xf32, #[[ALL]]>
func.func @row_for_all(%x: tensor<8x4xf32, #rows>) -> tensor<4xf32, #all> {
  %0 = tensor.extract_slice %x[3, 0] [1, 4] [1, 1] : tensor<8x4xf32, #rows> to tensor<4xf32, #all>
  return %0 : tensor<4xf32, #all>
}

// CHECK-LABEL: func.func @row_as_a_sum(
// CHECK: tp.window
func.func @row_as_a_sum(%x: tensor<8x4xf32, #rows>) -> tensor<1x4xf32, #sum> {
  %0 = tensor.extract_slice %x[3, 0] [1, 4] [1, 1] : tensor<8x4xf32, #rows> to tensor<1x4xf32, #sum>
  return %0 : tensor<1x4xf32, #sum>
}

// The other dim is cut first: what is dropped need not be moved.
// CHECK-LABEL: func.func @strided_along_the_other_dim(
// CHECK: %[[CUT:.*]] = tensor.extract_slice %{{.*}}[0, 0] [8, 2] [1, 2]
// CHECK: tp.window %[[CUT]] over ["tp"] offsets [array<i64: 1, 0>]
func.func @strided_along_the_other_dim(%x: tensor<8x4xf32, #rows>) -> tensor<6x2xf32, #rows> {
  %0 = tensor.extract_slice %x[1, 0] [6, 2] [1, 2] : tensor<8x4xf32, #rows> to tensor<6x2xf32, #rows>
  return %0 : tensor<6x2xf32, #rows>
}

// CHECK-LABEL: func.func @along_whole_dims(
// CHECK-NEXT: tensor.extract_slice
// CHECK-NEXT: return
func.func @along_whole_dims(%x: tensor<8x4xf32, #rows>) -> tensor<8x2xf32, #rows> {
  %0 = tensor.extract_slice %x[0, 1] [8, 2] [1, 1] : tensor<8x4xf32, #rows> to tensor<8x2xf32, #rows>
  return %0 : tensor<8x2xf32, #rows>
}

// CHECK-LABEL: func.func @insertion(
// CHECK-SAME: %[[S:.*]]: tensor<3x4xf32, #{{.*}}>, %[[D:.*]]: tensor<8x4xf32
// CHECK: %[[W:.*]] = tp.window %[[S]] over ["tp"] offsets [array<i64: -2, 0>]
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[D]] :
// CHECK: linalg.index 0
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi slt
// CHECK: arith.select
func.func @insertion(%s: tensor<3x4xf32, #rows>, %d: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = tensor.insert_slice %s into %d[2, 0] [3, 4] [1, 1] : tensor<3x4xf32, #rows> into tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}

// Every rank has the row: nothing is exchanged, and zeros are not read.
// CHECK-LABEL: func.func @row_into_zeros(
// CHECK: %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1]]
// CHECK: %[[W:.*]] = tp.window %[[E]] over ["tp"] offsets [array<i64: -7, 0>]
// CHECK: linalg.generic {{.*}} ins(%[[W]] :
func.func @row_into_zeros(%s: tensor<4xf32, #all>) -> tensor<8x4xf32, #rows> {
  %zeros = arith.constant dense<0.0> : tensor<8x4xf32, #rows>
  %0 = tensor.insert_slice %s into %zeros[7, 0] [1, 4] [1, 1] : tensor<4xf32, #all> into tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @padding(
// CHECK: %[[W:.*]] = tp.window %{{.*}} over ["tp"] offsets [array<i64: -1, 0>]
// CHECK: linalg.generic {{.*}} ins(%[[W]] :
func.func @padding(%x: tensor<8x4xf32, #rows>) -> tensor<10x4xf32, #rows> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<8x4xf32, #rows> to tensor<10x4xf32, #rows>
  return %0 : tensor<10x4xf32, #rows>
}

// CHECK-LABEL: func.func @concatenation(
// CHECK: %[[A:.*]] = tp.window %{{.*}} offsets [array<i64: 0, 0>]
// CHECK: %[[B:.*]] = tp.window %{{.*}} offsets [array<i64: -4, 0>]
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] :
// CHECK: arith.select
func.func @concatenation(%x: tensor<4x4xf32, #rows>, %y: tensor<12x4xf32, #rows>) -> tensor<16x4xf32, #rows> {
  %0 = tensor.concat dim(0) %x, %y : (tensor<4x4xf32, #rows>, tensor<12x4xf32, #rows>) -> tensor<16x4xf32, #rows>
  return %0 : tensor<16x4xf32, #rows>
}

// Six rows of four over four ranks, 2, 2, 2 and 0, are 8, 8, 8 and 0 elements; chunks of 24 elements have 6.
// CHECK-LABEL: func.func @flattened_unevenly(
// CHECK-NEXT: tp.window %{{.*}} over ["tp"] offsets [array<i64: 0>] {tp.value = "{{.*}}", tp.why = "a reshape of a dim that is sharded unevenly"}
func.func @flattened_unevenly(%x: tensor<6x4xf32, #rows>) -> tensor<24xf32, #rows> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<6x4xf32, #rows> into tensor<24xf32, #rows>
  return %0 : tensor<24xf32, #rows>
}

// CHECK-LABEL: func.func @flattened_evenly(
// CHECK-NEXT: tensor.collapse_shape
func.func @flattened_evenly(%x: tensor<8x4xf32, #rows>) -> tensor<32xf32, #rows> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<8x4xf32, #rows> into tensor<32xf32, #rows>
  return %0 : tensor<32xf32, #rows>
}
