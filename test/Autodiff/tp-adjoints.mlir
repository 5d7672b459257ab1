// Gathers and scatters are each other's adjoints at the same places, a cumulative sum runs back from the other end, and
// the cotangent of a maximum goes to its index.
// RUN: tpc-opt %s --tp-differentiate | FileCheck %s

#rows = affine_map<(t, j)[i] -> (i, j)>
#t = affine_map<(t, j) -> (t)>

// CHECK-LABEL: @gather
// CHECK-SAME: %[[IDS:[a-z0-9]*]]: tensor<4xi32> {{.*}}, %[[DY:[a-z0-9]*]]: tensor<4x2xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: %[[DE:.*]] = tp.scatter %[[DY]] into %[[ZEROS]][%[[IDS]]] maps [#map, #map1] {tp.phase = "backward"}
// CHECK: return %{{.*}}, %[[DE]]
func.func @gather(%e: tensor<8x2xf32> {tp.grad}, %ids: tensor<4xi32>) -> tensor<4x2xf32> {
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Sums of 16-bit values are formed in 32 bits.
// CHECK-LABEL: @gather_of_bf16
// CHECK: arith.extf
// CHECK: tp.scatter {{.*}} -> tensor<8x2xf32>
// CHECK: arith.truncf
func.func @gather_of_bf16(%e: tensor<8x2xbf16> {tp.grad}, %ids: tensor<4xi32>) -> tensor<4x2xbf16> {
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xbf16>, tensor<4xi32>) -> tensor<4x2xbf16>
  return %0 : tensor<4x2xbf16>
}

// CHECK-LABEL: @scatter
// CHECK-SAME: %[[IDS:[a-z0-9]*]]: tensor<4xi32> {{.*}}, %[[DY:[a-z0-9]*]]: tensor<8x2xf32>
// CHECK: %[[DV:.*]] = tp.gather %[[DY]][%[[IDS]]] maps [#map, #map1]
// CHECK: return %{{.*}}, %[[DV]], %[[DY]]
func.func @scatter(%v: tensor<4x2xf32> {tp.grad}, %init: tensor<8x2xf32> {tp.grad}, %ids: tensor<4xi32>)
    -> tensor<8x2xf32> {
  %0 = tp.scatter %v into %init[%ids] maps [#rows, #t]
      : (tensor<4x2xf32>, tensor<8x2xf32>, tensor<4xi32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// CHECK-LABEL: @cumsum
// CHECK: tp.cumsum %{{.*}} dim 1 exclusive :
// CHECK: tp.cumsum %{{.*}} dim 1 reverse exclusive {tp.phase = "backward"}
func.func @cumsum(%x: tensor<4x8xf32> {tp.grad}) -> tensor<4x8xf32> {
  %0 = tp.cumsum %x dim 1 exclusive : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @argmax
// CHECK: %{{.*}}, %[[I:.*]] = tp.argmax
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[I]] : tensor<4xf32>, tensor<4xi64>)
// CHECK: arith.cmpi eq
// CHECK: arith.select
func.func @argmax(%x: tensor<4x8xf32> {tp.grad}) -> tensor<4xf32> {
  %0, %1 = tp.argmax %x dim 1 : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xi64>
  return %0 : tensor<4xf32>
}
