// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward none --backward none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc01b.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc01b.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As bc01, with the result declared Partial: the ranks' parts add up to 55. Adding the constant on one rank needs no
// collective; adding it after an all-reduce, and leaving the result on one rank, is right too.
#map = affine_map<(d0, d1) -> (d0, d1)>
#scalar2 = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>
tp.mesh @mesh ["r" = 2]
func.func @sum_plus_constant(%x: tensor<10x1xf32> {tp.name = "x", tp.placement = #tp.placement<@mesh, [r: S(0)]>})
    -> (tensor<f32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: P(sum)]>}) {
  %zero = arith.constant 0.0 : f32
  %ten = arith.constant 10.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#map, #scalar2], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<10x1xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
      ins(%s : tensor<f32>) outs(%empty : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %ten : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
