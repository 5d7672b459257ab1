// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half of each of two tensors of 5 rows.
#map = affine_map<(d0, d1) -> (d0, d1)>
#vector = affine_map<(d0) -> (d0)>
func.func @scale(%w: tensor<5x32xf32> {tp.name = "dout_proj.weight"}, %b: tensor<5xf32> {tp.name = "dout_proj.bias"})
    -> (tensor<5x32xf32> {tp.name = "w"}, tensor<5xf32> {tp.name = "b"}) {
  %half = arith.constant 0.5 : f32
  %empty = tensor.empty() : tensor<5x32xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<5x32xf32>) outs(%empty : tensor<5x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.mulf %in, %half : f32
    linalg.yield %2 : f32
  } -> tensor<5x32xf32>
  %empty1 = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%b : tensor<5xf32>) outs(%empty1 : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.mulf %in, %half : f32
    linalg.yield %2 : f32
  } -> tensor<5xf32>
  return %0, %1 : tensor<5x32xf32>, tensor<5xf32>
}
