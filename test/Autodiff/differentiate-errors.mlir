// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tpc-opt --tp-differentiate --split-input-file --verify-diagnostics %s

// expected-note @+1 {{argument 'x' needs a gradient}}
func.func @operation_without_derivative(%x: tensor<4xf32> {tp.name = "x", tp.grad}) -> (tensor<2x2xf32> {tp.name = "y"}) {
  %shape = arith.constant dense<2> : tensor<2xi64>
  %e = tensor.empty() : tensor<4xf32>
  %h = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{no derivative for 'tensor.reshape' on the path from 'x' to result 'y'}}
  %y = tensor.reshape %h(%shape) : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  // expected-note @+1 {{result 'y' depends on it}}
  return %y : tensor<2x2xf32>
}

// -----

// An operation without derivative that is on no path is no error, nor is one on the way to integers.
func.func @not_on_the_path(%x: tensor<4xf32> {tp.grad}, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %shape = arith.constant dense<2> : tensor<2xi64>
  %y = tensor.reshape %c(%shape) : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  %z = tensor.reshape %x(%shape) : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %x, %y : tensor<4xf32>, tensor<2x2xf32>
}

// -----

// All independent errors at once.
#id = affine_map<(d0) -> (d0)>
// expected-note @+2 {{argument 'a' needs a gradient}}
// expected-note @+1 {{argument 'b' needs a gradient}}
func.func @scalar_without_derivative(%x: tensor<4xf32> {tp.name = "a", tp.grad}, %z: tensor<4xf32> {tp.name = "b", tp.grad}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    // expected-error @+1 {{no derivative for 'math.clampf' on the path from 'a' to result 'result0'}}
    %r = math.clampf %a to [%a, %a] : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%z : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    // expected-error @+1 {{no derivative for 'math.clampf' on the path from 'b' to result 'result1'}}
    %r = math.clampf %a to [%a, %a] : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  // expected-note @+2 {{result 'result0' depends on it}}
  // expected-note @+1 {{result 'result1' depends on it}}
  return %y, %w : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-note @+1 {{argument 'arg0' needs a gradient}}
func.func @product_reduction(%x: tensor<4xf32> {tp.grad}) -> tensor<f32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-error @+1 {{no derivative for a reduction of 'linalg.generic' that is not a sum, a maximum or a minimum on the path}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%one : tensor<f32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %out : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  // expected-note @+1 {{result 'result0' depends on it}}
  return %y : tensor<f32>
}

// -----

// The sum is one in form, but its terms read it.
// expected-note @+1 {{argument 'arg0' needs a gradient}}
func.func @sum_that_reads_itself(%x: tensor<4xf32> {tp.grad}) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{no derivative for a reduction of 'linalg.generic' that is not a sum}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %out: f32):
    %p = arith.mulf %a, %out : f32
    %r = arith.addf %p, %out : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  // expected-note @+1 {{result 'result0' depends on it}}
  return %y : tensor<f32>
}

// -----

// The derivative of one result's terms reads the running value of another.
// expected-note @+1 {{argument 'arg0' needs a gradient}}
func.func @terms_read_another_sum(%x: tensor<4xf32> {tp.grad}) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{no derivative for a body of 'linalg.generic' whose contributions read the running reduction}}
  %y:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%zero, %zero : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %out: f32, %sum: f32):
    %p = arith.mulf %a, %sum : f32
    %r = arith.addf %p, %out : f32
    %s = arith.addf %a, %sum : f32
    linalg.yield %r, %s : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  // expected-note @+1 {{result 'result1' depends on it}}
  return %y#0, %y#1 : tensor<f32>, tensor<f32>
}

// -----

// expected-note @+1 {{argument 'arg0' needs a gradient}}
func.func @reversed(%x: tensor<4xf32> {tp.grad}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{no derivative for an operand read through the map affine_map<(d0) -> (-d0 + 3)>, expected a projected permutation}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (-d0 + 3)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  // expected-note @+1 {{result 'result0' depends on it}}
  return %y : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
// expected-note @+1 {{argument 'table' needs a gradient}}
func.func @active_value_from_outside(%x: tensor<4xf32> {tp.name = "table", tp.grad}, %i: tensor<2xindex>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  // expected-error @+1 {{no derivative for 'linalg.generic', whose region reads 'table' from outside}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<2xindex>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: index, %out: f32):
    %r = tensor.extract %x[%a] : tensor<4xf32>
    linalg.yield %r : f32
  } -> tensor<2xf32>
  // expected-note @+1 {{result 'result0' depends on it}}
  return %y : tensor<2xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
// expected-note @+1 {{argument 'arg0' needs a gradient}}
func.func @region_in_body(%x: tensor<4xf32> {tp.grad}, %c: tensor<4xi1>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %c : tensor<4xf32>, tensor<4xi1>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: i1, %out: f32):
    // expected-error @+1 {{no derivative for a body that contains 'scf.if'}}
    %s = scf.if %b -> f32 {
      scf.yield %out : f32
    } else {
      scf.yield %out : f32
    }
    %r = arith.mulf %a, %s : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  // expected-note @+1 {{result 'result0' depends on it}}
  return %y : tensor<4xf32>
}

