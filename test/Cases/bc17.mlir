// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_to_all[r]:96' --backward 'all_to_all[r]:96'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc17.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc17.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reshape that does not keep the sharded dim (reported: pytorch/pytorch#179502): columns become rows first, then each
// rank's 3 rows of 8 are its 4 rows of 6. Relabelled without moving, the first row would be 0, 1, 8.
tp.mesh @mesh ["r" = 4]
func.func @reshape(%x: tensor<12x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(1)]>})
    -> (tensor<16x6xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: S(0)]>}) {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<12x8xf32> into tensor<96xf32>
  %y = tensor.expand_shape %flat [[0, 1]] output_shape [16, 6] : tensor<96xf32> into tensor<16x6xf32>
  return %y : tensor<16x6xf32>
}
