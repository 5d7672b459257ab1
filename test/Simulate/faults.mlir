// Wrong placed programs: the simulation finds the operation at fault, and says which ranks hold what. As behind the
// redistribute stage, no operation may fetch by itself what a rank lacks.
// RUN: tpc-opt %s --split-input-file --tp-simulate=exchange=false --verify-diagnostics -o /dev/null

#sum = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
// expected-note @+2 {{operand #0 is placed [tp: P(sum)] and agrees}}
// expected-note @+1 {{operand #1 is placed [] and agrees}}
func.func @bias_added_on_every_rank_of_a_partial(%x: tensor<4xf32, #sum>, %bias: tensor<4xf32, #all>) -> tensor<4xf32, #all> {
  %empty = tensor.empty() : tensor<4xf32, #sum> // expected-note {{operand #2 is placed [tp: P(sum)] and agrees}}
  // expected-error @+1 {{result #0: placed [tp: P(sum)], differs from the global program at element [0]: expected -3, got -6, joined of -5 on rank 0 and -1 on rank 1}}
  %y = linalg.add ins(%x, %bias : tensor<4xf32, #sum>, tensor<4xf32, #all>) outs(%empty : tensor<4xf32, #sum>) -> tensor<4xf32, #sum>
  %z = tp.redistribute %y : tensor<4xf32, #sum> -> tensor<4xf32, #all>
  return %z : tensor<4xf32, #all>
}

// -----

#columns = #tp.placement<@mesh, [tp: S(1)]>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["dp" = 2, "tp" = 2]
// expected-note @+2 {{operand #0 is placed [tp: S(1)] and agrees}}
// expected-note @+1 {{operand #1 is placed [tp: S(0)] and agrees}}
func.func @reduction_that_is_missing(%x: tensor<2x4xf32, #columns>, %w: tensor<4x2xf32, #rows>) -> tensor<2x2xf32, #all> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.splat %zero : tensor<2x2xf32, #all> // expected-note {{operand #2 is placed [] and agrees}}
  // expected-error @+1 {{result #0: axis "tp": copies differ at element [0, 0]: expected}}
  %y = linalg.matmul ins(%x, %w : tensor<2x4xf32, #columns>, tensor<4x2xf32, #rows>) outs(%init : tensor<2x2xf32, #all>) -> tensor<2x2xf32, #all>
  return %y : tensor<2x2xf32, #all>
}

// -----

#one = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
#other = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>
tp.mesh @mesh ["dp" = 2, "tp" = 2]
func.func @another_nesting(%x: tensor<4xf32, #one>) -> tensor<4xf32, #other> { // expected-note {{operand #0 is placed [tp: S(0), dp: S(0)] and agrees}}
  %empty = tensor.empty() : tensor<4xf32, #other> // expected-note {{operand #1 is placed [dp: S(0), tp: S(0)] and agrees}}
  // expected-error @+1 {{result #0: placed [dp: S(0), tp: S(0)], differs from the global program at element [1]: expected 2, got nothing on rank 1}}
  %y = linalg.abs ins(%x : tensor<4xf32, #one>) outs(%empty : tensor<4xf32, #other>) -> tensor<4xf32, #other>
  return %y : tensor<4xf32, #other>
}

// -----

#all = #tp.placement<@mesh, []>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#id = affine_map<(i) -> (i)>
tp.mesh @mesh ["tp" = 3]
func.func @every_rank_keeps_the_value_of_a_partial(%x: tensor<2xf32, #all>) -> tensor<2xf32, #sum> { // expected-note {{operand #0 is placed [] and agrees}}
  %empty = tensor.empty() : tensor<2xf32, #sum> // expected-note {{operand #1 is placed [tp: P(sum)] and agrees}}
  // expected-error @+1 {{expected -3, got -9, joined of -3 on rank 0, -3 on rank 1 and -3 on rank 2}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32, #all>) outs(%empty : tensor<2xf32, #sum>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2xf32, #sum>
  return %y : tensor<2xf32, #sum>
}

// -----

#all = #tp.placement<@mesh, []>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 2]
func.func @init_that_every_rank_counts() -> tensor<2xf32, #sum> {
  %one = arith.constant 1.0 : f32
  // expected-error @+1 {{result #0: placed [tp: P(sum)], differs from the global program at element [0]: expected 1, got 2, joined of 1 on rank 0 and 1 on rank 1}}
  %init = tensor.splat %one : tensor<2xf32, #sum>
  return %init : tensor<2xf32, #sum>
}

// -----

// 3 rows are 2 and 1; collapsed, 6 elements are 3 and 3.
#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @chunks_that_are_not_chunks_of_the_joined_dim(%x: tensor<3x2xf32, #rows>) -> tensor<6xf32, #rows> { // expected-note {{operand #0 is placed [tp: S(0)] and agrees}}
  // expected-error @+1 {{result #0: placed [tp: S(0)], differs from the global program at element [3]: expected 0, got nothing on rank 1}}
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<3x2xf32, #rows> into tensor<6xf32, #rows>
  return %y : tensor<6xf32, #rows>
}

// -----

// Per-rank code that promises a replicated result and leaves out the all-reduce.
#columns = #tp.placement<@mesh, [tp: S(1)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @manual_region_that_promises_too_much(%x: tensor<2x4xf32, #columns>) -> tensor<2xf32, #all> { // expected-note {{operand #0 is placed [tp: S(1)] and agrees}}
  // expected-error @+1 {{result #0: axis "tp": copies differ at element [0]: expected}}
  %y = tp.manual (%x) in [#columns] out [#all] {
  ^bb0(%lx: tensor<2x2xf32>):
    %zero = arith.constant 0.0 : f32
    %init = tensor.splat %zero : tensor<2xf32>
    %0 = linalg.reduce ins(%lx : tensor<2x2xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
      (%in: f32, %out: f32) {
        %a = arith.addf %in, %out : f32
        linalg.yield %a : f32
      }
    tp.yield %0 : tensor<2xf32>
  } : (tensor<2x4xf32, #columns>) -> tensor<2xf32, #all>
  return %y : tensor<2xf32, #all>
}

// -----

// 5 rows are 3 and 2; of rows 2 to 4 the first rank has one.
#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @slice_that_fetches_a_row(%x: tensor<5x2xi32, #rows>) -> tensor<3x2xi32, #rows> { // expected-note {{operand #0 is placed [tp: S(0)] and agrees}}
  // expected-error @+1 {{differs from the global program at element [1, 0]}}
  %y = tensor.extract_slice %x[2, 0] [3, 2] [1, 1] : tensor<5x2xi32, #rows> to tensor<3x2xi32, #rows>
  return %y : tensor<3x2xi32, #rows>
}

// -----

// A running sum of a shard begins anew on every rank.
#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @scan_along_a_shard(%x: tensor<4xi32, #rows>) -> tensor<4xi32, #rows> { // expected-note {{operand #0 is placed [tp: S(0)] and agrees}}
  // expected-error @+1 {{got nothing on rank 1}}
  %y = tp.cumsum %x dim 0 : tensor<4xi32, #rows>
  return %y : tensor<4xi32, #rows>
}

// -----

// What comes behind the fault is not run, but the next function is.
#all = #tp.placement<@mesh, []>
#max = #tp.placement<@mesh, [tp: P(max)]>
tp.mesh @mesh ["tp" = 2]
func.func @negated_maximum(%x: tensor<4xf32, #max>) -> tensor<4xf32, #max> { // expected-note {{operand #0 is placed [tp: P(max)] and agrees}}
  %empty = tensor.empty() : tensor<4xf32, #max> // expected-note {{operand #1 is placed [tp: P(max)] and agrees}}
  // expected-error @+1 {{result #0: placed [tp: P(max)], differs}}
  %y = linalg.negf ins(%x : tensor<4xf32, #max>) outs(%empty : tensor<4xf32, #max>) -> tensor<4xf32, #max>
  %z = linalg.negf ins(%y : tensor<4xf32, #max>) outs(%empty : tensor<4xf32, #max>) -> tensor<4xf32, #max>
  return %z : tensor<4xf32, #max>
}
// expected-remark @+1 {{simulated @next on 2 ranks: 0 operations agree}}
func.func @next(%x: tensor<4xf32, #max>) -> tensor<4xf32, #max> {
  return %x : tensor<4xf32, #max>
}
