// Made by: tpc-import torch projections.py:swiglu -o swiglu.mlir (torch 2.15.0)
#loc1 = loc("projections.py":20:0)
#map = affine_map<(d0, d1) -> (d0, d1)>
#loc2 = loc("w1"(#loc1))
#loc3 = loc("w3"(#loc1))
module {
  func.func @forward(%arg0: tensor<8x16xf32> {tp.name = "x"} loc("x"("projections.py":20:0)), %arg1: tensor<32x16xf32> {tp.name = "w1.weight", tp.param} loc("w1.weight"("projections.py":20:0)), %arg2: tensor<32x16xf32> {tp.name = "w3.weight", tp.param} loc("w3.weight"("projections.py":20:0)), %arg3: tensor<16x32xf32> {tp.name = "w2.weight", tp.param} loc("w2.weight"("projections.py":20:0))) -> (tensor<8x16xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_0 = arith.constant 1.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<16x32xf32> loc(#loc2)
    %transposed = linalg.transpose ins(%arg1 : tensor<32x16xf32>) outs(%0 : tensor<16x32xf32>) permutation = [1, 0]  loc(#loc2)
    %1 = tensor.empty() : tensor<8x32xf32> loc(#loc2)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x32xf32>) -> tensor<8x32xf32> loc(#loc2)
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<8x16xf32>, tensor<16x32xf32>) outs(%2 : tensor<8x32xf32>) -> tensor<8x32xf32> loc(#loc2)
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<8x32xf32>) outs(%1 : tensor<8x32xf32>) {
    ^bb0(%in: f32 loc("w1"(#loc1)), %out: f32 loc("projections.py":20:0)):
      %12 = arith.negf %in : f32 loc(#loc1)
      %13 = math.exp %12 : f32 loc(#loc1)
      %14 = arith.addf %13, %cst_0 : f32 loc(#loc1)
      %15 = arith.divf %cst_0, %14 : f32 loc(#loc1)
      linalg.yield %15 : f32 loc(#loc1)
    } -> tensor<8x32xf32> loc(#loc1)
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%1 : tensor<8x32xf32>) {
    ^bb0(%in: f32 loc("w1"(#loc1)), %in_3: f32 loc("projections.py":20:0), %out: f32 loc("projections.py":20:0)):
      %12 = arith.mulf %in, %in_3 : f32 loc(#loc1)
      linalg.yield %12 : f32 loc(#loc1)
    } -> tensor<8x32xf32> loc(#loc1)
    %transposed_1 = linalg.transpose ins(%arg2 : tensor<32x16xf32>) outs(%0 : tensor<16x32xf32>) permutation = [1, 0]  loc(#loc3)
    %6 = linalg.matmul ins(%arg0, %transposed_1 : tensor<8x16xf32>, tensor<16x32xf32>) outs(%2 : tensor<8x32xf32>) -> tensor<8x32xf32> loc(#loc3)
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %6 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%1 : tensor<8x32xf32>) {
    ^bb0(%in: f32 loc("projections.py":20:0), %in_3: f32 loc("w3"(#loc1)), %out: f32 loc("projections.py":20:0)):
      %12 = arith.mulf %in, %in_3 : f32 loc(#loc1)
      linalg.yield %12 : f32 loc(#loc1)
    } -> tensor<8x32xf32> loc(#loc1)
    %8 = tensor.empty() : tensor<32x16xf32> loc(#loc4)
    %transposed_2 = linalg.transpose ins(%arg3 : tensor<16x32xf32>) outs(%8 : tensor<32x16xf32>) permutation = [1, 0]  loc(#loc4)
    %9 = tensor.empty() : tensor<8x16xf32> loc(#loc4)
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc4)
    %11 = linalg.matmul ins(%7, %transposed_2 : tensor<8x32xf32>, tensor<32x16xf32>) outs(%10 : tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc4)
    return %11 : tensor<8x16xf32> loc(#loc4)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
#loc4 = loc("w2"(#loc1))
