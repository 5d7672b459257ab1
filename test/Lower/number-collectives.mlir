// Collectives are numbered in program order over all functions; numbers that a
// schedule has set stay.
// RUN: tpc-opt %s --tp-number-collectives | FileCheck %s

#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]

// CHECK-LABEL: func.func @first
// CHECK: tp.all_reduce {{.*}} {tp.index = 0 : i64}
// CHECK: tp.to_partial {{.*}} {tp.index = 1 : i64}
func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tp.all_reduce %x over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #part, #all>] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tp.to_partial %0 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #all, #part>] : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @second
// CHECK: tp.all_reduce {{.*}} {tp.index = 7 : i64}
func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tp.all_reduce %x over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #part, #all>] {tp.index = 7 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
