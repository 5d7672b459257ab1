// The rules of structured operations: factors, roles, linearity, arithmetic.
// Factors are letters; `_` is a dim without factor, `!` an unshardable factor.
// RUN: tpc-opt %s --test-print-sharding-rules -o /dev/null | FileCheck %s

// A sum over c into a zero: linear in either factor of the product.
// CHECK: linalg.matmul (a,c), (c,b), acc (a,b) -> (a,b); a=4, b=5, c=8 sum; linear {0} {1}; flops 320
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// What is accumulated into is part of the sum.
// CHECK: linalg.matmul {{.*}}; linear {0,2} {1,2};
func.func @matmul_into_a_value(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK: linalg.batch_matmul (a,b,d), (a,d,c), acc (a,b,c) -> (a,b,c); a=2, b=4, c=5, d=8 sum; linear {0,2} {1,2};
func.func @batch_matmul(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>, %c: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x4x8xf32>, tensor<2x8x5xf32>) outs(%c : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %0 : tensor<2x4x5xf32>
}

// Accumulation in a wider type: widening is linear.
// CHECK: linalg.matmul {{.*}}; linear {0,2} {1,2};
func.func @matmul_of_bf16_into_f32(%a: tensor<4x8xbf16>, %b: tensor<8x5xbf16>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x5xbf16>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK: linalg.generic (a,c), (b,c), acc (a,b) -> (a,b); a=4, b=5, c=8 sum;
func.func @matmul_with_transposed_weight(%a: tensor<4x8xf32>, %w: tensor<5x8xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<4x8xf32>, tensor<5x8xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK: linalg.generic (a,b), (b), shape (a,b) -> (a,b); a=4, b=5; linear {0,1}; flops 20
func.func @bias_add_is_jointly_linear(%x: tensor<4x5xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<4x5xf32>, tensor<5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A dim of size 1 read through a constant is never sharded.
// CHECK: linalg.generic (a,_), (_,b), shape (a,b) -> (a,b); a=4, b=5; linear {0} {1};
func.func @product_with_broadcast_dims(%x: tensor<4x1xf32>, %y: tensor<1x5xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x1xf32>, tensor<1x5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %1 = arith.mulf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A window ties an image dim to two loops: none of the three is sharded.
// CHECK: linalg.conv_2d_nhwc_hwcf (a,_,_,g), (e,f,g,d), acc (a,b,c,d) -> (a,b,c,d); a=2, b=6!, c=6!, d=4, e=3! sum, f=3! sum, g=3 sum;
func.func @conv_windows_are_unshardable(%x: tensor<2x8x8x3xf32>, %w: tensor<3x3x3x4xf32>, %c: tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%c : tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32>
  return %0 : tensor<2x6x6x4xf32>
}

// One axis cannot shard both dims of a diagonal.
// CHECK: linalg.generic (a,a), shape (a) -> (a); a=4!;
func.func @diagonal(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %out: f32):
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: linalg.fill (), shape (a,b) -> (a,b); a=4, b=5; flops 0
func.func @fill(%v: f32) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.fill ins(%v : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The index of an element is not linear in anything, but no obstacle either.
// CHECK: linalg.generic (a), shape (a) -> (a); a=4; linear {0};
func.func @causal_scale_reads_its_index(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %1 = arith.mulf %p, %k : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A destination that an elementwise operation reads is an input.
// CHECK: linalg.generic (a), (a) -> (a); a=4; linear {0,1};
func.func @elementwise_destination_is_an_input(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %1 = arith.subf %p, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
