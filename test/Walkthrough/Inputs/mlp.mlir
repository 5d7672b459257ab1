// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of the walkthrough: y = relu(x w1^T) w2^T, as a frontend writes it for one device. Weights are
// [out, in], as torch.nn.Linear stores them, so each is transposed in front of its product.
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func private @relu(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x128xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x128xf32>) outs(%empty : tensor<16x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.cmpf ugt, %in, %zero : f32
    %1 = arith.select %0, %in, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<16x128xf32>
  return %y : tensor<16x128xf32>
}
func.func @mlp(%x: tensor<16x24xf32> {tp.name = "x"},
               %w1: tensor<128x24xf32> {tp.name = "w1", tp.param},
               %w2: tensor<8x128xf32> {tp.name = "w2", tp.param}) -> (tensor<16x8xf32> {tp.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %space1 = tensor.empty() : tensor<24x128xf32>
  %w1t = linalg.transpose ins(%w1 : tensor<128x24xf32>) outs(%space1 : tensor<24x128xf32>) permutation = [1, 0]
  %space2 = tensor.empty() : tensor<128x8xf32>
  %w2t = linalg.transpose ins(%w2 : tensor<8x128xf32>) outs(%space2 : tensor<128x8xf32>) permutation = [1, 0]
  %empty1 = tensor.empty() : tensor<16x128xf32>
  %init1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %h = linalg.matmul ins(%x, %w1t : tensor<16x24xf32>, tensor<24x128xf32>) outs(%init1 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %a = call @relu(%h) : (tensor<16x128xf32>) -> tensor<16x128xf32>
  %empty2 = tensor.empty() : tensor<16x8xf32>
  %init2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = linalg.matmul ins(%a, %w2t : tensor<16x128xf32>, tensor<128x8xf32>) outs(%init2 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}
