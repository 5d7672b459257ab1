// Made by: tpc-import torch sdpa.py:sdpa_grouped_bf16 -o sdpa_grouped_bf16.mlir (torch 2.15.0)
#loc1 = loc("sdpa.py":15:0)
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @forward(%arg0: tensor<2x4x16x8xbf16> {tp.name = "q"} loc("q"("sdpa.py":15:0)), %arg1: tensor<2x2x16x8xbf16> {tp.name = "k"} loc("k"("sdpa.py":15:0)), %arg2: tensor<2x2x16x8xbf16> {tp.name = "v"} loc("v"("sdpa.py":15:0))) -> (tensor<2x4x16x8xbf16> {tp.name = "y"}) {
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_0 = arith.constant 0xFF800000 : f32 loc(#loc1)
    %cst_1 = arith.constant 0.35355339059327379 : f64 loc(#loc1)
    %0 = tensor.empty() : tensor<2x2x2x16x8xbf16> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x2x16x8xbf16>) outs(%0 : tensor<2x2x2x16x8xbf16>) {
    ^bb0(%in: bf16 loc("sdpa.py":15:0), %out: bf16 loc("sdpa.py":15:0)):
      linalg.yield %in : bf16 loc(#loc1)
    } -> tensor<2x2x2x16x8xbf16> loc(#loc1)
    %collapsed = tensor.collapse_shape %1 [[0], [1, 2], [3], [4]] : tensor<2x2x2x16x8xbf16> into tensor<2x4x16x8xbf16> loc(#loc1)
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x2x16x8xbf16>) outs(%0 : tensor<2x2x2x16x8xbf16>) {
    ^bb0(%in: bf16 loc("sdpa.py":15:0), %out: bf16 loc("sdpa.py":15:0)):
      linalg.yield %in : bf16 loc(#loc1)
    } -> tensor<2x2x2x16x8xbf16> loc(#loc1)
    %collapsed_2 = tensor.collapse_shape %2 [[0], [1, 2], [3], [4]] : tensor<2x2x2x16x8xbf16> into tensor<2x4x16x8xbf16> loc(#loc1)
    %3 = tensor.empty() : tensor<2x4x16x8xf32> loc(#loc1)
    %4 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x16x8xbf16>) outs(%3 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: bf16 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %29 = arith.extf %in : bf16 to f32 loc(#loc1)
      linalg.yield %29 : f32 loc(#loc1)
    } -> tensor<2x4x16x8xf32> loc(#loc1)
    %5 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed : tensor<2x4x16x8xbf16>) outs(%3 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: bf16 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %29 = arith.extf %in : bf16 to f32 loc(#loc1)
      linalg.yield %29 : f32 loc(#loc1)
    } -> tensor<2x4x16x8xf32> loc(#loc1)
    %6 = tensor.empty() : tensor<2x4x8x16xf32> loc(#loc1)
    %transposed = linalg.transpose ins(%5 : tensor<2x4x16x8xf32>) outs(%6 : tensor<2x4x8x16xf32>) permutation = [0, 1, 3, 2]  loc(#loc1)
    %collapsed_3 = tensor.collapse_shape %4 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32> loc(#loc1)
    %collapsed_4 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32> loc(#loc1)
    %7 = tensor.empty() : tensor<8x16x16xf32> loc(#loc1)
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32> loc(#loc1)
    %9 = linalg.batch_matmul ins(%collapsed_3, %collapsed_4 : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%8 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32> loc(#loc1)
    %expanded = tensor.expand_shape %9 [[0, 1], [2], [3]] output_shape [2, 4, 16, 16] : tensor<8x16x16xf32> into tensor<2x4x16x16xf32> loc(#loc1)
    %10 = tensor.empty() : tensor<2x4x16x16xf32> loc(#loc1)
    %11 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x4x16x16xf32>) outs(%10 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %29 = arith.truncf %cst_1 : f64 to f32 loc(#loc1)
      %30 = arith.mulf %in, %29 : f32 loc(#loc1)
      linalg.yield %30 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %12 = tensor.empty() : tensor<2x4x16xi64> loc(#loc1)
    %13 = linalg.fill ins(%c0_i64 : i64) outs(%12 : tensor<2x4x16xi64>) -> tensor<2x4x16xi64> loc(#loc1)
    %14 = tensor.empty() : tensor<2x4x16xf32> loc(#loc1)
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32> loc(#loc1)
    %16:2 = linalg.generic {indexing_maps = [#map2, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%11 : tensor<2x4x16x16xf32>) outs(%15, %13 : tensor<2x4x16xf32>, tensor<2x4x16xi64>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0), %out_9: i64 loc("sdpa.py":15:0)):
      %29 = linalg.index 3 : index loc(#loc1)
      %30 = arith.index_cast %29 : index to i64 loc(#loc1)
      %31 = arith.maximumf %in, %out : f32 loc(#loc1)
      %32 = arith.cmpf ogt, %in, %out : f32 loc(#loc1)
      %33 = arith.select %32, %30, %out_9 : i64 loc(#loc1)
      linalg.yield %31, %33 : f32, i64 loc(#loc1)
    } -> (tensor<2x4x16xf32>, tensor<2x4x16xi64>) loc(#loc1)
    %expanded_5 = tensor.expand_shape %16#0 [[0], [1], [2, 3]] output_shape [2, 4, 16, 1] : tensor<2x4x16xf32> into tensor<2x4x16x1xf32> loc(#loc1)
    %17 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %expanded_5 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%10 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %in_9: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %29 = arith.subf %in, %in_9 : f32 loc(#loc1)
      linalg.yield %29 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %18 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x16x16xf32>) outs(%10 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %29 = math.exp %in : f32 loc(#loc1)
      linalg.yield %29 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %19 = tensor.empty() : tensor<2x4x16x1xf32> loc(#loc1)
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<2x4x16x1xf32>) -> tensor<2x4x16x1xf32> loc(#loc1)
    %21 = linalg.generic {indexing_maps = [#map2, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x16x16xf32>) outs(%20 : tensor<2x4x16x1xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %29 = arith.addf %in, %out : f32 loc(#loc1)
      linalg.yield %29 : f32 loc(#loc1)
    } -> tensor<2x4x16x1xf32> loc(#loc1)
    %22 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %21 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%10 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %in_9: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %29 = arith.divf %in, %in_9 : f32 loc(#loc1)
      linalg.yield %29 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %23 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_2 : tensor<2x4x16x8xbf16>) outs(%3 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: bf16 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %29 = arith.extf %in : bf16 to f32 loc(#loc1)
      linalg.yield %29 : f32 loc(#loc1)
    } -> tensor<2x4x16x8xf32> loc(#loc1)
    %collapsed_6 = tensor.collapse_shape %22 [[0, 1], [2], [3]] : tensor<2x4x16x16xf32> into tensor<8x16x16xf32> loc(#loc1)
    %collapsed_7 = tensor.collapse_shape %23 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32> loc(#loc1)
    %24 = tensor.empty() : tensor<8x16x8xf32> loc(#loc1)
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32> loc(#loc1)
    %26 = linalg.batch_matmul ins(%collapsed_6, %collapsed_7 : tensor<8x16x16xf32>, tensor<8x16x8xf32>) outs(%25 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32> loc(#loc1)
    %expanded_8 = tensor.expand_shape %26 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xf32> into tensor<2x4x16x8xf32> loc(#loc1)
    %27 = tensor.empty() : tensor<2x4x16x8xbf16> loc(#loc1)
    %28 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8 : tensor<2x4x16x8xf32>) outs(%27 : tensor<2x4x16x8xbf16>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: bf16 loc("sdpa.py":15:0)):
      %29 = arith.truncf %in : f32 to bf16 loc(#loc1)
      linalg.yield %29 : bf16 loc(#loc1)
    } -> tensor<2x4x16x8xbf16> loc(#loc1)
    return %28 : tensor<2x4x16x8xbf16> loc(#loc1)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
