// The constraints of gathers, scatters, scans and maxima.
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

#rows = affine_map<(t, j)[i] -> (i, j)>
func.func @no_index(%e: tensor<8x2xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{expected an index, got none}}
  %0 = tp.gather %e[] maps [#rows] : (tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (i, j)>
func.func @too_few_maps(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{expected 2 maps, one more than indices, got 1}}
  %0 = tp.gather %e[%ids] maps [#rows] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (i, j)>
#t = affine_map<(t, j) -> (t)>
func.func @element_types(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x2xf64> {
  // expected-error @+1 {{expected one element type, got 'f32' and 'f64'}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// -----

#rows = affine_map<(t, j) -> (t, j)>
#t = affine_map<(t, j) -> (t)>
func.func @no_symbol(%e: tensor<8x2xf32>, %ids: tensor<8xi32>) -> tensor<8x2xf32> {
  // expected-error @+1 {{expected a first map with a symbol for each of 1 indices, got affine_map<(d0, d1) -> (d0, d1)>}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<8xi32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (t, j)>
#t = affine_map<(t, j) -> (t)>
func.func @unused_symbol(%e: tensor<8x2xf32>, %ids: tensor<8xi32>) -> tensor<8x2xf32> {
  // expected-error @+1 {{expected index 0 to be a dim of the indexed tensor, got affine_map<(d0, d1)[s0] -> (d0, d1)>}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<8xi32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (i, j)>
#t = affine_map<(t, j)[i] -> (t)>
func.func @symbol_of_index(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{expected a map without symbols for index 0, got affine_map<(d0, d1)[s0] -> (d0)>}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#rows = affine_map<(t)[i] -> (i, t)>
#t = affine_map<(t, j) -> (t)>
func.func @loops(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{expected a map of 2 loops for the indexed tensor, got affine_map<(d0)[s0] -> (s0, d0)>}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (i, j)>
#t = affine_map<(t, j) -> (t, j)>
func.func @dims(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{expected a map to the 1 dims of index 0, got affine_map<(d0, d1) -> (d0, d1)>}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (i, j + 1)>
#t = affine_map<(t, j) -> (t)>
func.func @not_a_loop(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{expected distinct loops and indices as the dims of the indexed tensor, got affine_map<(d0, d1)[s0] -> (s0, d1 + 1)>}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (i, j)>
#t = affine_map<(t, j) -> (t, t)>
func.func @diagonal(%e: tensor<8x2xf32>, %ids: tensor<4x4xi32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{expected distinct loops as the dims of index 0, got affine_map<(d0, d1) -> (d0, d0)>}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<4x4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (i, j)>
#t = affine_map<(t, j) -> (t)>
func.func @extents(%e: tensor<8x2xf32>, %ids: tensor<4xi32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{expected dim 1 of the indexed tensor to have the 3 elements of loop 1, got 2}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

#rows = affine_map<(t, j)[i] -> (i)>
#t = affine_map<(t, j) -> (t)>
func.func @unused_loop(%v: tensor<4x2xf32>, %init: tensor<8xf32>, %ids: tensor<4xi32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected every loop in some map, got none with loop 1}}
  %0 = tp.scatter %v into %init[%ids] maps [#rows, #t] : (tensor<4x2xf32>, tensor<8xf32>, tensor<4xi32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#rows = affine_map<(t)[i] -> (i)>
#t = affine_map<(t) -> (t)>
func.func @init(%v: tensor<4xf32>, %init: tensor<8xf32>, %ids: tensor<4xi32>) -> tensor<9xf32> {
  // expected-error @+1 {{expected an init of the type of the result, got 'tensor<8xf32>' and 'tensor<9xf32>'}}
  %0 = tp.scatter %v into %init[%ids] maps [#rows, #t] : (tensor<4xf32>, tensor<8xf32>, tensor<4xi32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

#rows = affine_map<(t)[i] -> (i)>
#t = affine_map<(t) -> (t)>
func.func @float_index(%e: tensor<8xf32>, %ids: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand #1 must be variadic of statically shaped tensor of 8-bit signless integer or}}
  %0 = tp.gather %e[%ids] maps [#rows, #t] : (tensor<8xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @cumsum_dim(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected a dim of 'tensor<2x3xf32>', got 2}}
  %0 = tp.cumsum %x dim 2 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @argmax_of_nothing(%x: tensor<2x0xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected elements along dim 1, got none}}
  %0, %1 = tp.argmax %x dim 1 : tensor<2x0xf32> -> tensor<2xf32>, tensor<2xi64>
  return %0 : tensor<2xf32>
}

// -----

func.func @argmax_results(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected values of type 'tensor<2xf32>' and indices of their shape, got 'tensor<3xf32>' and 'tensor<3xi64>'}}
  %0, %1 = tp.argmax %x dim 1 : tensor<2x3xf32> -> tensor<3xf32>, tensor<3xi64>
  return %0 : tensor<3xf32>
}
