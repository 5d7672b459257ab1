// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[X]:4' --backward 'all_reduce[X]:3072'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/jax-reduced-weights.inputs.safetensors --outputs %t.out.safetensors --check
// Elements near zero are sums of terms of up to 40: one bit of those is 4e-6.
// RUN: %python %numeric/check.py --atol 1e-5 --expect %S/Inputs/jax-reduced-weights.expected.safetensors %t.out.safetensors

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop over five microbatches around one over three layers, tanh(x w) each, with the sum of squares as loss; the batch
// is sharded, the stacked weights are replicated. In JAX the gradient is all-reduced in every iteration of both loops
// unless weights are declared "reduced" and the accumulator "unreduced"; then once. Here the planner finds that alone.
// (At 8 rows as there, gathering the batch moves fewer bytes, 1920, than the all-reduce; hence 32.)
#act = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>
tp.mesh @mesh ["X" = 4]
func.func @step(
    %ws: tensor<3x16x16xf32> {tp.name = "ws", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, []>},
    %xs: tensor<5x32x16xf32> {tp.name = "xs", tp.placement = #tp.placement<@mesh, [X: S(1)]>})
    -> (tensor<f32> {tp.name = "loss", tp.placement = #tp.placement<@mesh, []>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %empty_x = tensor.empty() : tensor<32x16xf32>
  %init_x = linalg.fill ins(%zero : f32) outs(%empty_x : tensor<32x16xf32>) -> tensor<32x16xf32>
  %loss = scf.for %b = %c0 to %c5 step %c1 iter_args(%sum = %init) -> (tensor<f32>) {
    %x0 = tensor.extract_slice %xs[%b, 0, 0] [1, 32, 16] [1, 1, 1] : tensor<5x32x16xf32> to tensor<32x16xf32>
    %y = scf.for %l = %c0 to %c3 step %c1 iter_args(%x = %x0) -> (tensor<32x16xf32>) {
      %w = tensor.extract_slice %ws[%l, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<3x16x16xf32> to tensor<16x16xf32>
      %h = linalg.matmul ins(%x, %w : tensor<32x16xf32>, tensor<16x16xf32>) outs(%init_x : tensor<32x16xf32>) -> tensor<32x16xf32>
      %t = linalg.generic {indexing_maps = [#act, #act], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<32x16xf32>) outs(%empty_x : tensor<32x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %0 = math.tanh %in : f32
        linalg.yield %0 : f32
      } -> tensor<32x16xf32>
      scf.yield %t : tensor<32x16xf32>
    }
    %squares = linalg.generic {indexing_maps = [#act, #all], iterator_types = ["reduction", "reduction"]} ins(%y : tensor<32x16xf32>) outs(%init : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %in : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<f32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []} ins(%sum, %squares : tensor<f32>, tensor<f32>) outs(%empty : tensor<f32>) {
    ^bb0(%l: f32, %r: f32, %out: f32):
      %0 = arith.addf %l, %r : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return %loss : tensor<f32>
}
