// RUN: tpc-opt %s --tp-plan-placements --split-input-file | FileCheck %s
// Constants that differ by element are planned like other values.

tp.mesh @mesh ["tp" = 2]
// CHECK-LABEL: func.func @returned_table
// CHECK: arith.constant dense<{{.*}}> : tensor<2x3xi32, #R>
func.func @returned_table() -> (tensor<2x3xi32> {tp.name = "u"}) {
  %0 = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

tp.mesh @mesh ["tp" = 2]
#map = affine_map<(d0) -> (d0)>
// A table is replicated; a rank takes its part of it without a collective.
// CHECK-LABEL: func.func @table_times_shard
// CHECK: %[[TABLE:.*]] = arith.constant dense<{{.*}}> : tensor<4xf32, #R>
// CHECK: tp.redistribute %[[TABLE]] {{.*}}: tensor<4xf32, #R> -> tensor<4xf32, #S0_tp>
func.func @table_times_shard(%x: tensor<4xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<4xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = tensor.empty() : tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %0 : tensor<4xf32>, tensor<4xf32>) outs(%1 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %3 = arith.mulf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
