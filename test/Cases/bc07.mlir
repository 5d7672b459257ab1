// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[r]:16*2' --forward 'all_gather[r]:64' --backward none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc07.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc07.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The maximum of sharded rows and where it is (reported: pytorch/pytorch#168940): indices are global, of equal elements
// the first wins, and the cotangent of a maximum goes to it alone. Gathering rows so short moves as much as joining the
// values and then the candidates.
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
tp.mesh @mesh ["r" = 2]
func.func @max_with_index(%x: tensor<4x4xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(1)]>})
    -> (tensor<4xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>},
        tensor<4xi32> {tp.name = "idx", tp.placement = #tp.placement<@mesh, []>}) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%least : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.empty() : tensor<4xi32>
  %3 = linalg.fill ins(%zero : i32) outs(%2 : tensor<4xi32>) -> tensor<4xi32>
  %y:2 = linalg.generic {indexing_maps = [#map, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x4xf32>) outs(%1, %3 : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %value: f32, %place: i32):
    %4 = linalg.index 1 : index
    %5 = arith.index_cast %4 : index to i32
    %6 = arith.maximumf %in, %value : f32
    %7 = arith.cmpf ogt, %in, %value : f32
    %8 = arith.select %7, %5, %place : i32
    linalg.yield %6, %8 : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xi32>
}
