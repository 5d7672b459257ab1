// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[r]:16' --backward 'reduce_scatter[r]:16'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc32.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc32.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values written to places given by run-time indices (reported: pytorch/pytorch#172350): the indices are global, so every
// rank takes the values that fall into its rows.
#at = affine_map<(t)[i, j] -> (i, j)>
#t = affine_map<(t) -> (t)>
tp.mesh @mesh ["r" = 4]
func.func @place(
    %rows: tensor<4xi32> {tp.name = "rows", tp.placement = #tp.placement<@mesh, []>},
    %cols: tensor<4xi32> {tp.name = "cols", tp.placement = #tp.placement<@mesh, []>},
    %v: tensor<4xf32> {tp.name = "v", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>})
    -> (tensor<4x4xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: S(0)]>}) {
  %zeros = arith.constant dense<0.0> : tensor<4x4xf32>
  %y = tp.scatter %v into %zeros[%rows, %cols] maps [#at, #t, #t]
      : (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
