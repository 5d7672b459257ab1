// Contractions are expanded over the dims that a frontend collapsed.
// RUN: tpc-opt %s --tp-generalize-ops --tp-fold-reshapes | FileCheck %s

// (batch, sequence) is collapsed for the matmul and expanded behind it.
// CHECK-LABEL: func.func @linear_layer_on_sequences
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x5xf32>
// CHECK-NOT: shape
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%[[X]], %[[W]] :
// CHECK-NOT: shape
// CHECK: return
func.func @linear_layer_on_sequences(%x: tensor<2x3x8xf32>, %w: tensor<8x5xf32>) -> tensor<2x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %0 = linalg.matmul ins(%c, %w : tensor<6x8xf32>, tensor<8x5xf32>) outs(%f : tensor<6x5xf32>) -> tensor<6x5xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// The features of a weight are not split into heads: the (head, feature) part
// of the collapse stays, the (batch, sequence) part goes.
// CHECK-LABEL: func.func @weights_are_not_reshaped
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x4x2xf32>, %[[W:[a-z0-9]+]]: tensor<8x5xf32>
// CHECK: %[[H:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]] : tensor<2x3x4x2xf32> into tensor<2x3x8xf32>
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[H]], %[[W]] : tensor<2x3x8xf32>, tensor<8x5xf32>)
// CHECK: return
func.func @weights_are_not_reshaped(%x: tensor<2x3x4x2xf32>, %w: tensor<8x5xf32>) -> tensor<2x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<2x3x4x2xf32> into tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %0 = linalg.matmul ins(%c, %w : tensor<6x8xf32>, tensor<8x5xf32>) outs(%f : tensor<6x5xf32>) -> tensor<6x5xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// The mirror image: an expand into (batch, sequence) and (head, feature).
// CHECK-LABEL: func.func @expand_into_heads
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK: tensor.expand_shape %[[Y]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 3, 4, 2] : tensor<2x3x8xf32> into tensor<2x3x4x2xf32>
func.func @expand_into_heads(%x: tensor<2x3x5xf32>, %w: tensor<5x8xf32>) -> tensor<2x3x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %0 = linalg.matmul ins(%c, %w : tensor<6x5xf32>, tensor<5x8xf32>) outs(%f : tensor<6x8xf32>) -> tensor<6x8xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2, 3]] output_shape [2, 3, 4, 2] : tensor<6x8xf32> into tensor<2x3x4x2xf32>
  return %1 : tensor<2x3x4x2xf32>
}

// Through a chain of element-wise operations to a loss.
// CHECK-LABEL: func.func @loss_of_flattened_values
// CHECK-NOT: shape
// CHECK: return
func.func @loss_of_flattened_values(%x: tensor<2x3x4xf32>, %v: tensor<f32>) -> tensor<f32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %0 = math.exp %c : tensor<6x4xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<6x4xf32>) outs(%v : tensor<f32>) dimensions = [0, 1]
  return %1 : tensor<f32>
}

// A reshape behind or in front of a pad stays where it is.
// CHECK-LABEL: func.func @around_a_pad
// CHECK: tensor.collapse_shape
// CHECK: tensor.pad
// CHECK: tensor.expand_shape
func.func @around_a_pad(%x: tensor<2x3xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %1 = tensor.pad %0 low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<6xf32> to tensor<8xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
