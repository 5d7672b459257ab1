// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:96' --backward none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc04.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc04.expected.safetensors %t.out.safetensors
// RUN: sed 's/"tp" = 2/"tp" = 4/' %s > %t.four.mlir
// RUN: tpc-compile %t.four.mlir --objective=bytes --report=json -o %t.four.so > %t.four.json
// RUN: %python %numeric/check_report.py %t.four.json --forward 'all_reduce[tp]:96' --backward none
// RUN: tpc-run %t.four.so -n 4 --inputs %S/Inputs/bc04.inputs.safetensors --outputs %t.four.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc04.expected.safetensors %t.four.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linalg.matmul whose outs init is not zero, with the contraction dim sharded (reported: llvm/llvm-
// project#82284): the init counts once, on 2 and on 4 ranks.
tp.mesh @mesh ["tp" = 2]
func.func @matmul_with_init(
    %x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
    %w: tensor<8x6xf32> {tp.name = "w", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
    %c0: tensor<4x6xf32> {tp.name = "c0", tp.grad, tp.placement = #tp.placement<@mesh, []>})
    -> (tensor<4x6xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c0 : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
