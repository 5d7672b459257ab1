// Reductions that keep the extreme and its place become tp.argmax; others stay.
// RUN: tpc-opt %s --tp-raise-argmax | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: @greatest_of_rows
// CHECK: %[[V:.*]], %[[I:.*]] = tp.argmax %{{.*}} dim 1 : tensor<4x6xf32> -> tensor<4xf32>, tensor<4xi64>
// CHECK: return %[[V]], %[[I]]
func.func @greatest_of_rows(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %0 = tensor.empty() : tensor<4xf32>
  %1 = tensor.empty() : tensor<4xi64>
  %2 = linalg.fill ins(%least : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.fill ins(%zero : i64) outs(%1 : tensor<4xi64>) -> tensor<4xi64>
  %4:2 = linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%2, %3 : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %value: f32, %place: i64):
    %index = linalg.index 1 : index
    %here = arith.index_cast %index : index to i64
    %max = arith.maximumf %in, %value : f32
    %greater = arith.cmpf ogt, %in, %value : f32
    %next = arith.select %greater, %here, %place : i64
    linalg.yield %max, %next : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %4#0, %4#1 : tensor<4xf32>, tensor<4xi64>
}

// Columns, integers, the comparison the other way round.
// CHECK-LABEL: @least_of_columns
// CHECK: tp.argmax %{{.*}} dim 0 minimum : tensor<4x6xi32> -> tensor<6xi32>, tensor<6xi32>
func.func @least_of_columns(%x: tensor<4x6xi32>) -> (tensor<6xi32>, tensor<6xi32>) {
  %most = arith.constant 2147483647 : i32
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<6xi32>
  %2 = linalg.fill ins(%most : i32) outs(%0 : tensor<6xi32>) -> tensor<6xi32>
  %3 = linalg.fill ins(%zero : i32) outs(%0 : tensor<6xi32>) -> tensor<6xi32>
  %4:2 = linalg.generic {indexing_maps = [#id, #columns, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4x6xi32>) outs(%2, %3 : tensor<6xi32>, tensor<6xi32>) {
  ^bb0(%in: i32, %value: i32, %place: i32):
    %index = linalg.index 0 : index
    %here = arith.index_cast %index : index to i32
    %min = arith.minsi %value, %in : i32
    %less = arith.cmpi sgt, %value, %in : i32
    %next = arith.select %less, %here, %place : i32
    linalg.yield %min, %next : i32, i32
  } -> (tensor<6xi32>, tensor<6xi32>)
  return %4#0, %4#1 : tensor<6xi32>, tensor<6xi32>
}

// The last of equal elements, or a start that may win: not what tp.argmax is.
// CHECK-LABEL: @others
// CHECK-NOT: tp.argmax
// CHECK: return
func.func @others(%x: tensor<4x6xf32>, %init: tensor<4xf32>) -> (tensor<4xi64>, tensor<4xi64>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %0 = tensor.empty() : tensor<4xf32>
  %1 = tensor.empty() : tensor<4xi64>
  %2 = linalg.fill ins(%least : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.fill ins(%zero : i64) outs(%1 : tensor<4xi64>) -> tensor<4xi64>
  %4:2 = linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%2, %3 : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %value: f32, %place: i64):
    %index = linalg.index 1 : index
    %here = arith.index_cast %index : index to i64
    %max = arith.maximumf %in, %value : f32
    %greater = arith.cmpf oge, %in, %value : f32
    %next = arith.select %greater, %here, %place : i64
    linalg.yield %max, %next : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  %5:2 = linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%init, %3 : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %value: f32, %place: i64):
    %index = linalg.index 1 : index
    %here = arith.index_cast %index : index to i64
    %max = arith.maximumf %in, %value : f32
    %greater = arith.cmpf ogt, %in, %value : f32
    %next = arith.select %greater, %here, %place : i64
    linalg.yield %max, %next : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %4#1, %5#1 : tensor<4xi64>, tensor<4xi64>
}
