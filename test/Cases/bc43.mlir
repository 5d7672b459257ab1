// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward none --backward none
// RUN: tpc-run %t.so -n 8 --inputs %S/Inputs/bc43.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc43.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An argument that nobody uses or annotates (reported: llvm/llvm-project#106172): nothing moves, and its gradient is zero.
#map = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["a" = 2, "b" = 4]
func.func @unused_argument(
    %x: tensor<8x16xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [a: S(0), b: S(1)]>},
    %u: tensor<3x5xf32> {tp.name = "u", tp.grad})
    -> (tensor<8x16xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [a: S(0), b: S(1)]>}) {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf32>) outs(%empty : tensor<8x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %one, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
