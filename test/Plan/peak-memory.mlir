// What a rank holds at the worst moment, in small programs where it can be counted: tensors of 256 bytes, replicated.
// RUN: tpc-opt %s --tp-plan-placements="objective=bytes" | FileCheck %s

// The argument, the result, and two products: one that is read, one that is written.
// CHECK-LABEL: func.func @products
// CHECK-SAME: peak_bytes = 1024 : i64
// Computed where they are read, and a view: the argument and the result.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: peak_bytes = 512 : i64
// The product of outside lives to the end of the loop, beside the one inside; what is carried is the result's buffer.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: peak_bytes = 1024 : i64
// Only one side of a branch has its product at a time.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: peak_bytes = 769 : i64
// A quarter of everything.
// CHECK-LABEL: func.func @sharded
// CHECK-SAME: peak_bytes = 128 : i64
// Nothing.
// CHECK-LABEL: func.func @empty
// CHECK-SAME: peak_bytes = 0 : i64
#R = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 4]
func.func @products(%x: tensor<8x8xf32> {tp.placement = #R}) -> (tensor<8x8xf32> {tp.placement = #R}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = linalg.matmul ins(%y, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %w = linalg.matmul ins(%z, %z : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %w : tensor<8x8xf32>
}
func.func @elementwise(%x: tensor<8x8xf32> {tp.placement = #R}) -> (tensor<64xf32> {tp.placement = #R}) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = linalg.tanh ins(%y : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %w = tensor.collapse_shape %z [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  return %w : tensor<64xf32>
}
func.func @loop(%x: tensor<8x8xf32> {tp.placement = #R}) -> (tensor<8x8xf32> {tp.placement = #R}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<8x8xf32>) {
    %z = linalg.matmul ins(%a, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %z : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
func.func @branch(%x: tensor<8x8xf32> {tp.placement = #R}, %flag: tensor<i1> {tp.placement = #R}) -> (tensor<8x8xf32> {tp.placement = #R}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = tensor.extract %flag[] : tensor<i1>
  %r = scf.if %c -> (tensor<8x8xf32>) {
    %z = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %z : tensor<8x8xf32>
  } else {
    %z = linalg.add ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %z : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
func.func @sharded(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
func.func @empty(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %empty = tensor.empty() : tensor<0x8xf32>
  %y = linalg.exp ins(%x : tensor<0x8xf32>) outs(%empty : tensor<0x8xf32>) -> tensor<0x8xf32>
  return %y : tensor<0x8xf32>
}
