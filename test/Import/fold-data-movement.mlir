// Transposes, broadcasts, unit dims and splats are read through.
// RUN: tpc-opt %s --tp-generalize-ops --tp-fold-data-movement | FileCheck %s

// CHECK-DAG: #[[$MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$COL:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @transpose_into_matmul
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[W:[a-z0-9]+]]: tensor<5x8xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$MK]], #[[$NK]], #[[$MN]]]
// CHECK-SAME: ins(%[[X]], %[[W]] :
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @transpose_into_matmul(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<8x5xf32>
  %t = linalg.transpose ins(%w : tensor<5x8xf32>) outs(%e : tensor<8x5xf32>) permutation = [1, 0]
  %0 = linalg.matmul ins(%x, %t : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// With several readers each reads through; none gets a second result.
// CHECK-LABEL: func.func @broadcast_with_two_readers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x5xf32>, %[[B:[a-z0-9]+]]: tensor<5xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$COL]], #[[$ID]]]
// CHECK-SAME: ins(%[[X]], %[[B]] :
// CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$COL]], #[[$ID]]]
// CHECK-SAME: ins(%[[X]], %[[B]] :
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @broadcast_with_two_readers(%x: tensor<4x5xf32>, %b: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.broadcast ins(%b : tensor<5xf32>) outs(%e : tensor<4x5xf32>) dimensions = [0]
  %1 = arith.addf %x, %0 : tensor<4x5xf32>
  %2 = arith.mulf %x, %0 : tensor<4x5xf32>
  return %1, %2 : tensor<4x5xf32>, tensor<4x5xf32>
}

// CHECK-LABEL: func.func @unit_dims
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x5xf32>, %[[M:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]], #[[$ID]]]
// CHECK-SAME: ins(%[[X]], %[[M]] :
func.func @unit_dims(%x: tensor<4x5xf32>, %m: tensor<4xf32>) -> tensor<4x5xf32> {
  %0 = tensor.expand_shape %m [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x5xf32>, tensor<4x1xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %2 = arith.subf %p, %q : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @collapsed_unit_dim
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1x5xf32>
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<4x1x5xf32>)
func.func @collapsed_unit_dim(%x: tensor<4x1x5xf32>) -> tensor<4x5xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x1x5xf32> into tensor<4x5xf32>
  %1 = math.exp %0 : tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @splat_becomes_a_scalar
// CHECK: %[[C:.*]] = arith.constant 2.0{{.*}} : f32
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{[a-z0-9]+}} : tensor<4xf32>)
// CHECK: arith.mulf %{{.*}}, %[[C]] : f32
func.func @splat_becomes_a_scalar(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %0 = arith.mulf %x, %two : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The extent of the reduction would follow from no operand.
// CHECK-LABEL: func.func @sum_over_broadcast_dim_is_kept
// CHECK: linalg.generic
// CHECK: linalg.generic
func.func @sum_over_broadcast_dim_is_kept(%x: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x8xf32>) outs(%v : tensor<4xf32>) dimensions = [1]
  return %1 : tensor<4xf32>
}

// Computation is not fused.
// CHECK-LABEL: func.func @computation_is_not_fused
// CHECK-COUNT-2: linalg.generic
func.func @computation_is_not_fused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  %1 = math.sqrt %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A pin is no movement to read through.
// CHECK-LABEL: func.func @constrained_broadcast_is_kept
// CHECK: linalg.generic
// CHECK: tp.constrain
// CHECK: linalg.generic
tp.mesh @mesh ["tp" = 2]
func.func @constrained_broadcast_is_kept(%x: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  %1 = tp.constrain %0 to <@mesh, [tp: S(0)]> : tensor<4x8xf32>
  %2 = math.exp %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// The same value read twice in the same way is one operand.
// CHECK-LABEL: func.func @square
// CHECK: linalg.generic {{.*}} ins(%{{[a-z0-9]+}} : tensor<4xf32>)
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Reshapes that together only move dims of size 1 are read through as one.
// CHECK-LABEL: func.func @collapse_and_expand_around_unit_dims
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x2x5x8xf32>
// CHECK-NOT: shape
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<1x2x5x8xf32>) outs(%{{.*}} : tensor<2x5x1x8xf32>)
func.func @collapse_and_expand_around_unit_dims(%x: tensor<1x2x5x8xf32>) -> tensor<2x5x1x8xf32> {
  %0 = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<1x2x5x8xf32> into tensor<10x8xf32>
  %1 = tensor.expand_shape %0 [[0, 1, 2], [3]] output_shape [2, 5, 1, 8] : tensor<10x8xf32> into tensor<2x5x1x8xf32>
  %2 = math.exp %1 : tensor<2x5x1x8xf32>
  return %2 : tensor<2x5x1x8xf32>
}
