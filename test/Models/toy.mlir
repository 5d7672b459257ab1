// Made by: tpc-import torch toy.py:toy -o toy.mlir (torch 2.15.0)
#loc1 = loc("toy.py":16:0)
#loc2 = loc("toy.py":17:0)
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#loc3 = loc("in_proj"(#loc1))
#loc4 = loc("relu"(#loc1))
#loc5 = loc("out_proj"(#loc2))
module {
  func.func @forward(%arg0: tensor<4x10xf32> {tp.name = "x"} loc("x"("toy.py":16:0)), %arg1: tensor<32x10xf32> {tp.name = "in_proj.weight", tp.param} loc("in_proj.weight"("toy.py":16:0)), %arg2: tensor<32xf32> {tp.name = "in_proj.bias", tp.param} loc("in_proj.bias"("toy.py":16:0)), %arg3: tensor<5x32xf32> {tp.name = "out_proj.weight", tp.param} loc("out_proj.weight"("toy.py":17:0)), %arg4: tensor<5xf32> {tp.name = "out_proj.bias", tp.param} loc("out_proj.bias"("toy.py":17:0))) -> (tensor<4x5xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<10x32xf32> loc(#loc3)
    %transposed = linalg.transpose ins(%arg1 : tensor<32x10xf32>) outs(%0 : tensor<10x32xf32>) permutation = [1, 0]  loc(#loc3)
    %1 = tensor.empty() : tensor<4x32xf32> loc(#loc3)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4x32xf32>) -> tensor<4x32xf32> loc(#loc3)
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<4x10xf32>, tensor<10x32xf32>) outs(%2 : tensor<4x32xf32>) -> tensor<4x32xf32> loc(#loc3)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<32xf32>) outs(%1 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("in_proj"(#loc1)), %out: f32 loc("in_proj"(#loc1))):
      linalg.yield %in : f32 loc(#loc3)
    } -> tensor<4x32xf32> loc(#loc3)
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%1 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("in_proj"(#loc1)), %in_1: f32 loc("in_proj"(#loc1)), %out: f32 loc("in_proj"(#loc1))):
      %13 = arith.addf %in, %in_1 : f32 loc(#loc3)
      linalg.yield %13 : f32 loc(#loc3)
    } -> tensor<4x32xf32> loc(#loc3)
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4x32xf32>) outs(%1 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("in_proj"(#loc1)), %out: f32 loc("relu"(#loc1))):
      %13 = arith.cmpf ugt, %in, %cst : f32 loc(#loc4)
      %14 = arith.select %13, %in, %cst : f32 loc(#loc4)
      linalg.yield %14 : f32 loc(#loc4)
    } -> tensor<4x32xf32> loc(#loc4)
    %7 = tensor.empty() : tensor<32x5xf32> loc(#loc5)
    %transposed_0 = linalg.transpose ins(%arg3 : tensor<5x32xf32>) outs(%7 : tensor<32x5xf32>) permutation = [1, 0]  loc(#loc5)
    %8 = tensor.empty() : tensor<4x5xf32> loc(#loc5)
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<4x5xf32>) -> tensor<4x5xf32> loc(#loc5)
    %10 = linalg.matmul ins(%6, %transposed_0 : tensor<4x32xf32>, tensor<32x5xf32>) outs(%9 : tensor<4x5xf32>) -> tensor<4x5xf32> loc(#loc5)
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<5xf32>) outs(%8 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("out_proj"(#loc2)), %out: f32 loc("out_proj"(#loc2))):
      linalg.yield %in : f32 loc(#loc5)
    } -> tensor<4x5xf32> loc(#loc5)
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%8 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("out_proj"(#loc2)), %in_1: f32 loc("out_proj"(#loc2)), %out: f32 loc("out_proj"(#loc2))):
      %13 = arith.addf %in, %in_1 : f32 loc(#loc5)
      linalg.yield %13 : f32 loc(#loc5)
    } -> tensor<4x5xf32> loc(#loc5)
    return %12 : tensor<4x5xf32> loc(#loc5)
  } loc(#loc3)
} loc(#loc)
#loc = loc(unknown)
