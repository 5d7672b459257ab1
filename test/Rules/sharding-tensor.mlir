// The rules of constants and tensor operations.
// RUN: tpc-opt %s --test-print-sharding-rules -o /dev/null | FileCheck %s

// CHECK: arith.constant  -> (a,b); a=4, b=6;
// CHECK: arith.constant  -> (a); a=2!;
// CHECK: arith.constant  -> ();
// CHECK: tensor.empty  -> (a,b); a=4, b=6;
// CHECK: tensor.splat () -> (a); a=4;
func.func @creation() {
  %0 = arith.constant dense<1.0> : tensor<4x6xf32>
  %1 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %2 = arith.constant 1.0 : f32
  %3 = tensor.empty() : tensor<4x6xf32>
  %4 = tensor.splat %2 : tensor<4xf32>
  return
}

// CHECK: tensor.cast (a,b) -> (a,b); a=4, b=6; linear {0};
func.func @cast(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.cast %x : tensor<4x6xf32> to tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK: tensor.collapse_shape (a,b,c) -> (a*b,c); a=2, b=3, c=4; linear {0}; move (0) -> (0); flops
// CHECK: tensor.expand_shape (a*b,c) -> (a,b,c); a=2, b=3, c=4; linear {0}; move (0) -> (0); flops
func.func @reshapes_have_compound_dims(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Dims of size 1 do not hide the dim they are joined with.
// CHECK: tensor.collapse_shape (_,a,_) -> (a); a=3;
// CHECK: tensor.expand_shape (a) -> (a,_); a=3;
// CHECK: tensor.collapse_shape (_,_) -> (_);
func.func @unit_dims_of_reshapes(%x: tensor<1x3x1xf32>, %y: tensor<1x1xf32>) -> (tensor<3x1xf32>, tensor<1xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1, 2]] : tensor<1x3x1xf32> into tensor<3xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
  %2 = tensor.collapse_shape %y [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
  return %1, %2 : tensor<3x1xf32>, tensor<1xf32>
}

// Cut along the last dim only; the dropped dim is cut too.
// A dim that is cut at a place the program computes is cut, though it be as long as the slice.
// CHECK: tensor.extract_slice (_,a), () -> (_,a); a=6; linear {0};
// CHECK: tensor.extract_slice (_,a), () -> (_,a); a=6; linear {0};
// CHECK: tensor.insert_slice (_,a), (_,a), () -> (_,a); a=6; linear {0,1};
func.func @slices_at_computed_places(%x: tensor<4x6xf32>, %i: index) -> (tensor<2x6xf32>, tensor<4x6xf32>) {
  %0 = tensor.extract_slice %x[%i, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
  %1 = tensor.extract_slice %x[%i, 0] [4, 6] [1, 1] : tensor<4x6xf32> to tensor<4x6xf32>
  %2 = tensor.insert_slice %0 into %1[%i, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<4x6xf32>
  return %0, %2 : tensor<2x6xf32>, tensor<4x6xf32>
}

// A scalar for the host comes from a tensor that every rank holds.
// CHECK: tensor.extract (_,_), (), () -> ();
func.func @extract(%x: tensor<4x6xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %x[%c1, %c1] : tensor<4x6xf32>
  return %0 : f32
}

// A dim that is cut is sharded by moves: to the ranks whose chunk it is, to all ranks, or as terms of a sum.
// CHECK: tensor.extract_slice (a,_) -> (a,_); a=4; linear {0}; move (1) -> (1); move (1) -> (-); move (1) -> (-) sum; flops
// CHECK: tensor.extract_slice (_,a) -> (a); a=6; linear {0}; move (0) -> (-); move (0) -> (-) sum; flops
func.func @extract_slice(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<6xf32>) {
  %0 = tensor.extract_slice %x[0, 2] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
  %1 = tensor.extract_slice %x[1, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<6xf32>
}

// CHECK: tensor.insert_slice (a,_), (a,_) -> (a,_); a=4; linear {0,1}; move (-,1) -> (1); move (1,1) -> (1); flops
// CHECK: arith.constant
// CHECK: tensor.insert_slice (a,_), (a,_) -> (a,_); a=4; linear {0} {0,1};
// CHECK: arith.constant
// CHECK: tensor.insert_slice (a,_), (a,_) -> (a,_); a=4; linear {1} {0,1};
func.func @insert_slice(%x: tensor<4x2xf32>, %y: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = tensor.insert_slice %x into %y[0, 2] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x6xf32>
  %zero = arith.constant dense<0.0> : tensor<4x6xf32>
  %1 = tensor.insert_slice %x into %zero[0, 2] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x6xf32>
  %nothing = arith.constant dense<0.0> : tensor<4x2xf32>
  %2 = tensor.insert_slice %nothing into %y[0, 2] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Only padding with zeros is linear.
// CHECK: tensor.pad (a,_) -> (a,_); a=4; linear {0}; move (-) -> (1); move (1) -> (1); flops
// CHECK: tensor.pad (a,_) -> (a,_); a=4; move (-) -> (1); move (1) -> (1); flops
func.func @pad(%x: tensor<4x6xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x6xf32> to tensor<4x8xf32>
  %1 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<4x6xf32> to tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK: tensor.concat (a,_), (a,_) -> (a,_); a=4; linear {0,1}; move (-,-) -> (1); move (1,-) -> (1); move (-,1) -> (1); move (1,1) -> (1); flops
func.func @concat(%x: tensor<4x2xf32>, %y: tensor<4x6xf32>) -> tensor<4x8xf32> {
  %0 = tensor.concat dim(1) %x, %y : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
