// Gathers, scatters, scans and maxima print as they parse.
// RUN: tpc-opt %s | tpc-opt | FileCheck %s

// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1)[s0] -> (s0, d1)>
// CHECK-DAG: #[[$TOKENS:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: @indexed
func.func @indexed(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<8x2xf32> {
  // CHECK: tp.gather %{{.*}}[%{{.*}}] maps [#[[$ROWS]], #[[$TOKENS]]] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  %0 = tp.gather %e[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>]
      : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  // CHECK: tp.scatter %{{.*}} into %{{.*}}[%{{.*}}] maps [#[[$ROWS]], #[[$TOKENS]]]
  // CHECK-SAME: : (tensor<4x2xf32>, tensor<8x2xf32>, tensor<4xi32>) -> tensor<8x2xf32>
  %1 = tp.scatter %0 into %e[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>]
      : (tensor<4x2xf32>, tensor<8x2xf32>, tensor<4xi32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: @scans
func.func @scans(%x: tensor<2x16xf32>) -> (tensor<2xf32>, tensor<2xi64>, tensor<16xf32>, tensor<16xi8>) {
  // CHECK: tp.cumsum %{{.*}} dim 1 : tensor<2x16xf32>
  %0 = tp.cumsum %x dim 1 : tensor<2x16xf32>
  // CHECK: tp.cumsum %{{.*}} dim 0 reverse exclusive : tensor<2x16xf32>
  %1 = tp.cumsum %0 dim 0 reverse exclusive : tensor<2x16xf32>
  // CHECK: tp.argmax %{{.*}} dim 1 : tensor<2x16xf32> -> tensor<2xf32>, tensor<2xi64>
  %2, %3 = tp.argmax %1 dim 1 : tensor<2x16xf32> -> tensor<2xf32>, tensor<2xi64>
  // CHECK: tp.argmax %{{.*}} dim 0 minimum : tensor<2x16xf32> -> tensor<16xf32>, tensor<16xi8>
  %4, %5 = tp.argmax %1 dim 0 minimum : tensor<2x16xf32> -> tensor<16xf32>, tensor<16xi8>
  return %2, %3, %4, %5 : tensor<2xf32>, tensor<2xi64>, tensor<16xf32>, tensor<16xi8>
}
