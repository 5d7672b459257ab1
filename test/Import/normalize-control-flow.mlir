// Loops count from 0 in steps of 1; what is read at a computed position is a slice.
// RUN: tpc-opt %s --tp-normalize-control-flow --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @lower_bound_and_step
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[STEP:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[I:[a-z0-9]+]] = %[[ZERO]] to %[[THREE]] step %[[ONE]]
// CHECK: %[[SCALED:.*]] = arith.muli %[[I]], %[[STEP]]
// CHECK: %[[INDEX:.*]] = arith.addi %[[SCALED]], %[[THREE]]
// CHECK: tensor.extract_slice %{{.*}}[%[[INDEX]], 0]
func.func @lower_bound_and_step(%x: tensor<8x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c2 = arith.constant 2 : index
  %0 = scf.for %i = %c3 to %c8 step %c2 iter_args(%a = %s) -> (tensor<4xf32>) {
    %1 = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %2 = arith.addf %a, %1 : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @index_of_other_type
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c5 step %c1 iter_args
// CHECK: %[[CAST:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: arith.muli %[[CAST]], %{{.*}} : i32
func.func @index_of_other_type(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : i32
  %c10 = arith.constant 10 : i32
  %c2 = arith.constant 2 : i32
  %0 = scf.for %i = %c0 to %c10 step %c2 iter_args(%a = %x) -> (tensor<4xi32>) : i32 {
    %1 = tensor.splat %i : tensor<4xi32>
    %2 = arith.addi %a, %1 : tensor<4xi32>
    scf.yield %2 : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @one_iteration_and_none
// CHECK-NOT: scf.for
func.func @one_iteration_and_none(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c3 step %c5 iter_args(%a = %x) -> (tensor<4xf32>) {
    %2 = arith.addf %a, %a : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  %1 = scf.for %i = %c5 to %c3 step %c5 iter_args(%a = %x) -> (tensor<4xf32>) {
    %2 = arith.addf %a, %a : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @element_at_a_computed_position
// CHECK-SAME: %[[FLAGS:.*]]: tensor<2x8xi1>
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[FLAGS]][1, %[[I]]] [1, 1] [1, 1] : tensor<2x8xi1> to tensor<i1>
// CHECK: %[[FLAG:.*]] = tensor.extract %[[SLICE]][] : tensor<i1>
// CHECK: scf.if %[[FLAG]]
func.func @element_at_a_computed_position(%flags: tensor<2x8xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %flag = tensor.extract %flags[%c1, %i] : tensor<2x8xi1>
    %1 = scf.if %flag -> (tensor<4xf32>) {
      %2 = arith.mulf %a, %a : tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// The offset along a dim that a slice takes whole can only be 0.
// CHECK-LABEL: func.func @offsets_of_whole_dims
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: tensor.extract_slice %{{.*}}[%[[I]], 0] [1, 4] [1, 1]
// CHECK: tensor.insert_slice %{{.*}}[%[[I]], 0] [1, 4] [1, 1]
func.func @offsets_of_whole_dims(%x: tensor<8x4xf32>, %j: tensor<i32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.extract %j[] : tensor<i32>
  %k = arith.index_cast %e : i32 to index
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<8x4xf32>) {
    %1 = tensor.extract_slice %a[%i, %k] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %2 = math.exp %1 : tensor<4xf32>
    %3 = tensor.insert_slice %2 into %a[%i, %k] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
    scf.yield %3 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}
