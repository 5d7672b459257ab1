// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward-max 112
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc69.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc69.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of paddings, concatenations and slices whose pieces line up with the shards (reported: jax-ml/jax#39100):
// y = (x + 1) * the inner elements of z, and no more moves than z and x gathered once.
tp.mesh @mesh ["r" = 4]
func.func @pieces(
    %x: tensor<8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>},
    %z: tensor<20xf32> {tp.name = "z", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>})
    -> (tensor<8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %as0 = tensor.extract_slice %x[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %ap0 = tensor.pad %as0 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %as1 = tensor.extract_slice %x[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %ap1 = tensor.pad %as1 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %as2 = tensor.extract_slice %x[4] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %ap2 = tensor.pad %as2 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %as3 = tensor.extract_slice %x[6] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %ap3 = tensor.pad %as3 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %a = tensor.concat dim(0) %ap0, %ap1, %ap2, %ap3 : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<20xf32>
  %m_empty = tensor.empty() : tensor<20xf32>
  %m = linalg.mul ins(%a, %z : tensor<20xf32>, tensor<20xf32>) outs(%m_empty : tensor<20xf32>) -> tensor<20xf32>
  %bs0 = tensor.extract_slice %m[1] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %bs1 = tensor.extract_slice %m[6] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %bs2 = tensor.extract_slice %m[11] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %bs3 = tensor.extract_slice %m[16] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %b = tensor.concat dim(0) %bs0, %bs1, %bs2, %bs3 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<8xf32>
  %cs0 = tensor.extract_slice %z[1] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %cs1 = tensor.extract_slice %z[6] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %cs2 = tensor.extract_slice %z[11] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %cs3 = tensor.extract_slice %z[16] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %c = tensor.concat dim(0) %cs0, %cs1, %cs2, %cs3 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<8xf32>
  %ds0 = tensor.extract_slice %c[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %dp0 = tensor.pad %ds0 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %ds1 = tensor.extract_slice %c[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %dp1 = tensor.pad %ds1 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %ds2 = tensor.extract_slice %c[4] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %dp2 = tensor.pad %ds2 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %ds3 = tensor.extract_slice %c[6] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %dp3 = tensor.pad %ds3 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %d = tensor.concat dim(0) %dp0, %dp1, %dp2, %dp3 : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<20xf32>
  %es0 = tensor.extract_slice %d[1] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %es1 = tensor.extract_slice %d[6] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %es2 = tensor.extract_slice %d[11] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %es3 = tensor.extract_slice %d[16] [2] [1] : tensor<20xf32> to tensor<2xf32>
  %e = tensor.concat dim(0) %es0, %es1, %es2, %es3 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<8xf32>
  %y_empty = tensor.empty() : tensor<8xf32>
  %y = linalg.add ins(%b, %e : tensor<8xf32>, tensor<8xf32>) outs(%y_empty : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
