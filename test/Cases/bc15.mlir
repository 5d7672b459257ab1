// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[r]:200' --forward 'all_gather[r]:320' --backward none --uneven
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc15.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc15.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Five rows over four ranks (2, 2, 1, 0), gathered back (reported: pytorch/pytorch#103306): five rows, not
// eight. The gathered bytes are 200, or 320 with padding.
#map = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["r" = 4]
func.func @twice(%x: tensor<5x10xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>})
    -> (tensor<5x10xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %two = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<5x10xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x10xf32>) outs(%empty : tensor<5x10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %two : f32
    linalg.yield %0 : f32
  } -> tensor<5x10xf32>
  return %y : tensor<5x10xf32>
}
