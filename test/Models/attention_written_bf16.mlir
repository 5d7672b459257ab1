// Made by: tpc-import torch sdpa.py:attention_written_bf16 -o attention_written_bf16.mlir (torch 2.15.0)
#loc1 = loc("sdpa.py":38:0)
#loc2 = loc("sdpa.py":40:0)
#loc3 = loc("sdpa.py":39:0)
#loc4 = loc("sdpa.py":41:0)
#loc5 = loc("sdpa.py":42:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @forward(%arg0: tensor<2x4x16x8xbf16> {tp.name = "q"} loc("q"("sdpa.py":38:0)), %arg1: tensor<2x4x16x8xbf16> {tp.name = "k"} loc("k"("sdpa.py":38:0)), %arg2: tensor<2x4x16x8xbf16> {tp.name = "v"} loc("v"("sdpa.py":38:0))) -> (tensor<2x4x16x8xbf16> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %c0_i64 = arith.constant 0 : i64 loc(#loc2)
    %cst_0 = arith.constant 0xFF800000 : f32 loc(#loc2)
    %cst_1 = arith.constant 2.8284271247461903 : f64 loc(#loc3)
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x16x8xbf16> into tensor<8x16x8xbf16> loc(#loc1)
    %collapsed_2 = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<2x4x16x8xbf16> into tensor<8x16x8xbf16> loc(#loc1)
    %collapsed_3 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x4x16x8xbf16> into tensor<8x16x8xbf16> loc(#loc1)
    %0 = tensor.empty() : tensor<8x8x16xbf16> loc(#loc3)
    %transposed = linalg.transpose ins(%collapsed_2 : tensor<8x16x8xbf16>) outs(%0 : tensor<8x8x16xbf16>) permutation = [0, 2, 1]  loc(#loc3)
    %1 = tensor.empty() : tensor<8x16x16xf32> loc(#loc3)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32> loc(#loc3)
    %3 = linalg.batch_matmul ins(%collapsed, %transposed : tensor<8x16x8xbf16>, tensor<8x8x16xbf16>) outs(%2 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32> loc(#loc3)
    %4 = tensor.empty() : tensor<8x16x16xbf16> loc(#loc3)
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<8x16x16xf32>) outs(%4 : tensor<8x16x16xbf16>) {
    ^bb0(%in: f32 loc("sdpa.py":39:0), %out: bf16 loc("sdpa.py":39:0)):
      %25 = arith.truncf %in : f32 to bf16 loc(#loc3)
      linalg.yield %25 : bf16 loc(#loc3)
    } -> tensor<8x16x16xbf16> loc(#loc3)
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<8x16x16xbf16>) outs(%1 : tensor<8x16x16xf32>) {
    ^bb0(%in: bf16 loc("sdpa.py":39:0), %out: f32 loc("sdpa.py":39:0)):
      %25 = arith.extf %in : bf16 to f32 loc(#loc3)
      linalg.yield %25 : f32 loc(#loc3)
    } -> tensor<8x16x16xf32> loc(#loc3)
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<8x16x16xf32>) outs(%1 : tensor<8x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":39:0), %out: f32 loc("sdpa.py":39:0)):
      %25 = arith.truncf %cst_1 : f64 to f32 loc(#loc3)
      %26 = arith.divf %in, %25 : f32 loc(#loc3)
      linalg.yield %26 : f32 loc(#loc3)
    } -> tensor<8x16x16xf32> loc(#loc3)
    %8 = tensor.empty() : tensor<8x16xi64> loc(#loc2)
    %9 = linalg.fill ins(%c0_i64 : i64) outs(%8 : tensor<8x16xi64>) -> tensor<8x16xi64> loc(#loc2)
    %10 = tensor.empty() : tensor<8x16xf32> loc(#loc2)
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc2)
    %12:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<8x16x16xf32>) outs(%11, %9 : tensor<8x16xf32>, tensor<8x16xi64>) {
    ^bb0(%in: f32 loc("sdpa.py":39:0), %out: f32 loc("sdpa.py":40:0), %out_5: i64 loc("sdpa.py":40:0)):
      %25 = linalg.index 2 : index loc(#loc2)
      %26 = arith.index_cast %25 : index to i64 loc(#loc2)
      %27 = arith.maximumf %in, %out : f32 loc(#loc2)
      %28 = arith.cmpf ogt, %in, %out : f32 loc(#loc2)
      %29 = arith.select %28, %26, %out_5 : i64 loc(#loc2)
      linalg.yield %27, %29 : f32, i64 loc(#loc2)
    } -> (tensor<8x16xf32>, tensor<8x16xi64>) loc(#loc2)
    %expanded = tensor.expand_shape %12#0 [[0], [1, 2]] output_shape [8, 16, 1] : tensor<8x16xf32> into tensor<8x16x1xf32> loc(#loc2)
    %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %expanded : tensor<8x16x16xf32>, tensor<8x16x1xf32>) outs(%1 : tensor<8x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":39:0), %in_5: f32 loc("sdpa.py":40:0), %out: f32 loc("sdpa.py":40:0)):
      %25 = arith.subf %in, %in_5 : f32 loc(#loc2)
      linalg.yield %25 : f32 loc(#loc2)
    } -> tensor<8x16x16xf32> loc(#loc2)
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<8x16x16xf32>) outs(%1 : tensor<8x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":40:0), %out: f32 loc("sdpa.py":40:0)):
      %25 = math.exp %in : f32 loc(#loc2)
      linalg.yield %25 : f32 loc(#loc2)
    } -> tensor<8x16x16xf32> loc(#loc2)
    %15 = tensor.empty() : tensor<8x16x1xf32> loc(#loc4)
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<8x16x1xf32>) -> tensor<8x16x1xf32> loc(#loc4)
    %17 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<8x16x16xf32>) outs(%16 : tensor<8x16x1xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":40:0), %out: f32 loc("sdpa.py":41:0)):
      %25 = arith.addf %in, %out : f32 loc(#loc4)
      linalg.yield %25 : f32 loc(#loc4)
    } -> tensor<8x16x1xf32> loc(#loc4)
    %18 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %17 : tensor<8x16x16xf32>, tensor<8x16x1xf32>) outs(%1 : tensor<8x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":40:0), %in_5: f32 loc("sdpa.py":41:0), %out: f32 loc("sdpa.py":41:0)):
      %25 = arith.divf %in, %in_5 : f32 loc(#loc4)
      linalg.yield %25 : f32 loc(#loc4)
    } -> tensor<8x16x16xf32> loc(#loc4)
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<8x16x16xf32>) outs(%4 : tensor<8x16x16xbf16>) {
    ^bb0(%in: f32 loc("sdpa.py":41:0), %out: bf16 loc("sdpa.py":42:0)):
      %25 = arith.truncf %in : f32 to bf16 loc(#loc5)
      linalg.yield %25 : bf16 loc(#loc5)
    } -> tensor<8x16x16xbf16> loc(#loc5)
    %20 = tensor.empty() : tensor<8x16x8xf32> loc(#loc5)
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32> loc(#loc5)
    %22 = linalg.batch_matmul ins(%19, %collapsed_3 : tensor<8x16x16xbf16>, tensor<8x16x8xbf16>) outs(%21 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32> loc(#loc5)
    %23 = tensor.empty() : tensor<8x16x8xbf16> loc(#loc5)
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<8x16x8xf32>) outs(%23 : tensor<8x16x8xbf16>) {
    ^bb0(%in: f32 loc("sdpa.py":42:0), %out: bf16 loc("sdpa.py":42:0)):
      %25 = arith.truncf %in : f32 to bf16 loc(#loc5)
      linalg.yield %25 : bf16 loc(#loc5)
    } -> tensor<8x16x8xbf16> loc(#loc5)
    %expanded_4 = tensor.expand_shape %24 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xbf16> into tensor<2x4x16x8xbf16> loc(#loc6)
    return %expanded_4 : tensor<2x4x16x8xbf16> loc(#loc6)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
#loc6 = loc("sdpa.py":43:0)
