// Indices below zero or beyond the dim, the greatest and least of their types among them, read 0 and add nothing, on one
// rank and where the indexed dim is sharded over more ranks than it has elements for.
// RUN: tpc-run %s -n 1 --mesh tp=1 --seed 1 | FileCheck %s
// RUN: tpc-run %s -n 4 --mesh tp=4 --place 'e=tp:S(0)' --place 's=tp:S(0)' --seed 1 --check | FileCheck %s
// RUN: tpc-run %s -n 2 --mesh tp=2 --place 'e=tp:S(0)' --place 's=tp:S(0)' --seed 1 --check | FileCheck %s

// Table of 5: 1 where the index is 0 to 4.
// CHECK-DAG: y: f32 [8] {{.*}}: 1 0 0 0 0 0
// CHECK-DAG: b: i1 [4] {{.*}}: 0 1 1 0
// CHECK-DAG: s: i32 [5] {{.*}}: 2 0 0 0 1
// CHECK-DAG: none: f32 [4] {{.*}}: 0 0 0 0
#at = affine_map<(t)[i] -> (i)>
#t = affine_map<(t) -> (t)>
func.func @out_of_range(%e: tensor<5x3xf32> {tp.name = "e"})
    -> (tensor<8xf32> {tp.name = "y"}, tensor<4xi1> {tp.name = "b"}, tensor<5xi32> {tp.name = "s"},
        tensor<4xf32> {tp.name = "none"}, tensor<8x3xf32> {tp.name = "read"}) {
  %wide = arith.constant dense<[0, -1, 5, 9223372036854775807, -9223372036854775808, 4294967296, 4, 3]> : tensor<8xi64>
  %small = arith.constant dense<[-128, 0, 2, 127]> : tensor<4xi8>
  %ones = arith.constant dense<1.0> : tensor<5xf32>
  %y = tp.gather %ones[%wide] maps [#at, #t] : (tensor<5xf32>, tensor<8xi64>) -> tensor<8xf32>
  %true = arith.constant dense<true> : tensor<5xi1>
  %b = tp.gather %true[%small] maps [#at, #t] : (tensor<5xi1>, tensor<4xi8>) -> tensor<4xi1>
  %zeros = arith.constant dense<0> : tensor<5xi32>
  %counts = arith.constant dense<1> : tensor<6xi32>
  %places = arith.constant dense<[0, 4, -1, 5, 32767, 0]> : tensor<6xi16>
  %s = tp.scatter %counts into %zeros[%places] maps [#at, #t]
      : (tensor<6xi32>, tensor<5xi32>, tensor<6xi16>) -> tensor<5xi32>
  %empty = tensor.empty() : tensor<0xf32>
  %none = tp.gather %empty[%small] maps [#at, #t] : (tensor<0xf32>, tensor<4xi8>) -> tensor<4xf32>
  %read = tp.gather %e[%wide] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>]
      : (tensor<5x3xf32>, tensor<8xi64>) -> tensor<8x3xf32>
  return %y, %b, %s, %none, %read : tensor<8xf32>, tensor<4xi1>, tensor<5xi32>, tensor<4xf32>, tensor<8x3xf32>
}
