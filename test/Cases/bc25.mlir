// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:32' --forward 'all_reduce[tp]:16*2' --backward 'all_reduce[tp]:32' --backward 'all_reduce[tp]:16*2'
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc25.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc25.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layer normalisation over a sharded hidden dim (reported: pytorch/pytorch#120542): two statistics for each row
// cross the ranks in each direction, and no activation is gathered.
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#vector = affine_map<(d0) -> (d0)>
tp.mesh @mesh ["tp" = 2]
func.func @layernorm(
    %x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
    %g: tensor<8xf32> {tp.name = "g", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
    %b: tensor<8xf32> {tp.name = "b", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<4x8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [tp: S(1)]>}) {
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %empty2 = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %squares = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %scale = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%sum, %squares : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %sq: f32, %out: f32):
    %0 = arith.divf %in, %eight : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.divf %sq, %eight : f32
    %3 = arith.subf %2, %1 : f32
    %4 = arith.addf %3, %eps : f32
    %5 = math.rsqrt %4 : f32
    linalg.yield %5 : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#map, #row, #row, #column, #column, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %scale, %g, %b : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>)
      outs(%empty2 : tensor<4x8xf32>) {
  ^bb0(%in: f32, %total: f32, %s: f32, %gain: f32, %bias: f32, %out: f32):
    %0 = arith.divf %total, %eight : f32
    %1 = arith.subf %in, %0 : f32
    %2 = arith.mulf %1, %s : f32
    %3 = arith.mulf %2, %gain : f32
    %4 = arith.addf %3, %bias : f32
    linalg.yield %4 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
