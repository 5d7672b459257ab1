// RUN: tpc-compile %s --place dv=R --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[r]:8' --forward 'reduce_scatter[r]:8 all_reduce[r]:4' --backward none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc05.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc05.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The norm of a Partial argument (reported: pytorch/pytorch#159856): squaring is not linear, so the sum is joined first.
// Its gradient is replicated: every summand has the cotangent of the sum. bc05b has summands that differ.
#element = affine_map<(d0) -> (d0)>
#scalar1 = affine_map<(d0) -> ()>
#scalar = affine_map<() -> ()>
tp.mesh @mesh ["r" = 2]
func.func @norm_of_partial(%v: tensor<2xf32> {tp.name = "v", tp.grad, tp.placement = #tp.placement<@mesh, [r: P(sum)]>})
    -> (tensor<f32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %squares = linalg.generic {indexing_maps = [#element, #scalar1], iterator_types = ["reduction"]}
      ins(%v : tensor<2xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
      ins(%squares : tensor<f32>) outs(%empty : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.sqrt %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
