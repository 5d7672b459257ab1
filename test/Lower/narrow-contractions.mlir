// Contractions read 16-bit tensors behind widened copies, transposes and
// reshapes of them; only where both operands are of one 16-bit type.
// RUN: tpc-opt %s --tp-narrow-contractions --canonicalize --split-input-file | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// The weight lies as (out, in); it was widened, transposed and cut into heads.
// CHECK-DAG: #[[$x:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG: #[[$w:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-LABEL: func @heads
// CHECK-SAME: %[[a:[a-z0-9]*]]: tensor<32x16xbf16>, %[[b:[a-z0-9]*]]: tensor<64x16xbf16>
// CHECK: %[[cut:.*]] = tensor.expand_shape %[[b]] {{\[\[}}0, 1], [2]] output_shape [4, 16, 16]
// CHECK: linalg.generic {indexing_maps = [#[[$x]], #[[$w]],
// CHECK-SAME: ins(%[[a]], %[[cut]] : tensor<32x16xbf16>, tensor<4x16x16xbf16>)
// CHECK-NOT: linalg.generic
func.func @heads(%a: tensor<32x16xbf16>, %b: tensor<64x16xbf16>, %c: tensor<32x4x16xf32>) -> tensor<32x4x16xf32> {
  %ea = tensor.empty() : tensor<32x16xf32>
  %wa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<32x16xbf16>) outs(%ea : tensor<32x16xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %1 = arith.extf %p : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<32x16xf32>
  %eb = tensor.empty() : tensor<16x64xf32>
  %wb = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<64x16xbf16>) outs(%eb : tensor<16x64xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %1 = arith.extf %p : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<16x64xf32>
  %cut = tensor.expand_shape %wb [[0], [1, 2]] output_shape [16, 4, 16] : tensor<16x64xf32> into tensor<16x4x16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, h, n, k) -> (m, k)>, affine_map<(m, h, n, k) -> (k, h, n)>, affine_map<(m, h, n, k) -> (m, h, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%wa, %cut : tensor<32x16xf32>, tensor<16x4x16xf32>) outs(%c : tensor<32x4x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<32x4x16xf32>
  return %0 : tensor<32x4x16xf32>
}

// -----

// Heads joined behind a transposed copy: neighbours in the copy and not in the
// tensor behind it, so the copy is what the contraction reads.
// CHECK-LABEL: func @joined_heads
// CHECK: linalg.generic
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK-SAME: tensor<32x16xf32>, tensor<16x64xf32>
func.func @joined_heads(%a: tensor<32x2x8xbf16>, %b: tensor<16x64xbf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %ea = tensor.empty() : tensor<32x8x2xf32>
  %wa = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<32x2x8xbf16>) outs(%ea : tensor<32x8x2xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %1 = arith.extf %p : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<32x8x2xf32>
  %joined = tensor.collapse_shape %wa [[0], [1, 2]] : tensor<32x8x2xf32> into tensor<32x16xf32>
  %eb = tensor.empty() : tensor<16x64xf32>
  %wb = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<16x64xbf16>) outs(%eb : tensor<16x64xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %1 = arith.extf %p : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<16x64xf32>
  %0 = linalg.matmul ins(%joined, %wb : tensor<32x16xf32>, tensor<16x64xf32>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// -----

// One operand in f32: both are.
// CHECK-LABEL: func @one_wide
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<32x16xf32>, tensor<16x64xf32>)
func.func @one_wide(%a: tensor<32x16xf32>, %b: tensor<16x64xbf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %eb = tensor.empty() : tensor<16x64xf32>
  %wb = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<16x64xbf16>) outs(%eb : tensor<16x64xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %1 = arith.extf %p : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<16x64xf32>
  %0 = linalg.matmul ins(%a, %wb : tensor<32x16xf32>, tensor<16x64xf32>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
