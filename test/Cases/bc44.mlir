// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward none --backward none
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc44.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc44.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every row permuted by its own indices (reported: jax-ml/jax#20381): local where the rows are sharded, backward too.
#map = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["dp" = 4]
func.func @shuffle(
    %x: tensor<8x6xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
    %idx: tensor<8x6xi32> {tp.name = "idx", tp.placement = #tp.placement<@mesh, [dp: S(0)]>})
    -> (tensor<8x6xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %empty = tensor.empty() : tensor<8x6xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%idx : tensor<8x6xi32>) outs(%empty : tensor<8x6xf32>) {
  ^bb0(%in: i32, %out: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %in : i32 to index
    %2 = tensor.extract %x[%0, %1] : tensor<8x6xf32>
    linalg.yield %2 : f32
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}
