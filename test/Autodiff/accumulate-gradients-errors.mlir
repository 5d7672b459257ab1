// RUN: tpc-opt %s --tp-accumulate-gradients=count=2 --split-input-file --verify-diagnostics
// RUN: not tpc-opt %s --tp-accumulate-gradients=count=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: --accumulate: expected at least 1 microbatch, got 0
// RUN: not tpc-opt %s --tp-accumulate-gradients="count=2 inputs=x,z*" --split-input-file 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: error: --accumulate 'z*': expected to match the name of an argument with a batch, got no match among x, w
// RUN: not tpc-opt %s --tp-accumulate-gradients="count=2 inputs=x[" --split-input-file 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: error: --accumulate 'x[': invalid glob pattern, unmatched '['

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

// A normalisation over the batch reads rows and what all rows sum to.
// expected-note @+1 {{'x' has the rows of a microbatch along dim 0}}
func.func @batch_norm(%x: tensor<4xf32> {tp.name = "x"}, %w: tensor<3xf32> {tp.name = "w", tp.param}) -> (tensor<4xf32> {tp.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %small = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%small : tensor<f32>) -> tensor<f32>
  // expected-note @+1 {{is known when all microbatches are summed}}
  %mean = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  // expected-error @+1 {{--accumulate: 'linalg.generic' needs the whole batch}}
  %y = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel"]} ins(%x, %mean : tensor<4xf32>, tensor<f32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A maximum over the batch is no sum; a slice of it cuts through the rows. Independent errors, all at once.
// expected-note @+1 {{'x' has the rows of a microbatch along dim 0}}
func.func @not_sums(%x: tensor<4xf32> {tp.name = "x"}) -> (tensor<f32>, tensor<2xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %small = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%low : f32) outs(%small : tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{--accumulate: 'linalg.generic' needs the whole batch}}
  %max = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  // expected-error @+1 {{--accumulate: 'tensor.extract_slice' needs the whole batch}}
  %cut = tensor.extract_slice %x[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %max, %cut : tensor<f32>, tensor<2xf32>
}

// -----

// Rows behind another dim are not neighbours.
func.func @minor(%x: tensor<4x3xf32> {tp.name = "x"}) -> tensor<12xf32> {
  %empty = tensor.empty() : tensor<3x4xf32>
  // expected-note @+1 {{has the rows of a microbatch along dim 1}}
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x3xf32>) outs(%empty : tensor<3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x4xf32>
  // expected-error @+1 {{--accumulate: 'tensor.collapse_shape' needs the whole batch}}
  %flat = tensor.collapse_shape %t [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  return %flat : tensor<12xf32>
}

// -----

// The sequence of a row does not divide into these parts.
func.func @parts(%x: tensor<4x3xf32> {tp.name = "x"}) -> tensor<6x2xf32> {
  // expected-note @+1 {{has the rows of a microbatch along dim 0}}
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  // expected-error @+1 {{--accumulate: 'tensor.expand_shape' needs the whole batch}}
  %split = tensor.expand_shape %flat [[0, 1]] output_shape [6, 2] : tensor<12xf32> into tensor<6x2xf32>
  return %split : tensor<6x2xf32>
}

// -----

// What runs in a loop over layers of its own is not looked into.
func.func @loop(%x: tensor<4xf32> {tp.name = "x"}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{unsupported: --accumulate does not look into 'scf.for', which works on rows of the batch; write the loop over microbatches in the model}}
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    scf.yield %h : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Rows at computed places may be any rows of the batch; neighbours of a row are in other microbatches.
// expected-note @+1 {{'x' has the rows of a microbatch along dim 0}}
func.func @places(%x: tensor<4xf32> {tp.name = "x"}, %i: tensor<2xi32> {tp.name = "i", tp.param}) -> (tensor<2xf32>, tensor<4xf32>, tensor<8xf32>) {
  // expected-error @+1 {{--accumulate: 'tp.gather' needs the whole batch}}
  %rows = tp.gather %x[%i] maps [affine_map<(t)[j] -> (j)>, affine_map<(t) -> (t)>] : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  // expected-error @+1 {{--accumulate: 'tp.cumsum' needs the whole batch}}
  %sums = tp.cumsum %x dim 0 : tensor<4xf32>
  // expected-error @+1 {{--accumulate: 'tensor.concat' needs the whole batch}}
  %both = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %rows, %sums, %both : tensor<2xf32>, tensor<4xf32>, tensor<8xf32>
}

// -----

// What has no rule cannot be split.
func.func @no_rule(%x: tensor<4xf32> {tp.name = "x"}) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  // expected-error @+2 {{--accumulate: 'tensor.extract' needs the whole batch}}
  // expected-note @-3 {{'x' has the rows of a microbatch along dim 0}}
  %s = tensor.extract %x[%c0] : tensor<4xf32>
  %t = tensor.splat %s : tensor<f32>
  return %t : tensor<f32>
}

// -----

// expected-error @+1 {{--accumulate: expected static shapes, got 'x' of type 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32> {tp.name = "x"}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{--accumulate: expected a batch that divides into 2 microbatches, got 'x' with 3 rows}}
func.func @uneven(%x: tensor<3xf32> {tp.name = "x"}) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{--accumulate: expected all inputs to have the batch in dim 0, got 'x' with 4 rows and 'mask' with 2; name those with a batch: --accumulate 2:NAME,...}}
func.func @two_batches(%x: tensor<4xf32> {tp.name = "x"}, %mask: tensor<2xf32> {tp.name = "mask"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{--accumulate: expected an input with a batch, one that is no parameter, got none}}
module {
  func.func @none(%s: tensor<f32> {tp.name = "s"}, %w: tensor<4xf32> {tp.name = "w", tp.param}) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}
