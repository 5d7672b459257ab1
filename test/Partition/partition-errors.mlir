// Broken contracts of the stage before, and what has no rule.
// RUN: tpc-opt %s --split-input-file --tp-partition --verify-diagnostics -o /dev/null

tp.mesh @mesh ["tp" = 2]
// expected-error @+1 {{after 'plan': expected a placed tensor, got 'tensor<4xf32>'; this is a tpc bug}}
func.func @not_placed(%x: tensor<4xf32>) {
  return
}

// -----

#rep = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @no_rule(%x: tensor<4xf32, #rep>) -> tensor<4xf32, #rep> {
  // expected-error @+1 {{unsupported: no way to partition 'tensor.generate'}}
  %y = tensor.generate {
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<4xf32, #rep>
  return %y : tensor<4xf32, #rep>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @sharded_constant_that_differs() -> tensor<2xf32, #rows> {
  // expected-error @+1 {{after 'plan': expected a constant that differs by element to be replicated; this is a tpc bug}}
  %y = arith.constant dense<[1.0, 2.0]> : tensor<2xf32, #rows>
  return %y : tensor<2xf32, #rows>
}

// -----

#rep = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @padding_that_differs(%x: tensor<4xindex, #rep>) -> tensor<6xindex, #rep> {
  // expected-error @+1 {{unsupported: padding that differs by element; write it as a linalg.generic}}
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xindex, #rep> to tensor<6xindex, #rep>
  return %y : tensor<6xindex, #rep>
}

// -----

// expected-error @+1 {{expected one tp.mesh in the module}}
module {
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @scalar_of_a_shard(%x: tensor<4xf32, #rows>) -> tensor<4xf32, #rows> {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{after 'plan': expected a scalar to be read from a replicated tensor, got 'tensor<4xf32, #tp.placement<@mesh, [tp: S(0)]>>'; this is a tpc bug}}
  %v = tensor.extract %x[%c0] : tensor<4xf32, #rows>
  return %x : tensor<4xf32, #rows>
}

// -----

#rep = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @not_placed_in_a_loop(%x: tensor<4xf32, #rep>) -> tensor<4xf32, #rep> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %c1 step %c1 iter_args(%z = %x) -> (tensor<4xf32, #rep>) {
    // expected-error @+1 {{after 'plan': expected a placed tensor, got 'tensor<4xf32>'; this is a tpc bug}}
    %empty = tensor.cast %z : tensor<4xf32, #rep> to tensor<4xf32>
    scf.yield %z : tensor<4xf32, #rep>
  }
  return %y : tensor<4xf32, #rep>
}
