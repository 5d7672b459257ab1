// Reads at computed places leave the bodies: tp-raise-gathers, in the import pipeline, which cleans up behind it.
// RUN: tpc-opt %s --tpc-import | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0)>
#second = affine_map<(d0, d1) -> (d1)>

// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1)[s0] -> (s0, d1)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1)[s0] -> (d0, s0)>
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$BOTH:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$POINT:.*]] = affine_map<(d0)[s0, s1] -> (s0, s1)>
// CHECK-DAG: #[[$ONE:.*]] = affine_map<(d0) -> (d0)>

// CHECK-LABEL: @embedding
// CHECK-SAME: (%[[E:.*]]: tensor<8x2xf32>, %[[IDS:.*]]: tensor<4xi64>)
// CHECK-NEXT: %[[Y:.*]] = tp.gather %[[E]][%[[IDS]]] maps [#[[$ROW]], #[[$FIRST]]]
// CHECK-NEXT: return %[[Y]]
func.func @embedding(%e: tensor<8x2xf32>, %ids: tensor<4xi64>) -> tensor<4x2xf32> {
  %c8 = arith.constant 8 : index
  %empty = tensor.empty() : tensor<4x2xf32>
  %0 = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4xi64>) outs(%empty : tensor<4x2xf32>) {
  ^bb0(%in: i64, %out: f32):
    %1 = arith.index_cast %in : i64 to index
    %2 = linalg.index 1 : index
    %3 = arith.cmpi slt, %1, %c8 : index
    cf.assert %3, "index must be smaller than dim size"
    %4 = tensor.extract %e[%1, %2] : tensor<8x2xf32>
    linalg.yield %4 : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// What the body does with the element stays in it; a negative index is computed outside.
// CHECK-LABEL: @negative_indices_are_computed
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[IDS:.*]]: tensor<4x3xi64>)
// CHECK: %[[FIXED:.*]] = linalg.generic {{.*}} ins(%[[IDS]] : tensor<4x3xi64>)
// CHECK: arith.select
// CHECK-NEXT: linalg.yield
// CHECK: %[[READ:.*]] = tp.gather %[[X]][%[[FIXED]]] maps [#[[$COLUMN]], #[[$BOTH]]]
// CHECK: linalg.generic {{.*}} ins(%[[READ]] : tensor<4x3xf32>)
// CHECK: math.exp
func.func @negative_indices_are_computed(%x: tensor<4x8xf32>, %ids: tensor<4x3xi64>) -> tensor<4x3xf32> {
  %zero = arith.constant 0 : i64
  %eight = arith.constant 8 : i64
  %empty = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4x3xi64>) outs(%empty : tensor<4x3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %1 = arith.cmpi slt, %in, %zero : i64
    %2 = arith.addi %in, %eight : i64
    %3 = arith.select %1, %2, %in : i64
    %4 = arith.index_cast %3 : i64 to index
    %5 = linalg.index 0 : index
    %6 = tensor.extract %x[%5, %4] : tensor<4x8xf32>
    %7 = math.exp %6 : f32
    linalg.yield %7 : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Two indices at one loop; the loop that no index needs is not one of the gather.
// CHECK-LABEL: @points_are_broadcast
// CHECK: %[[READ:.*]] = tp.gather %{{.*}}[%{{.*}}, %{{.*}}] maps [#[[$POINT]], #[[$ONE]], #[[$ONE]]]
// CHECK-SAME: -> tensor<4xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[READ]] : tensor<4x3xf32>, tensor<4xf32>)
func.func @points_are_broadcast(%x: tensor<5x6xf32>, %y: tensor<4x3xf32>, %i: tensor<4xi64>, %j: tensor<4xi32>)
    -> tensor<4x3xf32> {
  %empty = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.generic {indexing_maps = [#first, #first, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%i, %j, %y : tensor<4xi64>, tensor<4xi32>, tensor<4x3xf32>) outs(%empty : tensor<4x3xf32>) {
  ^bb0(%a: i64, %b: i32, %c: f32, %out: f32):
    %1 = arith.index_cast %a : i64 to index
    %2 = arith.index_cast %b : i32 to index
    %3 = tensor.extract %x[%1, %2] : tensor<5x6xf32>
    %4 = arith.mulf %3, %c : f32
    linalg.yield %4 : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Reads at loops alone are operands; one within part of a dim is not.
// CHECK-LABEL: @reads_at_loops
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32>, %[[Y:.*]]: tensor<9xf32>)
// CHECK: %[[IOTA:.*]] = linalg.generic
// CHECK: linalg.index 0
// CHECK: %[[PART:.*]] = tp.gather %[[Y]][%[[IOTA]]]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[PART]] : tensor<3x4xf32>, tensor<3xf32>)
func.func @reads_at_loops(%x: tensor<3x4xf32>, %y: tensor<9xf32>) -> tensor<4x3xf32> {
  %empty = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<4x3xf32>) {
  ^bb0(%out: f32):
    %1 = linalg.index 0 : index
    %2 = linalg.index 1 : index
    %3 = tensor.extract %x[%2, %1] : tensor<3x4xf32>
    %4 = tensor.extract %y[%2] : tensor<9xf32>
    %5 = arith.mulf %3, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// An index may itself have been read.
// CHECK-LABEL: @indices_of_indices
// CHECK: %[[IDS:.*]] = tp.gather %{{.*}}[%{{.*}}]
// CHECK: tp.gather %{{.*}}[%[[IDS]]]
func.func @indices_of_indices(%x: tensor<5xf32>, %table: tensor<7xi32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xi64>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %1 = arith.index_cast %a : i64 to index
    %2 = tensor.extract %table[%1] : tensor<7xi32>
    %3 = arith.index_cast %2 : i32 to index
    %4 = tensor.extract %x[%3] : tensor<5xf32>
    linalg.yield %4 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
