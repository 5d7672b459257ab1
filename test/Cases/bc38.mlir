// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_to_all[x,y]:2048' --backward 'all_to_all[x,y]:2048'
// RUN: tpc-run %t.so -n 8 --inputs %S/Inputs/bc38.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc38.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two dims onto one (reported: openxla/xla#15207): the sum moves and not its operands, and nothing is replicated.
// One all-to-all over each axis was thought least, 1536 + 1024 bytes received in each direction. Over both axes at once
// it is one, and 1792: what was received over x need not be received again over y.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
tp.mesh @mesh ["x" = 4, "y" = 2]
func.func @two_dims_onto_one(
    %a: tensor<16x16x16xf32> {tp.name = "a", tp.grad, tp.placement = #tp.placement<@mesh, [x: S(2), y: S(0)]>},
    %b: tensor<16x16x16xf32> {tp.name = "b", tp.grad, tp.placement = #tp.placement<@mesh, [x: S(2), y: S(0)]>},
    %c: tensor<16x16x16xf32> {tp.name = "c", tp.grad, tp.placement = #tp.placement<@mesh, [x: S(1), y: S(1)]>})
    -> (tensor<16x16x16xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [x: S(1), y: S(1)]>}) {
  %empty = tensor.empty() : tensor<16x16x16xf32>
  %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<16x16x16xf32>, tensor<16x16x16xf32>) outs(%empty : tensor<16x16x16xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.addf %l, %r : f32
    linalg.yield %0 : f32
  } -> tensor<16x16x16xf32>
  %d = tp.constrain %sum to <@mesh, [x: S(1), y: S(1)]> : tensor<16x16x16xf32>
  %y = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %d : tensor<16x16x16xf32>, tensor<16x16x16xf32>) outs(%empty : tensor<16x16x16xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.addf %l, %r : f32
    linalg.yield %0 : f32
  } -> tensor<16x16x16xf32>
  return %y : tensor<16x16x16xf32>
}
