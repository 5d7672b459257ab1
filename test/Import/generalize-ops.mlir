// Named operations and arithmetic on tensors become linalg.generic.
// RUN: tpc-opt %s --tp-generalize-ops | FileCheck %s

// CHECK-LABEL: func.func @named_operations
// CHECK-NOT: linalg.{{matmul|batch_matmul|map|reduce|transpose|broadcast|exp}}
// CHECK: return
func.func @named_operations(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4xf32>, %e: tensor<4x4xf32>,
                            %b: tensor<2x4x4xf32>)
    -> (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.batch_matmul ins(%b, %b : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%b : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %2 = linalg.map { arith.addf } ins(%e, %e : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  %3 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%v : tensor<4xf32>) dimensions = [1]
  %t = tensor.empty() : tensor<4x8xf32>
  %4 = linalg.transpose ins(%w : tensor<8x4xf32>) outs(%t : tensor<4x8xf32>) permutation = [1, 0]
  %5 = linalg.broadcast ins(%v : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [0]
  %6 = linalg.exp ins(%e : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// A fill is a normal form of its own.
// CHECK-LABEL: func.func @fill_stays
// CHECK: linalg.fill
func.func @fill_stays() -> tensor<4xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @softmax_is_decomposed
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.divf
func.func @softmax_is_decomposed(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Attributes of the scalar operation and scalar operands are kept.
// CHECK-LABEL: func.func @arithmetic_on_tensors
// CHECK-SAME: %[[COND:[a-z0-9]+]]: i1
// CHECK: tensor.empty
// CHECK: linalg.generic
// CHECK: arith.cmpf ogt, %{{.*}}, %{{.*}} fastmath<fast> : f32
// CHECK: linalg.generic
// CHECK: arith.select %[[COND]], %{{.*}}, %{{.*}} : f32
func.func @arithmetic_on_tensors(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> (tensor<4xi1>, tensor<4xf32>) {
  %0 = arith.cmpf ogt, %x, %y fastmath<fast> : tensor<4xf32>
  %1 = arith.select %c, %x, %y : tensor<4xf32>
  return %0, %1 : tensor<4xi1>, tensor<4xf32>
}

// A destination that is not read is no reason to wait for its value.
// CHECK-LABEL: func.func @unread_destination_becomes_empty
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<4xf32>) outs(%[[E]] : tensor<4xf32>)
func.func @unread_destination_becomes_empty(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @constant_accumulator_becomes_a_fill
// CHECK: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[F:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]] : tensor<4xf32>)
// CHECK: outs(%[[F]] : tensor<4xf32>)
func.func @constant_accumulator_becomes_a_fill(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// A dim that a reduction keeps with size 1 is reshaped in, not written through a
// constant.
// CHECK-LABEL: func.func @kept_dims
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "reduction"]
// CHECK-SAME: outs(%{{.*}} : tensor<8xf32>)
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2]] output_shape [1, 8, 1] : tensor<8xf32> into tensor<1x8x1xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<f32>)
// CHECK: tensor.expand_shape %{{.*}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @kept_dims(%x: tensor<4x8x5xf32>, %v: tensor<1x8x1xf32>, %y: tensor<4x5xf32>, %w: tensor<1x1xf32>) -> (tensor<1x8x1xf32>, tensor<1x1xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (0, j, 0)>],
                       iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<4x8x5xf32>) outs(%v : tensor<1x8x1xf32>) {
  ^bb0(%p: f32, %out: f32):
    %2 = arith.addf %p, %out : f32
    linalg.yield %2 : f32
  } -> tensor<1x8x1xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, 0)>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%y : tensor<4x5xf32>) outs(%w : tensor<1x1xf32>) {
  ^bb0(%p: f32, %out: f32):
    %2 = arith.addf %p, %out : f32
    linalg.yield %2 : f32
  } -> tensor<1x1xf32>
  return %0, %1 : tensor<1x8x1xf32>, tensor<1x1xf32>
}

// A constant place in a dim that is longer is no kept dim.
// CHECK-LABEL: func.func @write_to_one_row
// CHECK-NOT: shape
// CHECK: return
func.func @write_to_one_row(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%p: f32, %out: f32):
    %1 = arith.addf %p, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
