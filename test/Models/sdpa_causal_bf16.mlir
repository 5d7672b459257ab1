// Made by: tpc-import torch sdpa.py:sdpa_causal_bf16 -o sdpa_causal_bf16.mlir (torch 2.15.0)
#loc1 = loc("sdpa.py":15:0)
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @forward(%arg0: tensor<2x4x16x8xbf16> {tp.name = "q"} loc("q"("sdpa.py":15:0)), %arg1: tensor<2x4x16x8xbf16> {tp.name = "k"} loc("k"("sdpa.py":15:0)), %arg2: tensor<2x4x16x8xbf16> {tp.name = "v"} loc("v"("sdpa.py":15:0))) -> (tensor<2x4x16x8xbf16> {tp.name = "y"}) {
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_0 = arith.constant 0xFF800000 : f32 loc(#loc1)
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32> loc(#loc1)
    %cst_2 = arith.constant 0.35355339059327379 : f64 loc(#loc1)
    %0 = tensor.empty() : tensor<2x4x16x8xf32> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x16x8xbf16>) outs(%0 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: bf16 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = arith.extf %in : bf16 to f32 loc(#loc1)
      linalg.yield %31 : f32 loc(#loc1)
    } -> tensor<2x4x16x8xf32> loc(#loc1)
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x16x8xbf16>) outs(%0 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: bf16 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = arith.extf %in : bf16 to f32 loc(#loc1)
      linalg.yield %31 : f32 loc(#loc1)
    } -> tensor<2x4x16x8xf32> loc(#loc1)
    %3 = tensor.empty() : tensor<2x4x8x16xf32> loc(#loc1)
    %transposed = linalg.transpose ins(%2 : tensor<2x4x16x8xf32>) outs(%3 : tensor<2x4x8x16xf32>) permutation = [0, 1, 3, 2]  loc(#loc1)
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32> loc(#loc1)
    %collapsed_3 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32> loc(#loc1)
    %4 = tensor.empty() : tensor<8x16x16xf32> loc(#loc1)
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32> loc(#loc1)
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_3 : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%5 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32> loc(#loc1)
    %expanded = tensor.expand_shape %6 [[0, 1], [2], [3]] output_shape [2, 4, 16, 16] : tensor<8x16x16xf32> into tensor<2x4x16x16xf32> loc(#loc1)
    %7 = tensor.empty() : tensor<2x4x16x16xf32> loc(#loc1)
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x4x16x16xf32>) outs(%7 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = arith.truncf %cst_2 : f64 to f32 loc(#loc1)
      %32 = arith.mulf %in, %31 : f32 loc(#loc1)
      linalg.yield %32 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %9 = tensor.empty() : tensor<16xi64> loc(#loc1)
    %10 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%9 : tensor<16xi64>) {
    ^bb0(%out: i64 loc("sdpa.py":15:0)):
      %31 = linalg.index 0 : index loc(#loc1)
      %32 = arith.index_cast %31 : index to i64 loc(#loc1)
      linalg.yield %32 : i64 loc(#loc1)
    } -> tensor<16xi64> loc(#loc1)
    %expanded_4 = tensor.expand_shape %10 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64> loc(#loc1)
    %expanded_5 = tensor.expand_shape %10 [[0, 1]] output_shape [1, 16] : tensor<16xi64> into tensor<1x16xi64> loc(#loc1)
    %11 = tensor.empty() : tensor<16x16xi1> loc(#loc1)
    %12 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_5, %expanded_4 : tensor<1x16xi64>, tensor<16x1xi64>) outs(%11 : tensor<16x16xi1>) {
    ^bb0(%in: i64 loc("sdpa.py":15:0), %in_10: i64 loc("sdpa.py":15:0), %out: i1 loc("sdpa.py":15:0)):
      %31 = arith.cmpi sle, %in, %in_10 : i64 loc(#loc1)
      linalg.yield %31 : i1 loc(#loc1)
    } -> tensor<16x16xi1> loc(#loc1)
    %13 = linalg.generic {indexing_maps = [#map5, #map, #map6, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %8, %cst_1 : tensor<16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) outs(%7 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: i1 loc("sdpa.py":15:0), %in_10: f32 loc("sdpa.py":15:0), %in_11: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = arith.select %in, %in_10, %in_11 : f32 loc(#loc1)
      linalg.yield %31 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %14 = tensor.empty() : tensor<2x4x16xi64> loc(#loc1)
    %15 = linalg.fill ins(%c0_i64 : i64) outs(%14 : tensor<2x4x16xi64>) -> tensor<2x4x16xi64> loc(#loc1)
    %16 = tensor.empty() : tensor<2x4x16xf32> loc(#loc1)
    %17 = linalg.fill ins(%cst_0 : f32) outs(%16 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32> loc(#loc1)
    %18:2 = linalg.generic {indexing_maps = [#map, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x4x16x16xf32>) outs(%17, %15 : tensor<2x4x16xf32>, tensor<2x4x16xi64>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0), %out_10: i64 loc("sdpa.py":15:0)):
      %31 = linalg.index 3 : index loc(#loc1)
      %32 = arith.index_cast %31 : index to i64 loc(#loc1)
      %33 = arith.maximumf %in, %out : f32 loc(#loc1)
      %34 = arith.cmpf ogt, %in, %out : f32 loc(#loc1)
      %35 = arith.select %34, %32, %out_10 : i64 loc(#loc1)
      linalg.yield %33, %35 : f32, i64 loc(#loc1)
    } -> (tensor<2x4x16xf32>, tensor<2x4x16xi64>) loc(#loc1)
    %expanded_6 = tensor.expand_shape %18#0 [[0], [1], [2, 3]] output_shape [2, 4, 16, 1] : tensor<2x4x16xf32> into tensor<2x4x16x1xf32> loc(#loc1)
    %19 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %expanded_6 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%7 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %in_10: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = arith.subf %in, %in_10 : f32 loc(#loc1)
      linalg.yield %31 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<2x4x16x16xf32>) outs(%7 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = math.exp %in : f32 loc(#loc1)
      linalg.yield %31 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %21 = tensor.empty() : tensor<2x4x16x1xf32> loc(#loc1)
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<2x4x16x1xf32>) -> tensor<2x4x16x1xf32> loc(#loc1)
    %23 = linalg.generic {indexing_maps = [#map, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<2x4x16x16xf32>) outs(%22 : tensor<2x4x16x1xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = arith.addf %in, %out : f32 loc(#loc1)
      linalg.yield %31 : f32 loc(#loc1)
    } -> tensor<2x4x16x1xf32> loc(#loc1)
    %24 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %23 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%7 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %in_10: f32 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = arith.divf %in, %in_10 : f32 loc(#loc1)
      linalg.yield %31 : f32 loc(#loc1)
    } -> tensor<2x4x16x16xf32> loc(#loc1)
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x4x16x8xbf16>) outs(%0 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: bf16 loc("sdpa.py":15:0), %out: f32 loc("sdpa.py":15:0)):
      %31 = arith.extf %in : bf16 to f32 loc(#loc1)
      linalg.yield %31 : f32 loc(#loc1)
    } -> tensor<2x4x16x8xf32> loc(#loc1)
    %collapsed_7 = tensor.collapse_shape %24 [[0, 1], [2], [3]] : tensor<2x4x16x16xf32> into tensor<8x16x16xf32> loc(#loc1)
    %collapsed_8 = tensor.collapse_shape %25 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32> loc(#loc1)
    %26 = tensor.empty() : tensor<8x16x8xf32> loc(#loc1)
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32> loc(#loc1)
    %28 = linalg.batch_matmul ins(%collapsed_7, %collapsed_8 : tensor<8x16x16xf32>, tensor<8x16x8xf32>) outs(%27 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32> loc(#loc1)
    %expanded_9 = tensor.expand_shape %28 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xf32> into tensor<2x4x16x8xf32> loc(#loc1)
    %29 = tensor.empty() : tensor<2x4x16x8xbf16> loc(#loc1)
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<2x4x16x8xf32>) outs(%29 : tensor<2x4x16x8xbf16>) {
    ^bb0(%in: f32 loc("sdpa.py":15:0), %out: bf16 loc("sdpa.py":15:0)):
      %31 = arith.truncf %in : f32 to bf16 loc(#loc1)
      linalg.yield %31 : bf16 loc(#loc1)
    } -> tensor<2x4x16x8xbf16> loc(#loc1)
    return %30 : tensor<2x4x16x8xbf16> loc(#loc1)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
