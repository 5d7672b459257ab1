// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'reduce_scatter[tp]:96' --backward 'all_gather[tp]:96'
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc12.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc12.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constraint to the Partial that a value already is, then to a shard (reported: pytorch/pytorch#115967). The
// first is free, the second a reduce-scatter; its transpose is an all-gather, and no gradient is scaled.
#map = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["tp" = 2]
func.func @square_of_constrained_product(
    %x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
    %w: tensor<8x6xf32> {tp.name = "w", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<4x6xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%init : tensor<4x6xf32>) -> tensor<4x6xf32>
  %partial = tp.constrain %z to <@mesh, [tp: P(sum)]> : tensor<4x6xf32>
  %rows = tp.constrain %partial to <@mesh, [tp: S(0)]> : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<4x6xf32>) outs(%empty : tensor<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
