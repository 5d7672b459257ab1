// Each reader has its own destination.
// RUN: tpc-opt %s --tp-separate-inits | FileCheck %s

// CHECK-LABEL: func.func @fill_of_two_readers
// CHECK-COUNT-2: tensor.empty
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @fill_of_two_readers(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// In the loop of the reader, not before it.
// CHECK-LABEL: func.func @fill_read_in_a_loop
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: linalg.reduce
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @fill_read_in_a_loop(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %s) -> (tensor<4xf32>) {
    %1 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
    scf.yield %1 : tensor<4xf32>
  }
  return %0, %f : tensor<4xf32>, tensor<4xf32>
}
