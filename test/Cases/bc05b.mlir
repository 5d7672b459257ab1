// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[r]:8' --forward 'reduce_scatter[r]:8 all_reduce[r]:4' --backward none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc05b.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc05b.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As bc05, with the summands of the report on the ranks, [1, 3] and [2, 1]: the sum of their norms would be 5.398 and not
// the 5 of the norm of their sum.
#element = affine_map<(d0) -> (d0)>
#scalar1 = affine_map<(d0) -> ()>
#scalar = affine_map<() -> ()>
#rows = affine_map<(d0, d1) -> (d1, d0)>
#columns = affine_map<(d0, d1) -> (d0)>
tp.mesh @mesh ["r" = 2]
func.func @norm_of_sum(%pieces: tensor<2x2xf32> {tp.name = "pieces", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>})
    -> (tensor<f32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %nothing = arith.constant 0.0 : f32
  %columns = tensor.empty() : tensor<2xf32>
  %start = linalg.fill ins(%nothing : f32) outs(%columns : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #columns], iterator_types = ["parallel", "reduction"]}
      ins(%pieces : tensor<2x2xf32>) outs(%start : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  %v = tp.constrain %sum to <@mesh, [r: P(sum)]> : tensor<2xf32>
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
