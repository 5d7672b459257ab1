// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[r]:16' --backward 'reduce_scatter[r]:16' --backward 'all_reduce[r]:16' --uneven
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc22.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc22.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One row, on the first of four ranks, broadcast to a row each (reported: pytorch/pytorch#163320): the row must reach all
// ranks, and its gradient is the sum of theirs, on the first.
#row = affine_map<(d0, d1) -> (0, d1)>
#map = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["r" = 4]
func.func @broadcast_row(
    %x: tensor<1x4xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>},
    %m: tensor<4x4xf32> {tp.name = "m", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>})
    -> (tensor<4x4xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: S(0)]>}) {
  %empty = tensor.empty() : tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [#row, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<1x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
