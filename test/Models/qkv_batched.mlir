// Made by: tpc-import torch projections.py:qkv_batched -o qkv_batched.mlir (torch 2.15.0)
#loc1 = loc("projections.py":34:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#loc2 = loc("q"(#loc1))
#loc3 = loc("k"(#loc1))
#loc4 = loc("v"(#loc1))
module {
  func.func @forward(%arg0: tensor<2x8x16xf32> {tp.name = "x"} loc("x"("projections.py":34:0)), %arg1: tensor<16x16xf32> {tp.name = "q.weight", tp.param} loc("q.weight"("projections.py":34:0)), %arg2: tensor<16x16xf32> {tp.name = "k.weight", tp.param} loc("k.weight"("projections.py":34:0)), %arg3: tensor<16x16xf32> {tp.name = "v.weight", tp.param} loc("v.weight"("projections.py":34:0)), %arg4: tensor<16x16xf32> {tp.name = "o.weight", tp.param} loc("o.weight"("projections.py":34:0))) -> (tensor<2x8x16xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<16x16xf32> loc(#loc2)
    %transposed = linalg.transpose ins(%arg1 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc2)
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32> loc(#loc2)
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc2)
    %2 = linalg.matmul ins(%collapsed, %transposed : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc2)
    %expanded = tensor.expand_shape %2 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32> loc(#loc2)
    %3 = tensor.empty() : tensor<2x8x16xf32> loc(#loc1)
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x8x16xf32>) outs(%3 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32 loc("q"(#loc1)), %out: f32 loc("projections.py":34:0)):
      %10 = math.tanh %in : f32 loc(#loc1)
      linalg.yield %10 : f32 loc(#loc1)
    } -> tensor<2x8x16xf32> loc(#loc1)
    %transposed_0 = linalg.transpose ins(%arg2 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc3)
    %5 = linalg.matmul ins(%collapsed, %transposed_0 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc3)
    %expanded_1 = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32> loc(#loc3)
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %expanded_1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%3 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32 loc("projections.py":34:0), %in_7: f32 loc("k"(#loc1)), %out: f32 loc("projections.py":34:0)):
      %10 = arith.mulf %in, %in_7 : f32 loc(#loc1)
      linalg.yield %10 : f32 loc(#loc1)
    } -> tensor<2x8x16xf32> loc(#loc1)
    %transposed_2 = linalg.transpose ins(%arg3 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc4)
    %7 = linalg.matmul ins(%collapsed, %transposed_2 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc4)
    %expanded_3 = tensor.expand_shape %7 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32> loc(#loc4)
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %expanded_3 : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%3 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32 loc("projections.py":34:0), %in_7: f32 loc("v"(#loc1)), %out: f32 loc("projections.py":34:0)):
      %10 = arith.addf %in, %in_7 : f32 loc(#loc1)
      linalg.yield %10 : f32 loc(#loc1)
    } -> tensor<2x8x16xf32> loc(#loc1)
    %transposed_4 = linalg.transpose ins(%arg4 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc5)
    %collapsed_5 = tensor.collapse_shape %8 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32> loc(#loc5)
    %9 = linalg.matmul ins(%collapsed_5, %transposed_4 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc5)
    %expanded_6 = tensor.expand_shape %9 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32> loc(#loc5)
    return %expanded_6 : tensor<2x8x16xf32> loc(#loc5)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
#loc5 = loc("o"(#loc1))
