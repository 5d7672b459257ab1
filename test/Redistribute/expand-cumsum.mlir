// A cumulative sum along a sharded dim: local sums of blocks, and one element per block is gathered.
// RUN: tpc-opt %s --tp-expand-data-movement --tp-verify-placements | FileCheck %s

#S1 = #tp.placement<@mesh, [sp: S(1)]>
#both = #tp.placement<@mesh, [dp: S(0), sp: S(0)]>
#rows = #tp.placement<@mesh, [dp: S(0)]>
tp.mesh @mesh ["dp" = 2, "sp" = 4]

// CHECK-LABEL: @along_the_sharded_dim
// CHECK: %[[CUT:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] {{.*}} into tensor<3x4x2xf32, #S1_sp>
// CHECK: %[[LOCAL:.*]] = tp.cumsum %[[CUT]] dim 2 : tensor<3x4x2xf32, #S1_sp>
// CHECK: %[[TOTALS:.*]] = linalg.generic {{.*}} ins(%[[CUT]]
// CHECK: tp.redistribute %[[TOTALS]] {{.*}}tp.why = {{.*}} : tensor<3x4xf32, #S1_sp> -> tensor<3x4xf32, #R>
// CHECK: arith.cmpi ult
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[LOCAL]]
// CHECK: tensor.collapse_shape %[[SUM]]
func.func @along_the_sharded_dim(%x: tensor<3x8xf32, #S1>) -> tensor<3x8xf32, #S1> {
  %0 = tp.cumsum %x dim 1 : tensor<3x8xf32, #S1>
  return %0 : tensor<3x8xf32, #S1>
}

// Two axes, from the end, summed in 32 bits.
// CHECK-LABEL: @nested_and_reversed
// CHECK: tp.cumsum %{{.*}} dim 1 reverse exclusive : tensor<8x2x3xbf16
// CHECK: tp.redistribute %{{.*}} : tensor<8x3xf32, #S0_dp_S0_sp> -> tensor<8x3xf32, #R>
// CHECK: arith.cmpi ugt
// CHECK: arith.truncf
func.func @nested_and_reversed(%x: tensor<16x3xbf16, #both>) -> tensor<16x3xbf16, #both> {
  %0 = tp.cumsum %x dim 0 reverse exclusive : tensor<16x3xbf16, #both>
  return %0 : tensor<16x3xbf16, #both>
}

// CHECK-LABEL: @along_another_dim
// CHECK-NOT: tp.redistribute
// CHECK: tp.cumsum %{{.*}} dim 1 : tensor<4x5xi32
// CHECK-NOT: tp.redistribute
func.func @along_another_dim(%x: tensor<4x5xi32, #rows>) -> tensor<4x5xi32, #rows> {
  %0 = tp.cumsum %x dim 1 : tensor<4x5xi32, #rows>
  return %0 : tensor<4x5xi32, #rows>
}
