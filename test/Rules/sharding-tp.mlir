// The rules of gathers, scatters and scans.
// RUN: tpc-opt %s --test-print-sharding-rules -o /dev/null | FileCheck %s

// The vocabulary (c) is reduced over: other ranks' rows read as 0.
// CHECK: tp.gather (c,b), (a) -> (a,b); a=4, b=2, c=8 sum; linear {0}; flops 8
func.func @embedding(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x2xf32> {
  %0 = tp.gather %e[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>]
      : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Rows are a loop of source and indices.
// CHECK: tp.gather (a,c), (a,b) -> (a,b); a=8, b=3, c=6 or; flops 24
func.func @booleans_are_joined_by_or(%x: tensor<8x6xi1>, %ids: tensor<8x3xi64>) -> tensor<8x3xi1> {
  %0 = tp.gather %x[%ids] maps [affine_map<(i, j)[k] -> (i, k)>, affine_map<(i, j) -> (i, j)>]
      : (tensor<8x6xi1>, tensor<8x3xi64>) -> tensor<8x3xi1>
  return %0 : tensor<8x3xi1>
}

// Tokens (a) are reduced over, the vocabulary (c) is parallel. The init counts once, unless it is zero.
// CHECK: tp.scatter (a,b), acc (c,b), (a) -> (c,b); a=4 sum, b=2, c=8; linear {0,1};
// CHECK: tp.scatter (a,b), acc (c,b), (a) -> (c,b); a=4 sum, b=2, c=8; linear {0};
func.func @scatters(%v: tensor<4x2xf32>, %e: tensor<8x2xf32>, %ids: tensor<4xi32>) {
  %0 = tp.scatter %v into %e[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>]
      : (tensor<4x2xf32>, tensor<8x2xf32>, tensor<4xi32>) -> tensor<8x2xf32>
  %zeros = arith.constant dense<0.0> : tensor<8x2xf32>
  %1 = tp.scatter %v into %zeros[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>]
      : (tensor<4x2xf32>, tensor<8x2xf32>, tensor<4xi32>) -> tensor<8x2xf32>
  return
}

// CHECK: tp.cumsum (a,b) -> (a,b); a=2, b=16; linear {0}; flops 32
func.func @cumsum(%x: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = tp.cumsum %x dim 1 : tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}
