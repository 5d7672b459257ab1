// Loops run iteration by iteration and branches by the condition, which all ranks agree on; a fault in a loop names the
// iteration.
// RUN: tpc-opt %s --split-input-file --tp-simulate --tp-simulate=values=reals --verify-diagnostics -o /dev/null

// A sum of partials is carried, and reduced behind the loop.
#rows = #tp.placement<@mesh, [tp: S(1)]>
#slice = #tp.placement<@mesh, [tp: S(0)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
#lhs = affine_map<(i, j, k) -> (k, i)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
tp.mesh @mesh ["tp" = 2]
// expected-remark @+1 {{simulated @carried_partial on 2 ranks: 5 operations agree}}
func.func @carried_partial(%xs: tensor<3x5x2xf32, #rows>) -> tensor<2x2xf32, #all> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %empty = tensor.empty() : tensor<2x2xf32, #sum>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32, #sum>) -> tensor<2x2xf32, #sum>
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%g = %init) -> (tensor<2x2xf32, #sum>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 5, 2] [1, 1, 1] : tensor<3x5x2xf32, #rows> to tensor<5x2xf32, #slice>
    %next = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %x : tensor<5x2xf32, #slice>, tensor<5x2xf32, #slice>) outs(%g : tensor<2x2xf32, #sum>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %acc, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x2xf32, #sum>
    scf.yield %next : tensor<2x2xf32, #sum>
  }
  %y = tp.all_reduce %sum over ["tp"] by "sum" : (tensor<2x2xf32, #sum>) -> tensor<2x2xf32, #all>
  return %y : tensor<2x2xf32, #all>
}

// -----

// The condition is an element of a replicated tensor; one branch is never run.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
// expected-remark @+1 {{simulated @branch on 2 ranks: 3 operations agree}}
func.func @branch(%x: tensor<3xf32, #rows>) -> tensor<3xf32, #rows> {
  %yes = arith.constant dense<[false, true]> : tensor<2xi1, #all>
  %c1 = arith.constant 1 : index
  %c = tensor.extract %yes[%c1] : tensor<2xi1, #all>
  %empty = tensor.empty() : tensor<3xf32, #rows>
  %y = scf.if %c -> (tensor<3xf32, #rows>) {
    %0 = linalg.negf ins(%x : tensor<3xf32, #rows>) outs(%empty : tensor<3xf32, #rows>) -> tensor<3xf32, #rows>
    scf.yield %0 : tensor<3xf32, #rows>
  } else {
    %0 = linalg.exp ins(%x : tensor<3xf32, #rows>) outs(%empty : tensor<3xf32, #rows>) -> tensor<3xf32, #rows>
    scf.yield %0 : tensor<3xf32, #rows>
  }
  return %y : tensor<3xf32, #rows>
}

// -----

// x and then its square: the carried value is one at first.
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
#id = affine_map<(i) -> (i)>
tp.mesh @mesh ["tp" = 2]
func.func @fault_in_the_second_iteration(%zeros: tensor<1xf32, #sum>) -> tensor<1xf32, #sum> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %init = tensor.splat %zero : tensor<1xf32, #sum>
  // expected-note @+2 {{in iteration 1 of this loop}}
  // expected-note @+1 {{operand #0 is placed [tp: P(sum)] and agrees}}
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %init) -> (tensor<1xf32, #sum>) {
    %empty = tensor.empty() : tensor<1xf32, #sum> // expected-note {{operand #1 is placed [tp: P(sum)] and agrees}}
    // expected-error @+1 {{result #0: placed [tp: P(sum)], differs from the global program at element [0]: expected 1, got 2, joined of 1 on rank 0 and 1 on rank 1}}
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v : tensor<1xf32, #sum>) outs(%empty : tensor<1xf32, #sum>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.index_cast %i : index to i32
      %1 = arith.sitofp %0 : i32 to f32
      %2 = arith.addf %in, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<1xf32, #sum>
    scf.yield %next : tensor<1xf32, #sum>
  }
  return %y : tensor<1xf32, #sum>
}
