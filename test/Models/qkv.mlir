// Made by: tpc-import torch projections.py:qkv -o qkv.mlir (torch 2.15.0)
#loc1 = loc("projections.py":34:0)
#map = affine_map<(d0, d1) -> (d0, d1)>
#loc2 = loc("q"(#loc1))
#loc3 = loc("k"(#loc1))
#loc4 = loc("v"(#loc1))
module {
  func.func @forward(%arg0: tensor<8x16xf32> {tp.name = "x"} loc("x"("projections.py":34:0)), %arg1: tensor<16x16xf32> {tp.name = "q.weight", tp.param} loc("q.weight"("projections.py":34:0)), %arg2: tensor<16x16xf32> {tp.name = "k.weight", tp.param} loc("k.weight"("projections.py":34:0)), %arg3: tensor<16x16xf32> {tp.name = "v.weight", tp.param} loc("v.weight"("projections.py":34:0)), %arg4: tensor<16x16xf32> {tp.name = "o.weight", tp.param} loc("o.weight"("projections.py":34:0))) -> (tensor<8x16xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<16x16xf32> loc(#loc2)
    %transposed = linalg.transpose ins(%arg1 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc2)
    %1 = tensor.empty() : tensor<8x16xf32> loc(#loc2)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc2)
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<8x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc2)
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<8x16xf32>) outs(%1 : tensor<8x16xf32>) {
    ^bb0(%in: f32 loc("q"(#loc1)), %out: f32 loc("projections.py":34:0)):
      %10 = math.tanh %in : f32 loc(#loc1)
      linalg.yield %10 : f32 loc(#loc1)
    } -> tensor<8x16xf32> loc(#loc1)
    %transposed_0 = linalg.transpose ins(%arg2 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc3)
    %5 = linalg.matmul ins(%arg0, %transposed_0 : tensor<8x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc3)
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%4, %5 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%1 : tensor<8x16xf32>) {
    ^bb0(%in: f32 loc("projections.py":34:0), %in_3: f32 loc("k"(#loc1)), %out: f32 loc("projections.py":34:0)):
      %10 = arith.mulf %in, %in_3 : f32 loc(#loc1)
      linalg.yield %10 : f32 loc(#loc1)
    } -> tensor<8x16xf32> loc(#loc1)
    %transposed_1 = linalg.transpose ins(%arg3 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc4)
    %7 = linalg.matmul ins(%arg0, %transposed_1 : tensor<8x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc4)
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%1 : tensor<8x16xf32>) {
    ^bb0(%in: f32 loc("projections.py":34:0), %in_3: f32 loc("v"(#loc1)), %out: f32 loc("projections.py":34:0)):
      %10 = arith.addf %in, %in_3 : f32 loc(#loc1)
      linalg.yield %10 : f32 loc(#loc1)
    } -> tensor<8x16xf32> loc(#loc1)
    %transposed_2 = linalg.transpose ins(%arg4 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc5)
    %9 = linalg.matmul ins(%8, %transposed_2 : tensor<8x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc5)
    return %9 : tensor<8x16xf32> loc(#loc5)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
#loc5 = loc("o"(#loc1))
