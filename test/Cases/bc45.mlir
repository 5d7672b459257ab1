// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[r]:8' --backward none --max 4
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc45.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc45.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of a summed loss with respect to a replicated scalar (reported: jax-ml/jax#3970): 2 on both
// ranks, not 0 on one and 4 on the other.
// Two all-reduces of 4 bytes were thought least, 8 bytes received. Gathering d (8 bytes) is one collective, 4 received.
#element = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
tp.mesh @mesh ["r" = 2]
func.func @scaled_sum(
    %w: tensor<f32> {tp.name = "w", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, []>},
    %d: tensor<2xf32> {tp.name = "d", tp.placement = #tp.placement<@mesh, [r: S(0)]>})
    -> (tensor<f32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %empty1 = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %terms = linalg.generic {indexing_maps = [#scalar, #element, #element], iterator_types = ["parallel"]}
      ins(%w, %d : tensor<f32>, tensor<2xf32>) outs(%empty1 : tensor<2xf32>) {
  ^bb0(%weight: f32, %in: f32, %out: f32):
    %0 = arith.mulf %weight, %weight : f32
    %1 = arith.addf %0, %one : f32
    %2 = arith.mulf %1, %in : f32
    linalg.yield %2 : f32
  } -> tensor<2xf32>
  %y = linalg.generic {indexing_maps = [#element, #scalar], iterator_types = ["reduction"]}
      ins(%terms : tensor<2xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
