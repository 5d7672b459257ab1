// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'send_recv[x,y]:32' --forward 'all_to_all[x]:32 all_gather[y]:64'
// RUN: tpc-run %t.so -n 8 --inputs %S/Inputs/bc37.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc37.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product wanted with its dims on the other axes (reported: openxla/xla#4062): its blocks are exchanged, 32 bytes into a
// rank. Nothing gathers an operand, and every rank multiplies 2x16 by 16x4.
tp.mesh @mesh ["x" = 4, "y" = 2]
func.func @transposed_grid(
    %a: tensor<8x16xf32> {tp.name = "a", tp.grad, tp.placement = #tp.placement<@mesh, [x: S(0)]>},
    %b: tensor<16x8xf32> {tp.name = "b", tp.grad, tp.placement = #tp.placement<@mesh, [y: S(1)]>})
    -> (tensor<8x8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [y: S(0), x: S(1)]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
