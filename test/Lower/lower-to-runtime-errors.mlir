// What the stage does not support it says so, on the operation at fault.
// RUN: tpc-opt %s --tp-lower-to-runtime --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a static tensor without placement after partition, got 'tensor<?xf32>' (a bug of tpc in an earlier stage)}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{unsupported by the lower stage: element type 'complex<f32>'}}
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  return %x : tensor<4xcomplex<f32>>
}

// -----

// Both are reported, not only the first.
func.func @operations(%x: tensor<4xf32>, %i: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{unsupported by the lower stage: 'linalg.exp'}}
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{unsupported by the lower stage: 'arith.addf'}}
  %1 = arith.addf %x, %i : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @body(%x: tensor<4xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: i64, %o: f32):
    %j = arith.index_cast %p : i64 to index
    // expected-error @+1 {{unsupported by the lower stage: 'tensor.extract' in the body of a linalg.generic}}
    %v = tensor.extract %x[%j] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @several_results(%x: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%p: i32, %o: i32):
    // expected-error @+1 {{unsupported by the lower stage: 'arith.mulsi_extended', which has several results}}
    %low, %high = arith.mulsi_extended %p, %p : i32
    linalg.yield %high : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @dynamic_slice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 1 : index
  %d = arith.addi %c, %c : index
  // expected-error @+1 {{unsupported by the lower stage: a slice with dynamic sizes or strides}}
  %0 = tensor.extract_slice %x[0] [2] [%d] : tensor<4xf32> to tensor<2xf32>
  // expected-error @+1 {{unsupported by the lower stage: a slice with dynamic sizes or strides}}
  %1 = tensor.insert_slice %0 into %x[0] [2] [%d] : tensor<2xf32> into tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @negative_pad(%x: tensor<4xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{unsupported by the lower stage: padding by dynamic or negative amounts}}
  %0 = tensor.pad %x low[-1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @computed_pad(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{unsupported by the lower stage: padding with a value that is not constant}}
  %0 = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    %j = arith.index_cast %i : index to i32
    %v = arith.sitofp %j : i32 to f32
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// expected-error @+1 {{unsupported by the lower stage: a function of several blocks}}
func.func @branches(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// In a body all errors are reported too.
func.func @loops(%x: tensor<4xf32>, %n: tensor<1xi64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tensor.extract %n[%c0] : tensor<1xi64>
  %trips = arith.index_cast %v : i64 to index
  // expected-error @+1 {{unsupported by the lower stage: a loop without constant bounds and step}}
  %0 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    scf.yield %a : tensor<4xf32>
  }
  %1 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %0) -> (tensor<4xf32>) {
    // expected-error @+1 {{unsupported by the lower stage: 'arith.addf'}}
    %2 = arith.addf %a, %a : tensor<4xf32>
    // expected-error @+1 {{unsupported by the lower stage: 'arith.mulf'}}
    %3 = arith.mulf %2, %2 : tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

func.func @branches(%x: tensor<4xf32>, %c: tensor<i1>, %none: tensor<0xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %c[] : tensor<i1>
  // expected-error @+1 {{unsupported by the lower stage: a branch without an else}}
  scf.if %v {
  }
  // expected-error @+1 {{unsupported by the lower stage: an element of a tensor without elements}}
  %w = tensor.extract %none[%c0] : tensor<0xf32>
  return %x : tensor<4xf32>
}
