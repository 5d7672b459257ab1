// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[r]:6144' --backward none --uneven
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc16.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc16.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Six rows over four ranks (2, 2, 2, 0), flattened for all ranks (reported: pytorch/pytorch#143372): one gather.
tp.mesh @mesh ["r" = 4]
func.func @flatten(%x: tensor<6x256xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>})
    -> (tensor<1536xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<6x256xf32> into tensor<1536xf32>
  return %y : tensor<1536xf32>
}