// -----

#max = #tp.placement<@mesh, [tp: P(max)]>
tp.mesh @mesh ["tp" = 2]
// expected-note @+1 {{argument 'arg0' needs a gradient}}
func.func @partial_maximum(%x: tensor<4xf32> {tp.grad}) -> tensor<4xf32> {
  // expected-error @+1 {{no derivative for a value placed [tp: P(max)] in 'tp.manual', expected P(sum)}}
  %y = tp.manual (%x) in [#tp.placement<@mesh, []>] out [#max] {
  ^bb0(%a: tensor<4xf32>):
    tp.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{result 'result0' depends on it}}
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected a static shape and no placement in the type to differentiate with respect to 'x', got 'tensor<?xf32>'}}
func.func @dynamic_argument(%x: tensor<?xf32> {tp.name = "x", tp.grad}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-note @+1 {{argument 'arg0' needs a gradient}}
func.func @dynamic_value(%x: tensor<4xf32> {tp.grad}) -> tensor<?xf32> {
  // expected-error @+1 {{expected a static shape to differentiate 'tensor.cast', got 'tensor<?xf32>'}}
  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  // expected-note @+1 {{result 'result0' depends on it}}
  return %y : tensor<?xf32>
}

// -----

#rep = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
// expected-note @+1 {{argument 'arg0' needs a gradient}}
func.func @placed_value(%x: tensor<4xf32> {tp.grad}) -> tensor<4xf32, #rep> {
  // expected-error @+1 {{expected tensors without placement to differentiate 'tensor.cast', got 'tensor<4xf32, #tp.placement<@mesh, []>>'; differentiate before planning}}
  %y = tensor.cast %x : tensor<4xf32> to tensor<4xf32, #rep>
  // expected-note @+1 {{result 'result0' depends on it}}
  return %y : tensor<4xf32, #rep>
}

// -----

// expected-error @+1 {{expected a float result to differentiate '@integer_results', got none}}
func.func @integer_results(%x: tensor<4xf32> {tp.grad}, %i: tensor<4xi32>) -> tensor<4xi32> {
  return %i : tensor<4xi32>
}

// -----

// expected-error @+1 {{expected one block to differentiate '@two_blocks', got 2}}
func.func @two_blocks(%x: tensor<4xf32> {tp.grad}) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected no argument named 'dy', the name differentiation needs for itself}}
func.func @cotangent_name_in_use(%x: tensor<4xf32> {tp.grad}, %d: tensor<4xf32> {tp.name = "dy"}) -> (tensor<4xf32> {tp.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected no result named 'dx', the name differentiation needs for itself}}
func.func @gradient_name_in_use(%x: tensor<4xf32> {tp.name = "x", tp.grad}) -> (tensor<4xf32> {tp.name = "dx"}) {
  return %x : tensor<4xf32>
}

// -----

tp.mesh @mesh ["tp" = 2]
// expected-error @+1 {{expected a cotangent or gradient named 'dz', for which there is a placement}}
func.func @placement_of_nothing(%x: tensor<4xf32> {tp.name = "x", tp.grad}) -> tensor<4xf32> attributes {tp.derived_placements = {dz = #tp.placement<@mesh, []>}} {
  return %x : tensor<4xf32>
}

// -----

// An operation without derivative in a loop in a branch: the path is that of the function.
// expected-note @+1 {{argument 'x' needs a gradient}}
func.func @no_derivative_in_a_loop(%c: i1, %x: tensor<4xf32> {tp.name = "x", tp.grad}) -> (tensor<4xf32> {tp.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = scf.if %c -> (tensor<4xf32>) {
    %1 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
      // expected-error @+1 {{no derivative for 'tensor.bitcast' on the path from 'x' to result 'y'}}
      %2 = tensor.bitcast %h : tensor<4xf32> to tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  // expected-note @+1 {{result 'y' depends on it}}
  return %0 : tensor<4xf32>
}

// -----

func.func @loop_not_in_normal_form(%x: tensor<4xf32> {tp.grad}) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  // expected-error @+1 {{expected a loop from 0 in steps of 1 to a constant to differentiate}}
  %0 = scf.for %i = %c1 to %c5 step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %1 = tensor.cast %h : tensor<4xf32> to tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @loop_of_scalars(%x: tensor<f32> {tp.grad}) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %s = tensor.extract %x[] : tensor<f32>
  // expected-error @+1 {{expected tensors of static shape without placement to differentiate a loop, got 'f32'}}
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %s) -> (f32) {
    %1 = arith.mulf %h, %h : f32
    scf.yield %1 : f32
  }
  %2 = tensor.from_elements %0 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

func.func @branch_of_scalars(%c: i1, %x: tensor<f32> {tp.grad}) -> tensor<f32> {
  %s = tensor.extract %x[] : tensor<f32>
  // expected-error @+1 {{expected tensors of static shape without placement to differentiate a branch, got 'f32'}}
  %0 = scf.if %c -> (f32) {
    %1 = arith.mulf %s, %s : f32
    scf.yield %1 : f32
  } else {
    scf.yield %s : f32
  }
  %2 = tensor.from_elements %0 : tensor<f32>
  return %2 : tensor<f32>
}
