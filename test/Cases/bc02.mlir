// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:96' --backward none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc02.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc02.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row-parallel matmul with a replicated bias (reported: pytorch/torchtitan#2106). The bias counts once, its
// gradient is not divided by the number of ranks, and the other gradients are not multiplied by it.
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
tp.mesh @mesh ["tp" = 2]
func.func @row_parallel_matmul_with_bias(
    %x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
    %w: tensor<8x6xf32> {tp.name = "w", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
    %b: tensor<6xf32> {tp.name = "b", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, []>})
    -> (tensor<4x6xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%init : tensor<4x6xf32>) -> tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%z, %b : tensor<4x6xf32>, tensor<6xf32>) outs(%empty : tensor<4x6xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %0 = arith.addf %in, %bias : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
