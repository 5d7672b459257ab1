// RUN: tpc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifier of windows refuses: [W1], [W2], [W3] and types.
#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @offset_beyond_the_source(%x: tensor<8xf32, #rows>) -> tensor<4xf32, #rows> {
  // expected-error @below {{dim 0: expected an offset from -4 to 8, got 9}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 9>] : (tensor<8xf32, #rows>) -> tensor<4xf32, #rows>
  return %0 : tensor<4xf32, #rows>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @blocks_that_do_not_divide(%x: tensor<8xf32, #rows>) -> tensor<16xf32, #rows> {
  // expected-error @below {{dim 0: expected blocks that divide the 16 elements, got blocks of 5 at steps of 2}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 0>] blocks [array<i64: 5, 2>] : (tensor<8xf32, #rows>) -> tensor<16xf32, #rows>
  return %0 : tensor<16xf32, #rows>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 4]
func.func @a_partial_is_not_joined(%x: tensor<8xf32, #sum>) -> tensor<4xf32, #rows> {
  // expected-error @below {{axis "tp": expected a shard or a sum to become partial, and a partial to stay, got [tp: P(sum)] and [tp: S(0)]}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 0>] : (tensor<8xf32, #sum>) -> tensor<4xf32, #rows>
  return %0 : tensor<4xf32, #rows>
}

// -----

#rows = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @an_outer_split_stays(%x: tensor<8xf32, #rows>) -> tensor<4xf32, #sum> {
  // expected-error @below {{dim 0: expected every axis that shards it to be partial in the result where one is, got [dp: S(0), tp: S(0)] and [tp: P(sum)]}}
  %0 = tp.window %x over ["dp", "tp"] offsets [array<i64: 0>] : (tensor<8xf32, #rows>) -> tensor<4xf32, #sum>
  return %0 : tensor<4xf32, #sum>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @axes_that_move_nothing(%x: tensor<8x4xf32, #rows>) -> tensor<8x3xf32, #rows> {
  // expected-error @below {{expected the axes [] along which [tp: S(0)] and [tp: S(0)] shard dims that move, got [tp]}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 0, 1>] : (tensor<8x4xf32, #rows>) -> tensor<8x3xf32, #rows>
  return %0 : tensor<8x3xf32, #rows>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @too_few_offsets(%x: tensor<8x4xf32, #rows>) -> tensor<7x4xf32, #rows> {
  // expected-error @below {{expected an offset per dim (and a block and a step), got 1 offsets for 2 dims}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 1>] : (tensor<8x4xf32, #rows>) -> tensor<7x4xf32, #rows>
  return %0 : tensor<7x4xf32, #rows>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @no_offsets(%x: tensor<8xf32, #rows>) -> tensor<7xf32, #rows> {
  // expected-error @below {{expected one array of offsets per operand, got 0 for 1}}
  %0 = tp.window %x over ["tp"] offsets [] : (tensor<8xf32, #rows>) -> tensor<7xf32, #rows>
  return %0 : tensor<7xf32, #rows>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @another_element_type(%x: tensor<8xf32, #rows>) -> tensor<7xf64, #rows> {
  // expected-error @below {{expected the element type to stay, got 'f32' and 'f64'}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 1>] : (tensor<8xf32, #rows>) -> tensor<7xf64, #rows>
  return %0 : tensor<7xf64, #rows>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
tp.mesh @mesh ["tp" = 4]
func.func @joined_along_a_minor_dim(%x: tensor<6x4xf32, #columns>) -> tensor<24xf32, #rows> {
  // expected-error @below {{expected dims that are joined or split, sharded along their major ones, got [tp: S(1)] and [tp: S(0)]}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 0>] : (tensor<6x4xf32, #columns>) -> tensor<24xf32, #rows>
  return %0 : tensor<24xf32, #rows>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @no_placement(%x: tensor<8xf32>) -> tensor<7xf32> {
  // expected-error @below {{expected a placement in both types or 'parts', got 'tensor<8xf32>' and 'tensor<7xf32>'}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 1>] : (tensor<8xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @wrong_local_types(%x: tensor<8xf32>) -> tensor<2xf32> {
  // expected-error @below {{expected local types 'tensor<2xf32>' and 'tensor<2xf32>', got 'tensor<8xf32>' and 'tensor<2xf32>'}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 1>] parts [#tp.part<tensor<8xf32>, #rows, #rows, tensor<7xf32>>] : (tensor<8xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 4]
func.func @a_dynamic_dim(%x: tensor<?xf32, #rows>) -> tensor<7xf32, #rows> {
  // expected-error @below {{unsupported: dynamic dim in 'tensor<?xf32>'}}
  %0 = tp.window %x over ["tp"] offsets [array<i64: 1>] : (tensor<?xf32, #rows>) -> tensor<7xf32, #rows>
  return %0 : tensor<7xf32, #rows>
}
