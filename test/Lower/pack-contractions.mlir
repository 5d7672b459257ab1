// A contraction that one matmul call cannot do gets copies of the smallest set
// of operands; one that a call can do is left alone.
// RUN: tpc-opt %s --tp-pack-contractions --split-input-file | FileCheck %s

// Two summed dims in the same order are one to the call.
// CHECK-LABEL: func.func @mergeable_sums_stay
// CHECK-NOT: tensor.empty
// CHECK: return
func.func @mergeable_sums_stay(%a: tensor<8x32x4x16xf32>, %b: tensor<4x16x64xf32>, %init: tensor<8x32x64xf32>) -> tensor<8x32x64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, h, k) -> (b, m, h, k)>, affine_map<(b, m, n, h, k) -> (h, k, n)>, affine_map<(b, m, n, h, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<8x32x4x16xf32>, tensor<4x16x64xf32>) outs(%init : tensor<8x32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x32x64xf32>
  return %0 : tensor<8x32x64xf32>
}

// -----

// The heads are outside of the rows in %a: the smaller operand is copied. That
// is %b here, but no order of it makes %a's two sums one, so %a is.
// CHECK-DAG: #[[$FROM:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @summed_heads
// CHECK-SAME: %[[A:.*]]: tensor<8x4x32x16xf32>, %[[B:.*]]: tensor<4x16x64xf32>
// CHECK: %[[COPY:.*]] = linalg.generic {indexing_maps = [#[[$FROM]], #[[$ID]]]{{.*}} ins(%[[A]] : tensor<8x4x32x16xf32>) outs({{.*}} : tensor<8x32x4x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[COPY]], %[[B]] : tensor<8x32x4x16xf32>, tensor<4x16x64xf32>)
func.func @summed_heads(%a: tensor<8x4x32x16xf32>, %b: tensor<4x16x64xf32>, %init: tensor<8x32x64xf32>) -> tensor<8x32x64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, h, k) -> (b, h, m, k)>, affine_map<(b, m, n, h, k) -> (h, k, n)>, affine_map<(b, m, n, h, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<8x4x32x16xf32>, tensor<4x16x64xf32>) outs(%init : tensor<8x32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x32x64xf32>
  return %0 : tensor<8x32x64xf32>
}

// -----

// Operands narrower than the sum are widened; the product is then a plain one.
// CHECK-LABEL: func.func @widened
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: linalg.generic
// CHECK-SAME: ins({{.*}} : tensor<32x32xf32>, tensor<32x32xf32>)
// CHECK-NOT: arith.extf
// CHECK: return
func.func @widened(%a: tensor<32x32xbf16>, %b: tensor<32x32xbf16>, %init: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xbf16>, tensor<32x32xbf16>) outs(%init : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// -----

// Small products are loops in any layout.
// CHECK-LABEL: func.func @small_product_stays
// CHECK-NOT: tensor.empty
// CHECK: return
func.func @small_product_stays(%a: tensor<4x2x3xf32>, %b: tensor<3x2x5xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, h, k) -> (m, h, k)>, affine_map<(m, n, h, k) -> (k, h, n)>, affine_map<(m, n, h, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<4x2x3xf32>, tensor<3x2x5xf32>) outs(%init : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
