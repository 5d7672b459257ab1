// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:16*2' --backward none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc04b.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc04b.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As bc04 for reductions with other neutral elements: max with init 3 (which may count any number of times) and
// a product with init 3 (which may not).
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
tp.mesh @mesh ["tp" = 2]
func.func @max_and_product_with_init(
    %x: tensor<4x8xf32> {tp.name = "x", tp.placement = #tp.placement<@mesh, [tp: S(1)]>})
    -> (tensor<4xf32> {tp.name = "y0", tp.placement = #tp.placement<@mesh, []>},
        tensor<4xf32> {tp.name = "y1", tp.placement = #tp.placement<@mesh, []>}) {
  %three = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%three : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %y0 = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %y1 = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %y0, %y1 : tensor<4xf32>, tensor<4xf32>
}
