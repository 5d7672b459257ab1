// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward none --backward 'all_reduce[a,b]:12'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc36.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc36.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matmul whose two leading dims are sharded over two axes (reported: pytorch/pytorch#167106): nothing is
// gathered, and the replicated operand's gradient is one sum over both axes.
#v = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#s = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#y = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
tp.mesh @mesh ["a" = 2, "b" = 2]
func.func @matmul_with_two_batch_dims(
    %v: tensor<2x2x3xf32> {tp.name = "v", tp.grad, tp.placement = #tp.placement<@mesh, [a: S(0), b: S(1)]>},
    %s: tensor<3x1xf32> {tp.name = "s", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, []>})
    -> (tensor<2x2x1xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [a: S(0), b: S(1)]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x2x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
  %y = linalg.generic {indexing_maps = [#v, #s, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v, %s : tensor<2x2x3xf32>, tensor<3x1xf32>) outs(%init : tensor<2x2x1xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x1xf32>
  return %y : tensor<2x2x1xf32>
}
