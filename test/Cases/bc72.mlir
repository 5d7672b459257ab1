// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[r]:24' --backward none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc72.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc72.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three columns of a matrix whose columns are sharded (reported: pytorch/pytorch#179136): what moves is the result, not
// the matrix.
#map = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["r" = 2]
func.func @select(%x: tensor<2x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [r: S(1)]>})
    -> (tensor<2x3xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %columns = arith.constant dense<[1, 3, 5]> : tensor<3xi32>
  %empty = tensor.empty() : tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [#map, #out], iterator_types = ["parallel", "parallel"]}
      ins(%columns : tensor<3xi32>) outs(%empty : tensor<2x3xf32>) {
  ^bb0(%in: i32, %out: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %in : i32 to index
    %2 = tensor.extract %x[%0, %1] : tensor<2x8xf32>
    linalg.yield %2 : f32
  } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
