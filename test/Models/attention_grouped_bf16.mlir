// Made by: tpc-import torch sdpa.py:attention_grouped_bf16 -o attention_grouped_bf16.mlir (torch 2.15.0)
#loc1 = loc("sdpa.py":50:0)
#loc2 = loc("sdpa.py":52:0)
#loc3 = loc("sdpa.py":51:0)
#loc4 = loc("sdpa.py":53:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
module {
  func.func @forward(%arg0: tensor<2x4x16x8xbf16> {tp.name = "q"} loc("q"("sdpa.py":50:0)), %arg1: tensor<2x2x16x8xbf16> {tp.name = "k"} loc("k"("sdpa.py":51:0)), %arg2: tensor<2x2x16x8xbf16> {tp.name = "v"} loc("v"("sdpa.py":53:0))) -> (tensor<2x4x16x8xbf16> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %c0_i64 = arith.constant 0 : i64 loc(#loc2)
    %cst_0 = arith.constant 0xFF800000 : f32 loc(#loc2)
    %cst_1 = arith.constant 2.8284271247461903 : f64 loc(#loc3)
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2], [3], [4, 5]] output_shape [2, 2, 2, 16, 8, 1] : tensor<2x4x16x8xbf16> into tensor<2x2x2x16x8x1xbf16> loc(#loc3)
    %expanded_2 = tensor.expand_shape %arg1 [[0], [1], [2], [3, 4, 5]] output_shape [2, 2, 16, 8, 1, 1] : tensor<2x2x16x8xbf16> into tensor<2x2x16x8x1x1xbf16> loc(#loc3)
    %collapsed = tensor.collapse_shape %expanded [[0, 1], [2, 3], [4, 5]] : tensor<2x2x2x16x8x1xbf16> into tensor<4x32x8xbf16> loc(#loc3)
    %0 = tensor.empty() : tensor<2x2x8x16x1x1xbf16> loc(#loc3)
    %transposed = linalg.transpose ins(%expanded_2 : tensor<2x2x16x8x1x1xbf16>) outs(%0 : tensor<2x2x8x16x1x1xbf16>) permutation = [0, 1, 3, 2, 4, 5]  loc(#loc3)
    %collapsed_3 = tensor.collapse_shape %transposed [[0, 1], [2], [3, 4, 5]] : tensor<2x2x8x16x1x1xbf16> into tensor<4x8x16xbf16> loc(#loc3)
    %1 = tensor.empty() : tensor<4x32x16xf32> loc(#loc3)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4x32x16xf32>) -> tensor<4x32x16xf32> loc(#loc3)
    %3 = linalg.batch_matmul ins(%collapsed, %collapsed_3 : tensor<4x32x8xbf16>, tensor<4x8x16xbf16>) outs(%2 : tensor<4x32x16xf32>) -> tensor<4x32x16xf32> loc(#loc3)
    %4 = tensor.empty() : tensor<4x32x16xbf16> loc(#loc3)
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<4x32x16xf32>) outs(%4 : tensor<4x32x16xbf16>) {
    ^bb0(%in: f32 loc("sdpa.py":51:0), %out: bf16 loc("sdpa.py":51:0)):
      %29 = arith.truncf %in : f32 to bf16 loc(#loc3)
      linalg.yield %29 : bf16 loc(#loc3)
    } -> tensor<4x32x16xbf16> loc(#loc3)
    %expanded_4 = tensor.expand_shape %5 [[0, 1], [2, 3], [4, 5]] output_shape [2, 2, 2, 16, 1, 16] : tensor<4x32x16xbf16> into tensor<2x2x2x16x1x16xbf16> loc(#loc3)
    %6 = tensor.empty() : tensor<2x2x2x16x16x1xbf16> loc(#loc3)
    %transposed_5 = linalg.transpose ins(%expanded_4 : tensor<2x2x2x16x1x16xbf16>) outs(%6 : tensor<2x2x2x16x16x1xbf16>) permutation = [0, 1, 2, 3, 5, 4]  loc(#loc3)
    %collapsed_6 = tensor.collapse_shape %transposed_5 [[0], [1], [2], [3], [4, 5]] : tensor<2x2x2x16x16x1xbf16> into tensor<2x2x2x16x16xbf16> loc(#loc3)
    %7 = tensor.empty() : tensor<2x2x2x16x16xf32> loc(#loc3)
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_6 : tensor<2x2x2x16x16xbf16>) outs(%7 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: bf16 loc("sdpa.py":51:0), %out: f32 loc("sdpa.py":51:0)):
      %29 = arith.extf %in : bf16 to f32 loc(#loc3)
      linalg.yield %29 : f32 loc(#loc3)
    } -> tensor<2x2x2x16x16xf32> loc(#loc3)
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<2x2x2x16x16xf32>) outs(%7 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":51:0), %out: f32 loc("sdpa.py":51:0)):
      %29 = arith.truncf %cst_1 : f64 to f32 loc(#loc3)
      %30 = arith.divf %in, %29 : f32 loc(#loc3)
      linalg.yield %30 : f32 loc(#loc3)
    } -> tensor<2x2x2x16x16xf32> loc(#loc3)
    %10 = tensor.empty() : tensor<2x2x2x16xi64> loc(#loc2)
    %11 = linalg.fill ins(%c0_i64 : i64) outs(%10 : tensor<2x2x2x16xi64>) -> tensor<2x2x2x16xi64> loc(#loc2)
    %12 = tensor.empty() : tensor<2x2x2x16xf32> loc(#loc2)
    %13 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<2x2x2x16xf32>) -> tensor<2x2x2x16xf32> loc(#loc2)
    %14:2 = linalg.generic {indexing_maps = [#map1, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%9 : tensor<2x2x2x16x16xf32>) outs(%13, %11 : tensor<2x2x2x16xf32>, tensor<2x2x2x16xi64>) {
    ^bb0(%in: f32 loc("sdpa.py":51:0), %out: f32 loc("sdpa.py":52:0), %out_13: i64 loc("sdpa.py":52:0)):
      %29 = linalg.index 4 : index loc(#loc2)
      %30 = arith.index_cast %29 : index to i64 loc(#loc2)
      %31 = arith.maximumf %in, %out : f32 loc(#loc2)
      %32 = arith.cmpf ogt, %in, %out : f32 loc(#loc2)
      %33 = arith.select %32, %30, %out_13 : i64 loc(#loc2)
      linalg.yield %31, %33 : f32, i64 loc(#loc2)
    } -> (tensor<2x2x2x16xf32>, tensor<2x2x2x16xi64>) loc(#loc2)
    %expanded_7 = tensor.expand_shape %14#0 [[0], [1], [2], [3, 4]] output_shape [2, 2, 2, 16, 1] : tensor<2x2x2x16xf32> into tensor<2x2x2x16x1xf32> loc(#loc2)
    %15 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%9, %expanded_7 : tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x1xf32>) outs(%7 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":51:0), %in_13: f32 loc("sdpa.py":52:0), %out: f32 loc("sdpa.py":52:0)):
      %29 = arith.subf %in, %in_13 : f32 loc(#loc2)
      linalg.yield %29 : f32 loc(#loc2)
    } -> tensor<2x2x2x16x16xf32> loc(#loc2)
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x2x2x16x16xf32>) outs(%7 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":52:0), %out: f32 loc("sdpa.py":52:0)):
      %29 = math.exp %in : f32 loc(#loc2)
      linalg.yield %29 : f32 loc(#loc2)
    } -> tensor<2x2x2x16x16xf32> loc(#loc2)
    %17 = tensor.empty() : tensor<2x2x2x16x1xf32> loc(#loc2)
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x1xf32> loc(#loc2)
    %19 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<2x2x2x16x16xf32>) outs(%18 : tensor<2x2x2x16x1xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":52:0), %out: f32 loc("sdpa.py":52:0)):
      %29 = arith.addf %in, %out : f32 loc(#loc2)
      linalg.yield %29 : f32 loc(#loc2)
    } -> tensor<2x2x2x16x1xf32> loc(#loc2)
    %20 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16, %19 : tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x1xf32>) outs(%7 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":52:0), %in_13: f32 loc("sdpa.py":52:0), %out: f32 loc("sdpa.py":52:0)):
      %29 = arith.divf %in, %in_13 : f32 loc(#loc2)
      linalg.yield %29 : f32 loc(#loc2)
    } -> tensor<2x2x2x16x16xf32> loc(#loc2)
    %21 = tensor.empty() : tensor<2x2x2x16x16xbf16> loc(#loc2)
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x2x2x16x16xf32>) outs(%21 : tensor<2x2x2x16x16xbf16>) {
    ^bb0(%in: f32 loc("sdpa.py":52:0), %out: bf16 loc("sdpa.py":52:0)):
      %29 = arith.truncf %in : f32 to bf16 loc(#loc2)
      linalg.yield %29 : bf16 loc(#loc2)
    } -> tensor<2x2x2x16x16xbf16> loc(#loc2)
    %collapsed_8 = tensor.collapse_shape %22 [[0, 1], [2, 3], [4]] : tensor<2x2x2x16x16xbf16> into tensor<4x32x16xbf16> loc(#loc4)
    %collapsed_9 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x2x16x8xbf16> into tensor<4x16x8xbf16> loc(#loc4)
    %23 = tensor.empty() : tensor<4x32x8xf32> loc(#loc4)
    %24 = linalg.fill ins(%cst : f32) outs(%23 : tensor<4x32x8xf32>) -> tensor<4x32x8xf32> loc(#loc4)
    %25 = linalg.batch_matmul ins(%collapsed_8, %collapsed_9 : tensor<4x32x16xbf16>, tensor<4x16x8xbf16>) outs(%24 : tensor<4x32x8xf32>) -> tensor<4x32x8xf32> loc(#loc4)
    %26 = tensor.empty() : tensor<4x32x8xbf16> loc(#loc4)
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<4x32x8xf32>) outs(%26 : tensor<4x32x8xbf16>) {
    ^bb0(%in: f32 loc("sdpa.py":53:0), %out: bf16 loc("sdpa.py":53:0)):
      %29 = arith.truncf %in : f32 to bf16 loc(#loc4)
      linalg.yield %29 : bf16 loc(#loc4)
    } -> tensor<4x32x8xbf16> loc(#loc4)
    %expanded_10 = tensor.expand_shape %27 [[0, 1], [2, 3], [4, 5]] output_shape [2, 2, 2, 16, 1, 8] : tensor<4x32x8xbf16> into tensor<2x2x2x16x1x8xbf16> loc(#loc4)
    %28 = tensor.empty() : tensor<2x2x2x16x8x1xbf16> loc(#loc4)
    %transposed_11 = linalg.transpose ins(%expanded_10 : tensor<2x2x2x16x1x8xbf16>) outs(%28 : tensor<2x2x2x16x8x1xbf16>) permutation = [0, 1, 2, 3, 5, 4]  loc(#loc4)
    %collapsed_12 = tensor.collapse_shape %transposed_11 [[0], [1, 2], [3], [4, 5]] : tensor<2x2x2x16x8x1xbf16> into tensor<2x4x16x8xbf16> loc(#loc5)
    return %collapsed_12 : tensor<2x4x16x8xbf16> loc(#loc5)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
#loc5 = loc("sdpa.py":54:0)
