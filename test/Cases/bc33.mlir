// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward none --backward 'all_reduce[r]:128'
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc33.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc33.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A patch embedding with the width sharded (reported: pytorch/pytorch#191926): patches do not cross shards, nothing is
// exchanged but the sum of the kernel's gradient.
tp.mesh @mesh ["r" = 2]
func.func @patches(
    %x: tensor<1x1x4x16xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(3)]>},
    %k: tensor<2x1x4x4xf32> {tp.name = "k", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, []>})
    -> (tensor<1x2x1x4xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: S(3)]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x2x1x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<4> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<1x1x4x16xf32>, tensor<2x1x4x4xf32>) outs(%init : tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32>
  return %y : tensor<1x2x1x4xf32>
}
