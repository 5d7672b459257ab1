// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[dp]:64 all_reduce[tp]:32' --backward 'reduce_scatter[dp]:64'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc20.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc20.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A weight sharded over tp and then, on the same dim, over dp (reported: pytorch/pytorch#129206): gathering over dp gives
// the rows that tp holds, and the contraction goes on in rows. In the order of the mesh two blocks of rows would be swapped.
tp.mesh @mesh ["dp" = 2, "tp" = 2]
func.func @row_parallel(
    %x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(1)]>},
    %w: tensor<8x4xf32> {tp.name = "w", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>})
    -> (tensor<4x4xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
