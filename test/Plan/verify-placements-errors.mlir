// Hand-written placed programs that do not mean what they say: one error on the operation, a note at both values.
// RUN: tpc-opt %s --split-input-file --tp-verify-placements --verify-diagnostics -o /dev/null

#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 2]
// expected-note @+1 {{operand #0 is placed [tp: P(sum)] here}}
func.func @partial_into_a_nonlinear_operation(%x: tensor<4xf32, #sum>) -> tensor<4xf32, #tp.placement<@mesh, []>> {
  %empty = tensor.empty() : tensor<4xf32, #tp.placement<@mesh, []>>
  // expected-error @+2 {{axis "tp": the operation is not linear in operand #0, which is P(sum)}}
  // expected-note @+1 {{result #0 is placed [] here}}
  %y = linalg.exp ins(%x : tensor<4xf32, #sum>) outs(%empty : tensor<4xf32, #tp.placement<@mesh, []>>) -> tensor<4xf32, #tp.placement<@mesh, []>>
  return %y : tensor<4xf32, #tp.placement<@mesh, []>>
}

// -----

#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 2]
// expected-note @+2 {{operand #0 is placed [tp: P(sum)] here}}
// expected-note @+1 {{operand #1 is placed [tp: P(sum)] here}}
func.func @partial_times_partial(%x: tensor<4xf32, #sum>, %y: tensor<4xf32, #sum>) -> tensor<4xf32, #sum> {
  %empty = tensor.empty() : tensor<4xf32, #sum>
  // expected-error @+1 {{axis "tp": operand #0 is P(sum), expected the result to be partial and the operands that are not jointly linear with it replicated, got P(sum), P(sum), P(sum), P(sum)}}
  %z = linalg.mul ins(%x, %y : tensor<4xf32, #sum>, tensor<4xf32, #sum>) outs(%empty : tensor<4xf32, #sum>) -> tensor<4xf32, #sum>
  return %z : tensor<4xf32, #sum>
}

// -----

#sum = #tp.placement<@mesh, [tp: P(sum)]>
#rep = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
// expected-note @+2 {{operand #0 is placed [tp: P(sum)] here}}
// expected-note @+1 {{operand #1 is placed [] here}}
func.func @replicated_addend_on_a_partial_sum(%x: tensor<4xf32, #sum>, %y: tensor<4xf32, #rep>) -> tensor<4xf32, #sum> {
  %empty = tensor.empty() : tensor<4xf32, #sum>
  // expected-error @+1 {{axis "tp": operand #0 is P(sum), expected the result to be partial and the operands that are not jointly linear with it replicated, got P(sum), R, P(sum), P(sum)}}
  %z = linalg.add ins(%x, %y : tensor<4xf32, #sum>, tensor<4xf32, #rep>) outs(%empty : tensor<4xf32, #sum>) -> tensor<4xf32, #sum>
  return %z : tensor<4xf32, #sum>
}

// -----

#sum = #tp.placement<@mesh, [tp: P(sum)]>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
tp.mesh @mesh ["tp" = 2]
func.func @init_that_every_rank_counts(%x: tensor<4x4xf32, #columns>, %w: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #sum> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32, #sum>
  // expected-error @+1 {{axis "tp": this value is not neutral for sum, so every rank of a partial would count it once}}
  %init = linalg.fill ins(%one : f32) outs(%empty : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  // expected-note @+1 {{it is used here; begin with the neutral element and add the value behind the reduction}}
  %y = linalg.matmul ins(%x, %w : tensor<4x4xf32, #columns>, tensor<4x4xf32, #rows>) outs(%init : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  return %y : tensor<4x4xf32, #sum>
}

// -----

#rep = #tp.placement<@mesh, []>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
tp.mesh @mesh ["tp" = 2]
// expected-note @+2 {{operand #0 is placed [tp: S(1)] here}}
// expected-note @+1 {{operand #1 is placed [tp: S(0)] here}}
func.func @contraction_over_a_shard_without_a_partial(%x: tensor<4x4xf32, #columns>, %w: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rep> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32, #rep>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32, #rep>) -> tensor<4x4xf32, #rep>
  // expected-error @+1 {{axis "tp": expected placements that share one dim of the operation, got S(1), S(0), R, R}}
  %y = linalg.matmul ins(%x, %w : tensor<4x4xf32, #columns>, tensor<4x4xf32, #rows>) outs(%init : tensor<4x4xf32, #rep>) -> tensor<4x4xf32, #rep>
  return %y : tensor<4x4xf32, #rep>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @tensor_without_a_placement(%x: tensor<4xf32, #rows>) -> tensor<4xf32, #rows> {
  // expected-error @+1 {{expected a placement on every tensor, got 'tensor<4xf32>'}}
  %empty = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{expected a placement on every tensor, got 'tensor<4xf32>'}}
  %y = linalg.exp ins(%x : tensor<4xf32, #rows>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %z = tensor.empty() : tensor<4xf32, #rows>
  return %z : tensor<4xf32, #rows>
}

// -----

#one = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
#other = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>
tp.mesh @mesh ["tp" = 2, "dp" = 2]
// expected-note @+1 {{operand #0 is placed [tp: S(0), dp: S(0)] here}}
func.func @another_nesting(%x: tensor<4xf32, #one>) -> tensor<4xf32, #other> {
  %empty = tensor.empty() : tensor<4xf32, #other>
  // expected-note @+2 {{result #0 is placed [dp: S(0), tp: S(0)] here}}
  // expected-error @+1 {{expected one nesting of the axes in all operands and results, and even shards of reshaped dims}}
  %y = linalg.exp ins(%x : tensor<4xf32, #one>) outs(%empty : tensor<4xf32, #other>) -> tensor<4xf32, #other>
  return %y : tensor<4xf32, #other>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 2]
// Bodies of loops and branches are looked at too, and a condition is one for all ranks.
// expected-note @+1 {{operand #0 is placed [tp: S(0)] here}}
func.func @inside_of_loops_and_branches(%x: tensor<4xf32, #sum>, %flags: tensor<4xi1, #rows>) -> tensor<4xf32, #sum> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{axis "tp": expected placements that share one dim of the operation, got S(0)}}
  %flag = tensor.extract %flags[%c0] : tensor<4xi1, #rows>
  // expected-note @+1 {{operand #0 is placed [tp: P(sum)] here}}
  %y = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> (tensor<4xf32, #sum>) {
    %z = scf.if %flag -> (tensor<4xf32, #sum>) {
      %empty = tensor.empty() : tensor<4xf32, #sum>
      // expected-note @+2 {{result #0 is placed [tp: P(sum)] here}}
      // expected-error @+1 {{axis "tp": the operation is not linear in operand #0, which is P(sum)}}
      %e = linalg.exp ins(%a : tensor<4xf32, #sum>) outs(%empty : tensor<4xf32, #sum>) -> tensor<4xf32, #sum>
      scf.yield %e : tensor<4xf32, #sum>
    } else {
      scf.yield %a : tensor<4xf32, #sum>
    }
    scf.yield %z : tensor<4xf32, #sum>
  }
  return %y : tensor<4xf32, #sum>
}

// -----

// Every rank has its rows, or every rank has the sum: neither is a partial.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 2]
func.func @partial_that_nothing_makes(
    %x: tensor<4xf32, #rows>, // expected-note {{operand #0 is placed [tp: S(0)] here}}
    %y: tensor<4xf32, #all>) -> (tensor<4xf32, #sum>, tensor<4xf32, #sum>) { // expected-note {{operand #0 is placed [] here}}
  %empty = tensor.empty() : tensor<4xf32, #sum>
  // expected-error @+2 {{axis "tp": result #0 is P(sum), expected a partial operand or a reduction over a shard, got S(0), P(sum), P(sum)}}
  // expected-note @+1 {{result #0 is placed [tp: P(sum)] here}}
  %0 = linalg.negf ins(%x : tensor<4xf32, #rows>) outs(%empty : tensor<4xf32, #sum>) -> tensor<4xf32, #sum>
  // expected-error @+2 {{axis "tp": result #0 is P(sum), expected a partial operand or a reduction over a shard, got R, P(sum), P(sum)}}
  // expected-note @+1 {{result #0 is placed [tp: P(sum)] here}}
  %1 = linalg.negf ins(%y : tensor<4xf32, #all>) outs(%empty : tensor<4xf32, #sum>) -> tensor<4xf32, #sum>
  return %0, %1 : tensor<4xf32, #sum>, tensor<4xf32, #sum>
}

// -----

// The accumulator of a reduction over a shard is a part of the sum like any other.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @bias_as_the_accumulator_of_a_partial(
    %x: tensor<4x4xf32, #columns>, // expected-note {{operand #0 is placed [tp: S(1)] here}}
    %w: tensor<4x4xf32, #rows>, // expected-note {{operand #1 is placed [tp: S(0)] here}}
    %bias: tensor<4x4xf32, #all>) -> tensor<4x4xf32, #all> {
  // expected-error @+1 {{axis "tp": expected placements that share one dim of the operation, got S(1), S(0), R, R}}
  %y = linalg.matmul ins(%x, %w : tensor<4x4xf32, #columns>, tensor<4x4xf32, #rows>) outs(%bias : tensor<4x4xf32, #all>) -> tensor<4x4xf32, #all>
  return %y : tensor<4x4xf32, #all>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @operation_that_no_rule_is_about(%x: tensor<4xf32, #rows>) -> tensor<4xf32, #rows> {
  // expected-error @+1 {{unsupported: no sharding rule for 'arith.addf', so nothing says what it means placed}}
  %y = arith.addf %x, %x : tensor<4xf32, #rows>
  return %y : tensor<4xf32, #rows>
}

// -----

// expected-error @+1 {{expected one tp.mesh in the module}}
module {
}
