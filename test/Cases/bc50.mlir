// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[r]:96' --backward 'reduce_scatter[r]:96'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc50.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc50.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of an embedding summed over microbatches in a loop (reported: openxla/xla#49143): every rank sums its part
// of the whole table, and the parts are joined once, behind the loop. That the table is used whole is pinned: reading the
// rows a rank holds would move less.
#ids = affine_map<(d0, d1) -> (d0)>
#out = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["r" = 4]
func.func @microbatches(
    %E: tensor<12x2xf32> {tp.name = "E", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [r: S(0)]>,
                          tp.use = #tp.placement<@mesh, []>},
    %ids: tensor<2x4xi32> {tp.name = "ids", tp.placement = #tp.placement<@mesh, [r: S(1)]>})
    -> (tensor<2x4x2xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [r: S(1)]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %start = tensor.empty() : tensor<2x4x2xf32>
  %y = scf.for %m = %c0 to %c2 step %c1 iter_args(%all = %start) -> (tensor<2x4x2xf32>) {
    %part = tensor.extract_slice %ids[%m, 0] [1, 4] [1, 1] : tensor<2x4xi32> to tensor<4xi32>
    %empty = tensor.empty() : tensor<4x2xf32>
    %read = linalg.generic {indexing_maps = [#ids, #out], iterator_types = ["parallel", "parallel"]}
        ins(%part : tensor<4xi32>) outs(%empty : tensor<4x2xf32>) {
    ^bb0(%in: i32, %o: f32):
      %0 = arith.index_cast %in : i32 to index
      %1 = linalg.index 1 : index
      %2 = tensor.extract %E[%0, %1] : tensor<12x2xf32>
      linalg.yield %2 : f32
    } -> tensor<4x2xf32>
    %next = tensor.insert_slice %read into %all[%m, 0, 0] [1, 4, 2] [1, 1, 1]
        : tensor<4x2xf32> into tensor<2x4x2xf32>
    scf.yield %next : tensor<2x4x2xf32>
  }
  return %y : tensor<2x4x2xf32>
}
