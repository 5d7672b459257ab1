// [N1], [N2], [N3].
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @operand_without_placement(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.manual' op expected one placement per operand, got 0 for 1}}
  tp.manual (%x) in [] out [] {
  ^bb0(%a: tensor<4xf32>):
    tp.yield
  } : (tensor<4xf32>) -> ()
  return
}

// -----

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @result_without_placement(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.manual' op expected one placement per result, got 0 for 1}}
  %0 = tp.manual (%x) in [#all] out [] {
  ^bb0(%a: tensor<4xf32>):
    tp.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @operand_without_block_argument(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.manual' op expected one block argument per operand, got 0 for 1}}
  tp.manual (%x) in [#all] out [] {
    tp.yield
  } : (tensor<4xf32>) -> ()
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @block_argument_is_not_local(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.manual' op operand #0: expected a block argument of the local type 'tensor<2xf32>', got 'tensor<4xf32>'}}
  tp.manual (%x) in [#rows] out [] {
  // expected-note @below {{block argument is here}}
  ^bb0(%a: tensor<4xf32>):
    tp.yield
  } : (tensor<4xf32>) -> ()
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @operand_placed_otherwise(%x: tensor<4xf32, #all>) {
  // expected-error @below {{'tp.manual' op operand #0: expected a value placed [tp: S(0)], got []}}
  tp.manual (%x) in [#rows] out [] {
  ^bb0(%a: tensor<2xf32>):
    tp.yield
  } : (tensor<4xf32, #all>) -> ()
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @uneven_shard(%x: tensor<3x5xf32>) {
  // expected-error @below {{'tp.manual' op operand #0: unsupported: uneven shard of 3 elements of dim 0 under [tp: S(0)]}}
  tp.manual (%x) in [#rows] out [] {
  ^bb0(%a: tensor<2x5xf32>):
    tp.yield
  } : (tensor<3x5xf32>) -> ()
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @dynamic_dim(%x: tensor<?xf32>) {
  // expected-error @below {{'tp.manual' op operand #0: unsupported: dynamic dim in 'tensor<?xf32>'}}
  tp.manual (%x) in [#rows] out [] {
  ^bb0(%a: tensor<?xf32>):
    tp.yield
  } : (tensor<?xf32>) -> ()
  return
}

// -----

#rows = #tp.placement<@mesh, [ep: S(0)]>
// expected-note @below {{mesh '@mesh' is declared here}}
tp.mesh @mesh ["tp" = 2]
func.func @unknown_axis(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.manual' op operand #0: expected an axis of mesh '@mesh' (tp=2), got axis "ep"}}
  tp.manual (%x) in [#rows] out [] {
  ^bb0(%a: tensor<4xf32>):
    tp.yield
  } : (tensor<4xf32>) -> ()
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @result_shard_dim_out_of_range(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.manual' op result #0: expected a shard dim below 0 for axis "tp", got 0}}
  %0 = tp.manual (%x) in [#rows] out [#rows] {
  ^bb0(%a: tensor<2xf32>):
    %c = tensor.empty() : tensor<f32>
    tp.yield %c : tensor<f32>
  } : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @too_few_values(%x: tensor<4xf32>) {
  // expected-note @below {{results are declared here}}
  %0 = tp.manual (%x) in [#rows] out [#rows] {
  ^bb0(%a: tensor<2xf32>):
    // expected-error @below {{'tp.yield' op expected one value per result of 'tp.manual', got 0 for 1}}
    tp.yield
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @yield_of_the_wrong_type(%x: tensor<4xf32>) {
  // expected-note @below {{result is placed [tp: S(0)] here}}
  %0 = tp.manual (%x) in [#rows] out [#rows] {
  ^bb0(%a: tensor<2xf32>):
    %c = tensor.empty() : tensor<4xf32>
    // expected-error @below {{'tp.yield' op value #0: expected the local type 'tensor<2xf32>', got 'tensor<4xf32>'}}
    tp.yield %c : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
