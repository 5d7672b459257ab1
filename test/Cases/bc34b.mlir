// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'send_recv[r]:8' --backward 'all_reduce[r]:12 send_recv[r]:8'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc34.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc34.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution of three taps with input and result sharded (reported: jax-ml/jax#7923): a rank fetches one element of
// each neighbour.
tp.mesh @mesh ["r" = 4]
func.func @taps(
    %x: tensor<8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>},
    %k: tensor<3xf32> {tp.name = "k", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, []>})
    -> (tensor<8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<10xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.conv_1d ins(%padded, %k : tensor<10xf32>, tensor<3xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
