// What the stage refuses, each with one error that says the way out.
// RUN: tpc-opt %s --tpc-import --split-input-file --verify-diagnostics

// expected-error @+2 {{unsupported: dynamic dim 0 of 'x', export the model with static shapes}}
// expected-error @+1 {{unsupported: dynamic dim 1 of 'y', export the model with static shapes}}
func.func @dynamic_dims(%x: tensor<?x4xf32> {tp.name = "x"}, %w: tensor<4xf32>) -> (tensor<4x?xf32> {tp.name = "y"}) {
  %0 = tensor.cast %x : tensor<?x4xf32> to tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// expected-error @+1 {{unsupported: '%arg0' has type 'memref<4xf32>', expected a ranked tensor}}
func.func @buffer(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @+1 {{unsupported: 'result 0' has type 'f32', expected a ranked tensor}}
func.func @scalar_result(%x: tensor<4xf32>) -> f32 {
  %0 = arith.constant 0.0 : f32
  return %0 : f32
}

// -----

// expected-error @+1 {{unsupported: 'z' has elements of type 'complex<f32>', expected f16, bf16, f32, f64, i1, i8, i16, i32 or i64}}
func.func @complex(%x: tensor<4xcomplex<f32>> {tp.name = "z"}) {
  return
}

// -----

// All kinds of operations without a rule are listed, each once.
func.func @several_without_a_rule(%x: tensor<4xf32>, %i: tensor<1xi64>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %x[%c0] : tensor<4xf32>
  %1 = tensor.extract %x[%c1] : tensor<4xf32>
  // expected-error @+1 {{unsupported: no rule for 'tensor.from_elements' (2 times in this program)}}
  %2 = tensor.from_elements %0, %1, %0, %1 : tensor<4xf32>
  %4 = tensor.from_elements %0, %1, %1, %1 : tensor<4xf32>
  %s = arith.constant dense<2> : tensor<2xi32>
  // expected-error @+1 {{unsupported: no rule for 'tensor.reshape'}}
  %3 = tensor.reshape %x(%s) : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %2, %3, %4 : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
}

// -----

func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>

func.func @call_of_a_declaration(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: call to '@elsewhere', which has no body}}
  %0 = call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @recursion(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: call to '@recursion', which cannot be inlined: it calls itself, has several blocks or is marked 'no_inline'}}
  %0 = call @recursion(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// In loops and branches too.
func.func @no_rule_in_a_loop(%x: tensor<4xf32>, %s: tensor<2xi32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    // expected-error @+1 {{unsupported: no rule for 'tensor.reshape'}}
    %1 = tensor.reshape %a(%s) : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
    %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// All of it at once.
func.func @control_flow(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n0 = tensor.extract %n[] : tensor<i32>
  %n1 = arith.index_cast %n0 : i32 to index
  // expected-error @+1 {{unsupported: 'scf.for' whose trip count is not a constant, export the model with constant loop bounds}}
  %0 = scf.for %i = %c0 to %n1 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %1 = arith.addf %a, %a : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  // expected-error @+1 {{unsupported: 'scf.for' carries a value of type 'f32', expected a ranked tensor of static shape; carry a tensor of no dims instead of a scalar}}
  %2:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %s = %zero) -> (tensor<4xf32>, f32) {
    %3 = tensor.splat %s : tensor<4xf32>
    %4 = arith.addf %a, %3 : tensor<4xf32>
    %5 = math.exp %s : f32
    scf.yield %4, %5 : tensor<4xf32>, f32
  }
  %c = arith.cmpi sgt, %n1, %c4 : index
  // expected-error @+1 {{unsupported: 'scf.if' gives a value of type 'f32', expected a ranked tensor of static shape; give a tensor of no dims instead of a scalar}}
  %6 = scf.if %c -> (f32) {
    %10 = tensor.extract %x[%c0] : tensor<4xf32>
    scf.yield %10 : f32
  } else {
    %10 = tensor.extract %x[%c1] : tensor<4xf32>
    scf.yield %10 : f32
  }
  %7 = tensor.splat %6 : tensor<4xf32>
  // expected-error @+1 {{unsupported: 'scf.while', write a loop of a constant number of iterations as 'scf.for'}}
  %8 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %10 = tensor.extract %a[%c0] : tensor<4xf32>
    %11 = arith.cmpf ogt, %10, %zero : f32
    scf.condition(%11) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %10 = math.sin %a : tensor<4xf32>
    scf.yield %10 : tensor<4xf32>
  }
  return %0, %2#0, %7, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
