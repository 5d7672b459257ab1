// The normal form holds in loops and branches too.
// RUN: tpc-opt %s --tpc-import --split-input-file | FileCheck %s

// The transpose is in the map of its reader, the product with what does not change stands before the loop, and the
// destination of what is in the loop stands in the loop.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x8xf32>
// CHECK: %[[INVARIANT:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<8x8xf32>)
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (tensor<4x8xf32>)
// CHECK: tensor.empty() : tensor<4x8xf32>
// CHECK: linalg.fill
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[INVARIANT]] : tensor<4x8xf32>, tensor<8x8xf32>)
// CHECK: scf.yield
func.func @loop(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = affine.for %i = 0 to 5 iter_args(%a = %x) -> (tensor<4x8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x8xf32>
    %scaled = linalg.exp ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %t = linalg.transpose ins(%scaled : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
    %e2 = tensor.empty() : tensor<4x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %y = linalg.matmul ins(%a, %t : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    affine.yield %y : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// A branch without operations is a choice per element; one with operations stays.
// CHECK-LABEL: func.func @branches
// CHECK: %[[C:.*]] = tensor.extract
// CHECK: linalg.generic
// CHECK: arith.select %[[C]]
// CHECK: scf.if %[[C]] -> (tensor<4xf32>)
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: else
// CHECK: linalg.generic
// CHECK: math.sin
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %s -> (tensor<4xf32>) {
    %1 = math.exp %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = math.sin %y : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = scf.if %s -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Arithmetic on the index stays, without affine.
// CHECK-LABEL: func.func @reversed_scan
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c6 step %c1
// CHECK-NOT: affine
// CHECK: %[[AT:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK: tensor.extract_slice %{{.*}}[%[[AT]], 0]
func.func @reversed_scan(%x: tensor<6x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %0 = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %s) -> (tensor<4xf32>) {
    %j = affine.apply affine_map<(d0) -> (5 - d0)>(%i)
    %1 = tensor.extract_slice %x[%j, 0] [1, 4] [1, 1] : tensor<6x4xf32> to tensor<4xf32>
    %2 = arith.mulf %a, %1 : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A reshape in a loop does not move the computation before the loop into it.
// CHECK-LABEL: func.func @reshape_of_what_was_computed_before
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: return
func.func @reshape_of_what_was_computed_before(%x: tensor<6x4xf32>, %s: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %y = math.exp %x : tensor<6x4xf32>
  %0 = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %s) -> (tensor<2x3x4xf32>) {
    %1 = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
    %2 = arith.mulf %a, %1 : tensor<2x3x4xf32>
    scf.yield %2 : tensor<2x3x4xf32>
  }
  return %0, %y : tensor<2x3x4xf32>, tensor<6x4xf32>
}

// -----

// Assertions in bodies go as well, and functions are inlined into them.
// CHECK-LABEL: func.func @call_in_a_loop
// CHECK: scf.for
// CHECK-NOT: cf.assert
// CHECK: math.exp
// CHECK: scf.yield
func.func private @body(%a: tensor<4xf32>) -> tensor<4xf32> {
  %true = arith.constant true
  cf.assert %true, "always"
  %0 = math.exp %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @call_in_a_loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %0 = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %1 = func.call @body(%a) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
