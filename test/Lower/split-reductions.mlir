// Long reductions with few results are done in parts that threads can share.
// RUN: tpc-opt %s --tp-split-reductions --split-input-file | FileCheck %s
// RUN: tpc-opt %s --tp-split-reductions=target=cuda --split-input-file | FileCheck %s --check-prefix=CUDA

// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// More blocks share it than threads: each of 32 columns and 64 rows or more.
// CUDA-LABEL: func.func @column_sums
// CUDA: tensor.expand_shape {{.*}} into tensor<64x64x96xf32>
// CHECK-LABEL: func.func @column_sums
// CHECK-SAME: %[[X:.*]]: tensor<4096x96xf32>
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<32x128x96xf32>
// CHECK: %[[FIRST:.*]] = linalg.generic {indexing_maps = [#[[$IN]], #[[$OUT]]], iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[PARTS]] : {{.*}}) outs(%{{.*}} : tensor<32x96xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[FIRST]] : tensor<32x96xf32>)
func.func @column_sums(%x: tensor<4096x96xf32>, %init: tensor<96xf32>) -> tensor<96xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4096x96xf32>) outs(%init : tensor<96xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %o, %p : f32
    linalg.yield %1 : f32
  } -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// -----

// The index along the split dim counts from the start of the whole.
// CHECK-LABEL: func.func @index_of_the_split_dim
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[PART:.*]] = linalg.index 1
// CHECK: %[[START:.*]] = arith.muli %[[PART]], %{{.*}}
// CHECK: arith.addi %[[START]], %[[I]]
func.func @index_of_the_split_dim(%x: tensor<131072xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<131072xf32>) outs(%init : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %w = arith.sitofp %j : i32 to f32
    %1 = arith.mulf %p, %w : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Rows enough for all threads, and a sum that is no plain sum: left alone.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: tensor.expand_shape
func.func @left_alone(%x: tensor<256x1024xf32>, %rows: tensor<256xf32>, %one: tensor<f32>) -> (tensor<256xf32>, tensor<f32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<256x1024xf32>) outs(%rows : tensor<256xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %o, %p : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<256x1024xf32>) outs(%one : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %3 = arith.mulf %o, %o : f32
    %4 = arith.addf %3, %p : f32
    linalg.yield %4 : f32
  } -> tensor<f32>
  return %0, %2 : tensor<256xf32>, tensor<f32>
}
