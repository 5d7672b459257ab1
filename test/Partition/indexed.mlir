// Gathers and scatters on local tensors: which indices are moved to this rank's chunk, and which updates are dropped.
// RUN: tpc-opt %s --tp-partition --split-input-file | FileCheck %s

#R = #tp.placement<@mesh, []>
#S0 = #tp.placement<@mesh, [tp: S(0)]>
#P = #tp.placement<@mesh, [tp: P(sum)]>
#rows = affine_map<(t, j)[i] -> (i, j)>
#t = affine_map<(t, j) -> (t)>
tp.mesh @mesh ["tp" = 2]

// CHECK-LABEL: @vocabulary_sharded
// CHECK: %[[OFFSET:.*]] = tp.chunk_offset 7 dim 0
// CHECK: %[[SIZE:.*]] = tp.chunk_size 7 dim 0
// CHECK: %[[LOCAL:.*]] = linalg.generic
// CHECK: %[[MOVED:.*]] = arith.subi %{{.*}}, %[[OFFSET]]
// CHECK: %[[MINE:.*]] = arith.cmpi ult, %[[MOVED]], %[[SIZE]]
// CHECK: arith.select %[[MINE]], %[[MOVED]]
// CHECK: tp.gather %{{.*}}[%[[LOCAL]]] {{.*}} : (tensor<4x2xf32>, tensor<5xi32>) -> tensor<5x2xf32>
func.func @vocabulary_sharded(%e: tensor<7x2xf32, #S0>, %ids: tensor<5xi32, #R>) -> tensor<5x2xf32, #P> {
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<7x2xf32, #S0>, tensor<5xi32, #R>) -> tensor<5x2xf32, #P>
  return %0 : tensor<5x2xf32, #P>
}

// What padding reads stays padding.
// CHECK-LABEL: @tokens_sharded
// CHECK-NOT: linalg.generic
// CHECK: tp.gather {{.*}} : (tensor<7x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
func.func @tokens_sharded(%e: tensor<7x2xf32, #R>, %ids: tensor<5xi32, #S0>) -> tensor<5x2xf32, #S0> {
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<7x2xf32, #R>, tensor<5xi32, #S0>) -> tensor<5x2xf32, #S0>
  return %0 : tensor<5x2xf32, #S0>
}

// What padding adds would not.
// CHECK-LABEL: @scatter_tokens_sharded
// CHECK: %[[SIZE:.*]] = tp.chunk_size 5 dim 0
// CHECK: %[[LOCAL:.*]] = linalg.generic
// CHECK: %[[INDEX:.*]] = linalg.index 0
// CHECK: arith.cmpi ult, %[[INDEX]], %[[SIZE]]
// CHECK: tp.scatter %{{.*}} into %{{.*}}[%[[LOCAL]]] {{.*}} : (tensor<3x2xf32>, tensor<7x2xf32>, tensor<3xi32>) -> tensor<7x2xf32>
func.func @scatter_tokens_sharded(%v: tensor<5x2xf32, #S0>, %init: tensor<7x2xf32, #P>, %ids: tensor<5xi32, #S0>)
    -> tensor<7x2xf32, #P> {
  %0 = tp.scatter %v into %init[%ids] maps [#rows, #t]
      : (tensor<5x2xf32, #S0>, tensor<7x2xf32, #P>, tensor<5xi32, #S0>) -> tensor<7x2xf32, #P>
  return %0 : tensor<7x2xf32, #P>
}

// CHECK-LABEL: @scatter_vocabulary_sharded
// CHECK: tp.chunk_offset 7 dim 0
// CHECK: tp.scatter {{.*}} : (tensor<5x2xf32>, tensor<4x2xf32>, tensor<5xi32>) -> tensor<4x2xf32>
func.func @scatter_vocabulary_sharded(%v: tensor<5x2xf32, #R>, %init: tensor<7x2xf32, #S0>, %ids: tensor<5xi32, #R>)
    -> tensor<7x2xf32, #S0> {
  %0 = tp.scatter %v into %init[%ids] maps [#rows, #t]
      : (tensor<5x2xf32, #R>, tensor<7x2xf32, #S0>, tensor<5xi32, #R>) -> tensor<7x2xf32, #S0>
  return %0 : tensor<7x2xf32, #S0>
}

// CHECK-LABEL: @cumsum_rows_sharded
// CHECK: tp.cumsum %{{.*}} dim 1 reverse exclusive : tensor<3x4xf32>
func.func @cumsum_rows_sharded(%x: tensor<5x4xf32, #S0>) -> tensor<5x4xf32, #S0> {
  %0 = tp.cumsum %x dim 1 reverse exclusive : tensor<5x4xf32, #S0>
  return %0 : tensor<5x4xf32, #S0>
}
