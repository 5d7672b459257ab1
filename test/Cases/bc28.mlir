// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'send_recv[r]:16' --backward 'send_recv[r]:16 all_reduce[r]:4'
// RUN: tpc-run %t.so -n 8 --inputs %S/Inputs/bc28.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc28.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows 1.. of a tensor sharded by rows, and a new last row (reported: jax-ml/jax#18434): every rank fetches one row of
// its neighbour, and gives one back for the gradient; the new row's gradient is one scalar sum.
tp.mesh @mesh ["r" = 8]
func.func @shift(
    %x: tensor<16x4xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>},
    %v: tensor<f32> {tp.name = "v", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, []>})
    -> (tensor<16x4xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: S(0)]>}) {
  %rows = tensor.extract_slice %x[1, 0] [15, 4] [1, 1] : tensor<16x4xf32> to tensor<15x4xf32>
  %empty = tensor.empty() : tensor<1x4xf32>
  %last = linalg.broadcast ins(%v : tensor<f32>) outs(%empty : tensor<1x4xf32>) dimensions = [0, 1]
  %y = tensor.concat dim(0) %rows, %last : (tensor<15x4xf32>, tensor<1x4xf32>) -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}
